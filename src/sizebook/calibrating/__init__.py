"""Fits the rates of training and serving to somebody's own measured runs."""

from sizebook.core.extras import need

need("sweep")
