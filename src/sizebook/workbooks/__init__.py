"""Planning workbooks: filling them losslessly and building new ones."""

from sizebook.core.extras import need

need("workbooks")
