"""Scenarios side by side: differences against a base, ranking and what nothing else betters."""
