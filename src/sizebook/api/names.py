"""The public names of ``import sizebook``: functions by their field name, and what stands beside them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from sizebook.api.calls import as_python
from sizebook.core.errors import UnknownFunctionError
from sizebook.core.hints import suggestion
from sizebook.functions import find, load

# What is no spreadsheet function, and the module that holds it.
BESIDE = {
    "Plan": "sizebook.api.plans",
    "SizebookError": "sizebook.core.errors",
    "count": "sizebook.api.counts",
    "plan": "sizebook.api.plans",
    "sweep": "sizebook.api.tables",
}


def public(name: str) -> Any:
    """Return what a public name stands for; `AttributeError` with the nearest name for another."""
    if name in BESIDE:
        return getattr(import_module(BESIDE[name]), name)
    if name.startswith("_") or name != name.lower():
        raise AttributeError(f"module 'sizebook' has no attribute '{name}'")
    try:
        return as_python(find(name))
    except UnknownFunctionError as error:
        said = f"module 'sizebook' has no attribute '{name}'.{suggestion(name, names())}"
        raise AttributeError(said) from error


def names() -> list[str]:
    """Return every public name."""
    return sorted([*BESIDE, *map(str.lower, load())])
