"""Many scenarios at once: a table in, one workbook and one report per scenario and an index workbook out."""
