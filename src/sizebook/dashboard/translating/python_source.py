"""What a name means where a Python function uses it, and what the translation keeps of the language's own functions."""

import ast
import builtins
import inspect
import re
import textwrap
from collections.abc import Callable
from typing import Any

from sizebook.core.errors import InputError
from sizebook.sources.bundled import bundled


def _supplied(prefix: str) -> frozenset[str]:
    """Return what templates/dashboard/python.js has of the language: its functions, those of `math`, and methods."""
    source = (bundled("templates") / "dashboard" / "python.js").read_text(encoding="utf-8")
    return frozenset(re.findall(rf"^(?:const|function) {prefix}_(\w+)", source, re.MULTILINE))


BUILT_IN, MATHS, METHODS = _supplied("py"), _supplied("math"), _supplied("method")
ARRAY_ONLY = frozenset({"all", "any"})  # asked of arrays alone, which no page has


class UntranslatedError(InputError):
    """A part of Python that the page's estimates may not use, named with its place."""


def cannot_translate(node: ast.AST, of: Any, what: str) -> UntranslatedError:
    """Return the error for a part of a function that has no JavaScript, with its place."""
    line = inspect.unwrap(of).__code__.co_firstlineno + getattr(node, "lineno", 1) - 1
    where = f"{of.__module__}.{of.__qualname__}, line {line}"
    return UntranslatedError(
        f"no JavaScript for {what}: got '{ast.unparse(node)[:80]}' in {where}, want what "
        "sizebook.dashboard.translating knows. Write it in another way, or teach it there."
    )


def parsed_function(python: Callable[..., Any]) -> ast.FunctionDef:
    """Return the definition of a function as its source has it."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(python)))).body
    if not isinstance(node, ast.FunctionDef):
        raise cannot_translate(node, python, "a function of this form")
    return node


def names_in_scope(python: Callable[..., Any]) -> dict[str, Any]:
    """Return the values of the names that a function takes from its module, its enclosing function and the language."""
    raw = inspect.unwrap(python)
    closed = zip(raw.__code__.co_freevars, raw.__closure__ or (), strict=True)
    return {**vars(builtins), **raw.__globals__, **{name: cell.cell_contents for name, cell in closed}}


def assigned_names(node: ast.FunctionDef) -> list[str]:
    """Return the names that a function sets in its body, each once; those of comprehensions are theirs alone."""
    found: dict[str, None] = {}
    pending: list[ast.AST] = list(node.body)
    while pending:
        each = pending.pop(0)
        if isinstance(each, ast.FunctionDef):
            found[each.name] = None
            continue
        if isinstance(each, ast.NamedExpr):
            found[each.target.id] = None
        elif isinstance(each, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For)):
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            found |= dict.fromkeys(name for target in targets for name in bound_names(target))
        pending += ast.iter_child_nodes(each)
    return list(found)


def bound_names(target: ast.AST) -> list[str]:
    """Return the names that an assignment to a target sets, from left to right."""
    stored = (n for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return [name.id for name in stored]
