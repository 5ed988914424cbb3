"""The public names of ``import sizebook``: functions by their field name, and what stands beside them."""

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
    "catalog": "sizebook.api.tables",
    "count": "sizebook.api.counts",
    "plan": "sizebook.api.plans",
    "sweep": "sizebook.api.tables",
}


def public(name: str) -> Any:
    """Return what a public name stands for; `AttributeError` with the nearest name for another."""
    if name in BESIDE:
        return getattr(import_module(BESIDE[name]), name)
    said = f"module 'sizebook' has no attribute '{name}'"
    if name.startswith("_"):
        raise AttributeError(said)
    try:
        if name == name.lower():
            return as_python(find(name))
    except UnknownFunctionError:  # of our own, whatever a notebook shows below it
        pass
    raise AttributeError(f"{said}.{suggestion(name.lower(), names())}")


def names() -> list[str]:
    """Return every public name."""
    return sorted([*BESIDE, *map(str.lower, load())])
