"""Encoders of images and sound that stand in front of a language model."""
