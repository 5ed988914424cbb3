"""Fits the rates of training and serving to somebody's own measured runs."""
