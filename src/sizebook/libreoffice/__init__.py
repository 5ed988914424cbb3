"""The functions of the registry as an add-in of LibreOffice Calc."""
