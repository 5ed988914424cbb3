"""The functions of the registry in Excel, through xlwings: classic UDFs, xlwings Lite and xlwings Server."""
