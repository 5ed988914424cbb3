"""A plan against what came, for a monthly meeting: a report of two pages, and a workbook."""
