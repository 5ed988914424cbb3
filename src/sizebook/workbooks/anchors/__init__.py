"""Anchors of somebody's own workbook: names, tables, texts and pictures that a plan fills; formulas follow."""
