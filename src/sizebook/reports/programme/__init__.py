"""The report of a programme."""
