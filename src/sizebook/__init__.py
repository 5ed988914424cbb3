"""Sizes transformer models: parameters, memory, compute, GPUs, money, energy and carbon, the same number everywhere."""

__version__ = "0.13.0"
