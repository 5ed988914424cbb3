"""Writes `src/sizebook/__init__.pyi`: what editors and type checkers know of ``import sizebook``."""

from sizebook.api.calls import signature_of
from sizebook.core.registry import Function
from sizebook.core.sections import Argument
from sizebook.functions import load

HEAD = '''"""Written from the registry by `make generated`; do not edit."""

from collections.abc import Mapping
from typing import Any, TypeAlias, overload

from sizebook.api.counts import count as count
from sizebook.api.plans import Plan as Plan
from sizebook.api.plans import plan as plan
from sizebook.api.tables import catalog as catalog
from sizebook.api.tables import sweep as sweep
from sizebook.core.errors import SizebookError as SizebookError

__version__: str
_Value: TypeAlias = int | float | str | None
_Section: TypeAlias = Mapping[str, Any] | None
'''
RESULTS = {"integer": "int", "number": "float", "flag": "bool", "text": "str", "choice": "str"}


def stub() -> str:
    """Return the stub: of each function a signature for single values, and one for columns of them."""
    return HEAD + "".join(f"\n{each}" for _, function in sorted(load().items()) for each in _signatures(function))


def _signatures(function: Function) -> tuple[str, ...]:
    summary, result = function.summary.replace("\\", "\\\\"), RESULTS.get(function.result.kind, "Any")
    single = f'def {function.name.lower()}({_parameters(function, "_Value")}) -> {result}:\n    """{summary}"""\n'
    if all(map(_is_whole, function.arguments)):
        return (single,)
    columns = f"def {function.name.lower()}({_parameters(function, 'Any')}) -> Any: ...\n"
    return (f"@overload\n{single}@overload\n{columns}",)


def _is_whole(argument: Argument) -> bool:
    return argument.quantity.kind in ("range", "list", "date")


def _parameters(function: Function, single: str) -> str:
    """Return the parameters as `sizebook.api.calls.signature_of` has them."""
    found: list[str] = []
    for parameter in signature_of(function).parameters.values():
        argument = next((a for a in function.arguments if a.name == parameter.name), None)
        if parameter.kind is parameter.KEYWORD_ONLY and "*" not in found:
            found.append("*")
        kind = "_Section" if argument is None else "Any" if _is_whole(argument) else single
        found.append(f"{parameter.name}: {kind}{'' if parameter.default is parameter.empty else ' = ...'}")
    return ", ".join(found)
