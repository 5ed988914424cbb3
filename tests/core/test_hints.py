"""Hints of refusals: which known word is meant by one that is none, in every place where people type one."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizebook.core.cells import option_name
from sizebook.core.coercion import coerce
from sizebook.core.errors import SizebookError
from sizebook.core.hints import MOST, _distance, suggestion
from sizebook.core.registry import find
from sizebook.functions import load
from sizebook.models.catalog import resolve
from sizebook.scenarios.kinds import KINDS, plan_of
from sizebook.scenarios.scenario_files import parse
from sizebook.tables.grid import grid_of
from sizebook.tables.hardware import accelerator
from sizebook.tables.prices import check_provider
from tests.commands import run
from tests.csv_files import rows_of
from tests.refused import message_of
from tests.row_lists import listed

load()
MISTAKES = [
    pytest.param(*row.values(), id=f"{row['where']}: {row['typed']}")
    for row in rows_of(Path(__file__).with_name("mistakes.csv"))
]


def choose(argument: str, typed: str) -> object:
    functions = load().values()
    return coerce(next(each for f in functions for each in f.arguments if each.name == argument), typed)


PLACES: dict[str, Callable[[str, str], object]] = {
    "key": lambda plan, typed: parse(KINDS[plan], {typed: 1}, "s.toml"),
    "argument": lambda function, typed: option_name(typed, [each.name for each in load()[function].arguments]),
    "choice": choose,
    "gpu": lambda _, typed: accelerator(typed),
    "model": lambda _, typed: resolve(typed),
    "function": lambda _, typed: find(typed),
    "provider": lambda _, typed: check_provider(typed),
    "plan": lambda _, typed: plan_of({"plan": typed}),
    "grid": lambda _, typed: grid_of(typed),
}


def answered(where: str, typed: str) -> str:
    """What is said about a word: the message of the place that refuses it."""
    place, _, what = where.partition(" ")
    if place == "command":
        return run(typed).output
    return message_of(SizebookError, lambda: PLACES[place](what, typed)).partition("\n")[0]


def test_the_corpus_is_large() -> None:
    assert len(MISTAKES) >= 200


@pytest.mark.parametrize(("where", "typed", "hint"), MISTAKES)
def test_what_people_type_is_answered_with_what_they_mean(where: str, typed: str, hint: str) -> None:
    said = answered(where, typed)
    quoted = [f"'{name}'" for name in hint.split()]
    either = " or ".join(filter(None, (", ".join(quoted[:-1]), *quoted[-1:])))
    given = re.search(r"(?:want|Did you mean) ('(?!sizebook)[^?]*?'(?! l))(?:, or one of|, which|\?|\. )", said)
    assert (given[1] if given else "") == either, said


@pytest.mark.parametrize(("where", "typed", "hint"), MISTAKES)
def test_no_message_lists_more_than_five_names(where: str, typed: str, hint: str) -> None:
    listed = re.split(r"(?:want|Did you mean) ", answered(where, typed))[-1].partition(". ")[0].rstrip("?")
    names = re.split(r", or one of |, | or | and ", re.sub(r",? (?:and|or one of) \d+ others", "", listed))
    assert max(len(hint.split()), 1) <= len(names) <= MOST


@pytest.mark.parametrize(*listed("core", "test_a_long_list_of_keys_is_left_to_the_command_that_prints_it"))
def test_a_long_list_of_keys_is_left_to_the_command_that_prints_it(typed: str, message: str) -> None:
    assert re.sub(r"\d+ others", "N others", answered("key serving", typed)) == message


@pytest.mark.parametrize(*listed("core", "test_one_name_is_meant"))
def test_one_name_is_meant(word: str, known: list[str], meant: str) -> None:
    assert suggestion(word, known) == f" Did you mean '{meant}'?"


WORDS = st.text("ab-1\u00e9", max_size=12)


@given(WORDS, WORDS)
def test_slips_are_counted_as_the_table_of_both_words_counts_them(one: str, other: str) -> None:
    """Damerau's: a row for each letter of one word, a column for each of the other."""
    rows = [[*range(len(other) + 1)]]
    for i, letter in enumerate(one, 1):
        rows.append([i])
        for j, each in enumerate(other, 1):
            costs = [rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (letter != each)]
            if i > 1 and j > 1 and (letter, one[i - 2]) == (other[j - 2], each):
                costs.append(rows[i - 2][j - 2] + 1)
            rows[i].append(min(costs))
    assert _distance(one, other) == rows[-1][-1]
