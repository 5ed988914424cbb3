"""Planning workbooks: filling them losslessly and building new ones."""
