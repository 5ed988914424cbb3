"""A quantity is declared once: two fields with the same name, unit, bounds and label share one declaration."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import sizebook

SOURCE = Path(sizebook.__file__).parent


def declarations(source: str) -> Iterator[tuple[str, int]]:
    """Yield what declares a quantity, as one line of code, with the line that it stands on.

    That is an ``Annotated``, or a field with its name: ``tail: float = quantity("...")``.
    """
    for node in ast.walk(ast.parse(source)):
        code = ast.unparse(node) if isinstance(node, (ast.Subscript, ast.AnnAssign)) else ""
        if re.match(r"Annotated\[.*Quantity\(|\w+: [^=]+ = quantity\(", code):
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
    fields = "a: int = quantity('x', 'y')\nclass B:\n    a: int = quantity(\n        \"x\", \"y\"\n    )"
    assert [code for code, _ in declarations(fields)] == ["a: int = quantity('x', 'y')"] * 2


def refusals(source: str) -> Iterator[tuple[str, int]]:
    """Yield each message that refuses something, its values as ``{}``, with the line that it stands on."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            said = "".join(str(each.value) if isinstance(each, ast.Constant) else "{}" for each in node.values)
            if ": got " in said and ", want " in said:
                yield said, node.lineno


def test_no_refusal_is_worded_in_two_modules() -> None:
    places = defaultdict(set)
    for path in sorted(SOURCE.rglob("*.py")):
        for said, _ in refusals(path.read_text(encoding="utf-8")):
            places[said].add(str(path.relative_to(SOURCE)))
    assert len(places) > 500
    assert {said: found for said, found in places.items() if len(found) > 1} == {}


def told(source: str) -> Iterator[str]:
    """Yield each whole message that refuses something, with values or without."""
    tree = ast.parse(source)
    parts = {each for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for each in node.values}
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in parts)
    yield from (said for said, _ in refusals(source))
    yield from (said for said in texts if isinstance(said, str) and ": got " in said and ", want " in said)


def without_fix(sources: Iterable[str]) -> list[str]:
    """Return the messages in which nothing follows what is wanted, no sentence and no value that may be one."""
    return [
        said
        for source in sources
        for said in told(source)
        if not re.search(r", want .*(\.(\{\})? |\{\}\.?$)", said, re.S)
    ]


def test_every_refusal_says_what_to_do() -> None:
    assert without_fix(path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))) == []
    lacking = without_fix(
        ["f'x: got {tp}, want {one}, or 2.'", "'x: got 1, want 2. Correct it.'", "'x: got 1, want 2.'"]
    )
    assert lacking == ["x: got {}, want {}, or 2.", "x: got 1, want 2."]


def test_other_values_do_not_hide_a_second_wording() -> None:
    twice = 'a = f"x: got {tp}, want {one}."\nb = f"x: got {int(ep[at])}, " f"want {two:.0f}."'
    assert [said for said, _ in refusals(twice)] == ["x: got {}, want {}."] * 2
