"""Anchors of somebody's own workbook: what a plan puts into names, tables, texts and pictures, all else following."""
