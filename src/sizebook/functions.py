"""Every module that registers functions; `load` imports them all, so the registry is complete."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from sizebook.registry import Function, registered

MODULES = (
    "formulas.params",
    "formulas.weights",
)


@cache
def load() -> dict[str, Function]:
    """Return every function of the product by name."""
    for module in MODULES:
        import_module(f"sizebook.{module}")
    return registered()
