"""Programmes: several training runs one after another, and what they cost together."""
