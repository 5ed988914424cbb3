"""Each supported function gives for each class of argument what the release before gave; see `class_answers`."""

from tests.calculation.class_answers import ANSWERS, answers, calls, supported
from tests.csv_files import rows_of


def test_every_answer_is_that_of_the_release_before() -> None:
    wanted = rows_of(ANSWERS)
    found = answers()
    changed = [
        f"{was['call']}, argument {was['argument']}, {column}: was {was[column]}, is {now[column]}"
        for was, now in zip(wanted, found, strict=True)
        for column in was
        if was[column] != now.get(column, "")
    ]
    assert changed == []


def test_every_supported_function_has_a_call() -> None:
    assert sorted(call.partition("(")[0] for call in calls()) == sorted({*supported()} - {"LAMBDA"})
