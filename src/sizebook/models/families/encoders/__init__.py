"""Encoders of text: BERT and what departs from it in tables, positions, attention or layers."""
