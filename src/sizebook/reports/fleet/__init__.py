"""The report of a fleet plan."""
