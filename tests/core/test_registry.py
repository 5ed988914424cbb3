"""Every function of the registry is complete, names survive VBA, and examples come out."""

import re
from pathlib import Path
from typing import Any

import pytest

import sizebook
from sizebook.core.cells import call
from sizebook.core.registry import Function
from sizebook.core.wizard import argument_help
from sizebook.functions import MODULES, load

# VBA reserves these words, and a name that looks like a cell (KV8) is read as one.
_WORDS = (
    "as and boolean by byref byte byval call caller case close const currency date declare dim do double each else "
    "end enum erase error event exit false for friend function get global go if imp implements in input integer is "
    "let lib like local lock long loop lset me mod new next not nothing null object on open option optional or "
    "print private property public put redim rem resume return select set single static step stop string sub then "
    "time to true type until variant wend while width with write xor "
)
RESERVED = frozenset(_WORDS.split())
LOOKS_LIKE_CELL = re.compile(r"[A-Za-z]{1,3}[0-9]{1,7}|[Rr][0-9]*[Cc][0-9]*")
LONGEST_SUMMARY = 255  # of a text that Excel's function wizard shows

FUNCTIONS = sorted(load().values(), key=lambda f: f.name)
every_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.name)


def example_cells(function: Function) -> list[Any]:
    arguments, _ = function.example
    return [arguments.get(a.name) for a in function.arguments]


def approximately(expected: Any) -> Any:
    """Return what equals a result but for the last digits of its numbers; ranges are lists of rows."""
    if isinstance(expected, list):
        return [approximately(each) for each in expected]
    return pytest.approx(expected, rel=1e-9) if isinstance(expected, float) else expected


@every_function
def test_names_survive_vba_and_do_not_look_like_cells(function: Function) -> None:
    for name in (function.name, *(a.name for a in function.arguments)):
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name)
        assert name.lower() not in RESERVED
        assert not LOOKS_LIKE_CELL.fullmatch(name)


@every_function
def test_entries_are_complete(function: Function) -> None:
    assert function.category and function.source and function.summary
    assert len(function.summary) <= LONGEST_SUMMARY
    assert all(a.quantity.meaning for a in function.arguments)
    assert set(function.example[0]) <= {a.name for a in function.arguments}


@every_function
def test_the_example_comes_out(function: Function) -> None:
    assert call(function.name, *example_cells(function)) == approximately(function.example[1])


def test_every_module_with_functions_is_loaded() -> None:
    source = Path(sizebook.__file__).parent
    decorated = {
        path.relative_to(source).with_suffix("").as_posix().replace("/", ".")
        for layer in ("core", "tables", "models", "formulas", "serving", "training", "plans", "functions")
        for path in (source / layer).rglob("*.py")
        if re.search(r"^@function\(", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert decorated == set(MODULES)


def test_help_of_an_accelerator_names_the_h100_before_any_older_one() -> None:
    helps = [argument_help(each) for function in load().values() for each in function.arguments]
    with_gpus = [text for text in helps if "one of " in text and "-sxm" in text]
    assert len(with_gpus) > 20
    assert [text for text in with_gpus if "h100-sxm" not in text.partition("v100")[0]] == []


def test_ranges_in_examples_are_rows_as_cells_hand_them_over() -> None:
    given = [(name, each) for name, f in load().items() for each in f.example[0].values() if isinstance(each, list)]
    assert [name for name, each in given if not all(isinstance(row, list) for row in each)] == []
