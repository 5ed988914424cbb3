"""The report of one model's sizes."""
