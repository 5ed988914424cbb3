"""Checkpoints of any architecture from their headers alone: tensors, formats, packings, parts, adapters."""
