"""No function takes more than six parameters, and nothing crosses modules by position beyond the third."""

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import sizebook

MOST_PARAMETERS = 6
SOURCE = Path(sizebook.__file__).parent
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))}


def _parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Return the parameters that a caller fills."""
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def test_no_function_takes_many_parameters() -> None:
    """Public or private, method or not, in every module."""
    crowded = {
        f"{path.relative_to(SOURCE)}: {node.name}": len(_parameters(node))
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and len(_parameters(node)) > MOST_PARAMETERS
    }
    assert crowded == {}


def _imported(tree: ast.AST) -> dict[str, Any]:
    """Return what a module imports by name from others of the project."""
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("sizebook"):
            for alias in node.names:
                found[alias.asname or alias.name] = getattr(import_module(node.module), alias.name, None)
    return found


def _by_position(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield the calls that pass more than three arguments by position to something of another module."""
    imported = _imported(tree)
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > 3):
        called: Any = None
        if isinstance(call.func, ast.Name):
            called = imported.get(call.func.id)
        elif isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name):
            called = getattr(imported.get(call.func.value.id), call.func.attr, None)
        if called is None or any(isinstance(argument, ast.Starred) for argument in call.args):
            continue
        taken = list(inspect.signature(called).parameters.values())[: len(call.args)]
        if all(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in taken):
            yield f"{path.relative_to(SOURCE)}:{call.lineno}: {ast.unparse(call.func)}"


def test_nothing_passes_between_modules_by_position_beyond_three() -> None:
    assert [call for path, tree in TREES.items() for call in _by_position(path, tree)] == []
