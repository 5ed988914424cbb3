"""From keys to a section: tables and their keys at the top, and every problem with its key, value and fix."""

from datetime import date
from typing import Annotated, Any

import pytest

from sizebook.core.coercion import coerce
from sizebook.core.errors import InputError, SizebookError, UnknownKeyError
from sizebook.core.reading import keys_of, read
from sizebook.core.registry import registered
from sizebook.core.sections import DEFAULT, TABLE, TABLES, Quantity, ReadSection, section
from sizebook.functions import find
from tests.refused import message_of
from tests.row_lists import listed

Crates = Annotated[int, Quantity("crates in the hold", kind="integer", minimum=1, default=4)]
Burst = Annotated[float, Quantity("bursts over the mean", minimum=1, default=1)]
Captain = Annotated[str, Quantity("who sails the ship", kind="text")]
Weight = Annotated[float, Quantity("weight of the load", unit="tonnes", above=0)]
Port = Annotated[str, Quantity("name of the port", kind="text")]


@section
class Cargo:
    """What is carried."""

    weight: Weight
    crates: Crates = DEFAULT
    burst_factor: Burst = DEFAULT


@section
class Call(ReadSection):
    """One call at a port."""

    port: Port
    crates: Crates = DEFAULT


@section
class Voyage(ReadSection):
    """A ship, its cargo and its calls."""

    captain: Captain
    cargo: Annotated[Cargo, TABLE]
    call: Annotated[tuple[Call, ...], TABLES]


GOOD: dict[str, Any] = {"captain": "Ada", "cargo": {"weight": 2}, "call": [{"port": "Oslo"}]}


def problems(**changes: Any) -> list[str]:
    values = {key: value for key, value in {**GOOD, **changes}.items() if value is not None}
    return message_of(InputError, read, Voyage, values, "v.toml").splitlines()


def test_tables_are_read_and_their_keys_at_the_top_too() -> None:
    under = read(Voyage, GOOD | {"cargo": {"weight": "2B", "crates": 7.0}}, "v.toml")
    above = read(Voyage, {"weight": "2B", "crates": "7", **{k: v for k, v in GOOD.items() if k != "cargo"}}, "v.toml")
    assert under.cargo == above.cargo == Cargo(weight=2 * 10**9, crates=7)
    assert under.call[0].port == "Oslo"


def test_a_section_knows_what_was_stated_and_a_blank_is_not() -> None:
    found = read(Voyage, GOOD | {"cargo": {"weight": 2, "crates": " ", "burst_factor": None}}, "v.toml")
    assert found.stated == {"captain", "weight", "call"}
    assert found.call[0].stated == {"port"}
    assert found.cargo.crates == 4


@pytest.mark.parametrize(*listed("core", "test_every_problem_is_said_with_its_fix"))
def test_every_problem_is_said_with_its_fix(changes: dict[str, Any], said: list[str]) -> None:
    assert problems(**changes) == said


def test_keys_of_a_kind_are_those_of_its_tables_too() -> None:
    assert set(keys_of(Voyage)) == {"captain", "cargo", "call", "weight", "crates", "burst_factor", "port"}


@pytest.mark.parametrize(*listed("core", "test_words_of_other_software_are_refused_with_the_choice_for_them"))
def test_words_of_other_software_are_refused_with_the_choice_for_them(
    function: str, argument: str, word: str, choice: str
) -> None:
    taken = next(each for each in find(function).arguments if each.name == argument)
    assert (
        message_of(UnknownKeyError, coerce, taken, word)
        == f"unknown {argument}: got '{word}', want '{choice}', which stands for it. Correct it."
    )


@pytest.mark.parametrize(*listed("core", "test_per_cent_are_told_to_be_written_as_a_ratio"))
def test_per_cent_are_told_to_be_written_as_a_ratio(argument: str, given: object, said: str) -> None:
    taken = next(each for each in find("TRAINING_LEDGER").arguments if each.name == argument)
    assert message_of(SizebookError, coerce, taken, given) == said


@pytest.mark.parametrize(*listed("core", "test_a_number_with_its_unit_is_told_how_to_be_written"))
def test_a_number_with_its_unit_is_told_how_to_be_written(argument: str, typed: str, fix: str) -> None:
    taken = next(each for each in find("SERVING_LEDGER").arguments if each.name == argument)
    assert message_of(SizebookError, coerce, taken, typed).endswith(f"{taken.quantity.meaning}). {fix}")


def test_other_words_name_choices_and_are_none() -> None:
    """Of every argument: a word stands for one choice that there is, and is no choice itself."""
    for function in registered().values():
        for argument in function.arguments:
            quantity = argument.quantity
            pairs = quantity.also() if callable(quantity.also) else quantity.also
            assert len(quantity.other_words) == len(pairs)
            assert set(quantity.other_words.values()) <= set(quantity.allowed)
            assert not set(quantity.other_words) & set(quantity.allowed)


@pytest.mark.parametrize(
    ("given", "day"),
    [
        (46_388, date(2027, 1, 1)),
        (32_874, date(1990, 1, 1)),
        ("2027-01-01", date(2027, 1, 1)),
        (2027, None),
        (12, None),
    ],
)
def test_a_number_is_a_day_of_a_spreadsheet_and_no_year(given: object, day: date | None) -> None:
    """Excel counts days from 1899-12-30: DATE(2027,1,1) is 46 388. A year alone would be a day of July 1905."""
    start = next(each for each in find("PROGRAMME_LEDGER").arguments if each.name == "start")
    if day is not None:
        assert coerce(start, given) == day
        return
    assert message_of(InputError, coerce, start, given) == (
        f"start is not a day: got {given}, want a day such as 2026-12-31 (day on which the first run starts, in the "
        "first month; blank to number the months). Write it so."
    )
