"""`sizebook.xlam`: the functions in every workbook of Excel for Windows, made without Excel, installed at once."""
