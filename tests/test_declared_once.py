"""A quantity is declared once: two fields with the same name, unit, bounds and label share one declaration."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import sizebook

SOURCE = Path(sizebook.__file__).parent


def declarations(source: str) -> Iterator[tuple[str, int]]:
    """Yield each ``Annotated`` that declares a quantity, as one line of code, with the line that it stands on."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Annotated":
            code = ast.unparse(node)
            if "Quantity(" in code:
                yield code, node.lineno


def test_no_quantity_is_declared_twice() -> None:
    places = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        for code, line in declarations(path.read_text(encoding="utf-8")):
            places[code].append(f"{path.relative_to(SOURCE)}:{line}")
    assert len(places) > 500
    assert {code: found for code, found in places.items() if len(found) > 1} == {}


def test_spelling_does_not_hide_a_second_declaration() -> None:
    twice = "a: Annotated[int, Quantity('x', unit='y')]\nb: Annotated[\n    int,\n    Quantity(\"x\", unit=\"y\"),\n]"
    assert [code for code, _ in declarations(twice)] == ["Annotated[int, Quantity('x', unit='y')]"] * 2
