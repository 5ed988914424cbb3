"""Imports point down: the domain stands on the standard library, surfaces stand on the domain."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "sizebook"

# Lowest first. A module may import its own layer and the layers before it.
LAYERS = (
    ("errors", "units", "expression", "expression_tree", "__init__"),
    ("registry", "names", "tables", "cells", "reading", "quantities", "formula_text", "derivation"),
    ("formulas", "models"),
    ("plans",),
)
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
SURFACE = len(LAYERS)


def level_of(name: str) -> int:
    return LEVEL.get(name, SURFACE)


def imports(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports, at its top or anywhere inside."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; this project imports by full name"
            module = node.module or ""
            yield from (f"sizebook.{a.name}" for a in node.names) if module == "sizebook" else (module,)


def violations(path: Path, package: Path = PACKAGE) -> list[str]:
    """Return what a file imports although its layer may not."""
    own = level_of(path.relative_to(package).parts[0].removesuffix(".py"))
    found = []
    for module in imports(path):
        top, _, rest = module.partition(".")
        if top == "sizebook":
            inner = rest.partition(".")[0]
            # `from sizebook import __version__` names an attribute of the package, not a module.
            if level_of(inner if inner != "__version__" else "__init__") > own:
                found.append(f"{path.name} imports {module}: it points up")
        elif own < SURFACE and top not in sys.stdlib_module_names:
            found.append(f"{path.name} imports {module}: it points out")
    return found


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_down(path: Path) -> None:
    assert violations(path) == []


def test_the_walk_finds_what_points_up_or_out(tmp_path: Path) -> None:
    (tmp_path / "formulas").mkdir()
    bad = tmp_path / "formulas" / "bad.py"
    bad.write_text("import numpy\nimport math\nfrom sizebook.plans import sizing\nfrom sizebook import cli, errors\n")
    assert violations(bad, tmp_path) == [
        "bad.py imports numpy: it points out",
        "bad.py imports sizebook.plans: it points up",
        "bad.py imports sizebook.cli: it points up",
    ]
