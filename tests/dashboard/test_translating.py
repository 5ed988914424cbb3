"""Python as JavaScript: what is printed, and what is refused when the page is built; a browser judges the values."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import pytest

from sizebook.core.errors import InputError, RangeError
from sizebook.dashboard import estimates
from sizebook.dashboard.translating.script import Script
from sizebook.functions import load
from tests.refused import message_of

HALVES = {("a", 1): 0.5}


@dataclass(frozen=True)
class Box:
    """A class to translate."""

    width: float
    depth: float = 2.0

    @property
    def area(self) -> float:
        return self.width * self.depth


class Pair(NamedTuple):
    """A named tuple to translate."""

    one: float
    other: float


def of_box(width: float, *, deep: bool = False) -> float:
    """Return an area."""
    box = replace(Box(width), depth=3.0 if deep else 1.0)
    if box.area <= 0:
        raise RangeError(f"no area: got {box.area:.1f}, want more. Widen it.")
    return box.area // 2 + HALVES["a", 1]


def summed(limit: int) -> float:
    total = 0.0
    for n in range(limit):
        if n % 2 == 0 or n > 7:
            total += n**2
    return total + sum(pair.one for pair in [Pair(1.0, 2.0)] if pair.other)


def tried(model: str) -> float:
    try:
        return shape_of(model)
    except InputError:
        return 0.0


def looked_up(model: str) -> float:
    return shape_of(model) * 2


def shape_of(model: str) -> float:
    if model != "known":
        raise InputError(f"unknown model: got {model}, want known. Correct it.")
    return 21.0


def printed(python: Callable[..., Any], **tables: Any) -> tuple[str, Script]:
    program = Script(**tables) if tables else Script({})
    program.function(python)
    return program.source(), program


def test_a_function_is_printed_with_its_classes_and_data() -> None:
    source, program = printed(of_box)
    assert "class Box {" in source and 'static fields = ["width", "depth"];' in source.replace("'", '"')
    assert "get area() { const self = this; return (() => {\n  return (self.width * self.depth);\n})(); }" in source
    assert source.endswith(
        "function of_box(width, deep = false) {\n"
        "  let box;\n"
        '  box = replaced(made(Box, [["width", width]]), [["depth", (truth(deep) ? 3.0 : 1.0)]]);\n'
        "  if ((box.area <= 0)) {\n"
        '    throw refused(("no area: got " + formatted(box.area, ".1f") + ", want more. Widen it."));\n'
        "  }\n"
        '  return plus(whole(box.area, 2), item(held("HALVES"), ["a", 1]));\n'
        "}"
    )
    assert program.data == {"HALVES": {"kind": "dict", "of": [[["a", 1], 0.5]]}}


def test_loops_and_comprehensions_are_printed() -> None:
    source, _ = printed(summed)
    assert "for (n of py_list(py_range(limit))) {" in source
    assert "if ((equal(modulo(n, 2), 0) || n > 7)) {".replace("equal(modulo(n, 2), 0)", "(equal(modulo(n, 2), 0))") in (
        source.replace("(n > 7)", "n > 7")
    )
    assert "flatMap((pair) => truth(pair.other) ? [pair.one] : [])" in source


def test_a_refusal_is_caught_and_nothing_else() -> None:
    source, _ = printed(tried, tables={shape_of: ("known",)})
    caught = ["catch (problem) {", "  if (!(problem instanceof Refused)) throw problem;", "  return 0.0;", "}"]
    assert "\n  ".join(["  try {", "  return shape_of(model);", "}", *caught]) in source


def test_a_table_stands_for_a_function_and_keeps_its_refusals() -> None:
    source, program = printed(looked_up, tables={shape_of: ("known", "other")})
    assert 'function shape_of(key) { return tabulated("shape_of", key); }' in source
    assert program.data["shape_of"] == {
        "known": 21,
        "other": {"kind": "refused", "of": ["unknown model: got other, want known. Correct it."]},
    }


def with_a_file(path: str) -> str:
    with open(path, encoding="utf-8") as lines:  # noqa: PTH123
        return lines.read()


def misspelt(box: Box) -> float:
    return box.widht  # type: ignore[attr-defined,no-any-return]


def of_any_number(*numbers: float) -> float:
    return max(numbers)


def shortened(text: str) -> str:
    return text.swapcase()


class Fresh(NamedTuple):
    """Its field is a word of JavaScript, which reading it would spell otherwise."""

    new: float


def freshly(width: float) -> Fresh:
    return Fresh(width)


def taken_apart(pair: Pair) -> float:
    one, other = pair
    return one + other


def as_a_share(ratio: float) -> str:
    return f"{ratio:.0%} of all"


@pytest.mark.parametrize(
    ("python", "what", "got"),
    [
        (as_a_share, "this format of a number", ""),
        (taken_apart, "a record that is unpacked: read its fields by name", "one, other = pair"),
        (freshly, "fields that are words of JavaScript (new)", "Fresh(width)"),
        (with_a_file, "the statement 'With'", "with open(path, encoding='utf-8') as lines:"),
        (of_any_number, "arguments of any number", "def of_any_number(*numbers: float) -> float:"),
    ],
)
def test_what_has_no_translation_is_refused_with_its_place(python: Callable[..., Any], what: str, got: str) -> None:
    with pytest.raises(InputError) as refused:
        printed(python)
    assert str(refused.value).startswith(f"no JavaScript for {what}: got '{got}")
    lines, first = inspect.getsourcelines(python)
    places = [f"in {__name__}.{python.__name__}, line {first + n}" for n in range(len(lines))]
    assert any(place in str(refused.value) for place in places)


@pytest.mark.parametrize(("python", "name"), [(misspelt, "widht"), (shortened, "swapcase")])
def test_an_attribute_that_no_class_has_is_refused(python: Callable[..., Any], name: str) -> None:
    program = Script({}, classes=(Box,))
    program.function(python)
    assert message_of(InputError, program.source) == (
        f"no JavaScript for an attribute: got {name}, want fields and methods of translated classes. Teach "
        "sizebook.dashboard.translating, or write it in another way."
    )


def test_every_serving_estimate_of_a_formulas_time_is_on_the_page() -> None:
    names = {function.name for function in estimates.page_estimates()}
    assert {"TTFT_SECONDS", "TPOT_SECONDS", "TOKENS_PER_SECOND", "MAX_CONCURRENCY", "SERVING_ERROR"} <= names
    source, data = estimates.translate_estimates(["llama-3.1-8b", "t5-small"])
    for name in names:
        assert f'"{name}": {{ value: (' in source
    banded = [name for name in names if getattr(load()[name].python, "band", None)]
    assert len(banded) == 4 and source.count("band: (") == 4
    assert set(data["shape_of"]) == {"llama-3.1-8b", "t5-small"}
