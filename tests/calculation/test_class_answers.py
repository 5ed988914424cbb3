"""Each supported function gives for each class of argument what the release before gave; see `class_answers`."""

import csv

from tests.calculation.class_answers import ANSWERS, answers, calls, supported


def test_every_answer_is_that_of_the_release_before() -> None:
    with ANSWERS.open(encoding="utf-8", newline="") as lines:
        wanted = list(csv.DictReader(lines))
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
