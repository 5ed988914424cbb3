"""Saved answers of price lists, and the rows of prices that they hold."""
