"""Reruns published figures: what papers, model cards and benchmark pages state, against what this package computes."""
