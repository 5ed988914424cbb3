"""Every kind of report in German: each message is in the catalogue, and no English is left outside the messages.

English is told by words that messages have and no translation has, two in one text. What stays: the words of whoever
wrote the scenario, citations of the tables' sources, names, keys and files.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sizebook.batch.plan_kinds import plan_scenario
from sizebook.batch.record import data_hashes
from sizebook.core.figure_label import FigureLabel
from sizebook.core.tables import table
from sizebook.core.texts import Country, Joined, Text, text
from sizebook.models.reconciliation import reconcile
from sizebook.reports.comparison.ranking import rank_scenarios
from sizebook.reports.comparison.report import report as comparison
from sizebook.reports.document import Report, texts_of
from sizebook.reports.glossary import glossary
from sizebook.reports.reconciliation.report import report as reconciliation
from sizebook.reports.translation import Translator, catalogue
from sizebook.scenarios.scenario_files import read_toml

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = (
    "llama-3.1-8b", "fine-tuning-llama-3.1-70b", "training-llama-3.1-70b", "programme-llama-3.1-405b",
    "serving-llama-3.1-70b", "serving-pools-deepseek-r1",
)  # fmt: skip
AS_OF = date(2026, 11, 22)
COST, TIME = FigureLabel("Cost", "USD"), FigureLabel("Time per output token", "seconds")
_WORD = re.compile(r"(?<![\w./-])[a-zäöüß]{2,}(?![\w./-])")
_WORDS = re.compile(r"\b[A-Z]?[a-z]{2,}\b")  # MWh and kgCO₂e are the same everywhere


def of_scenario(path: Path) -> tuple[Report, set[str]]:
    values = read_toml(path)
    return plan_scenario(values, path.name, path.parent).report, set(strings(values))


KINDS: dict[str, Callable[[], tuple[Report, set[str]]]] = {
    **{name: lambda name=name: of_scenario(ROOT / "reports" / f"{name}.toml") for name in SAMPLES},  # type: ignore[misc]
    "fleet": lambda: of_scenario(ROOT / "workbooks" / "scenarios" / "six-services.toml"),
    "reconciliation": lambda: (reconciliation(reconcile(), AS_OF), set()),
    "comparison": lambda: (
        comparison(rank_scenarios({"x1": {COST: 1.0, TIME: 3.0}, "x2": {COST: 2.0, TIME: 2.0}}), AS_OF),
        set(),
    ),
}


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for each in value.values() if isinstance(value, dict) else value:
            yield from strings(each)


def patterns(value: object) -> Iterator[str]:
    """The messages that a text is put together from."""
    if isinstance(value, Text):
        if not isinstance(value, Joined):
            yield value.pattern
        for each in value.values.values():
            yield from patterns(each)


@cache
def english() -> frozenset[str]:
    """Words that stand in messages and in no translation."""
    found: dict[str, set[str]] = {"id": set(), "string": set()}
    for message in catalogue("de"):
        for side, words in found.items() if message.id else ():
            said = getattr(message, side)
            for each in (said,) if isinstance(said, str) else said:
                words.update(_WORD.findall(re.sub(r"\{\w+\}", " ", each)))
    return frozenset(found["id"] - found["string"])


@cache
def cited() -> tuple[str, ...]:
    """Sources of every table of data and names of accelerators, longest first: one may stand in another."""
    found = {row.get("source", "") for name in data_hashes() for row in table(name)}
    found |= {row["name"] for row in table("hardware")}
    return tuple(sorted(found - {""}, key=len, reverse=True))


def is_english(said: str) -> bool:
    for source in cited():
        said = said.replace(source, "")
    return len(set(_WORD.findall(said)) & english()) > 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_german_report_speaks_german(kind: str) -> None:
    report, own = KINDS[kind]()
    translator = Translator("de")
    whole = replace(report, sections=(*report.sections, *glossary(report, translator.translate_text)))
    said = {pattern for each in texts_of(whole) for pattern in patterns(each) if _WORDS.search(pattern)}
    assert {pattern for pattern in said if catalogue("de").get(pattern) is None} == set()
    left = {each for each in texts_of(translator.translate(whole)) if each not in own and is_english(each)}
    assert left == set()


def test_the_test_knows_english_when_it_sees_it() -> None:
    assert is_english("a price that nobody put into a message") and not is_english("Preis je GPU-Stunde, Median")
    assert is_english(Translator("de").translate_text(f"{text('Cost')} of the whole run"))


def test_texts_that_are_added_are_still_said_each_by_itself() -> None:
    for whole in (text("Cost") + ", " + text("Energy"), "" + text("Cost") + (", " + text("Energy"))):
        assert (whole, Translator("de").translate_text(whole)) == ("Cost, Energy", "Kosten, Energie")


def test_countries_are_named_by_the_locale() -> None:
    basis = text("data/grid.csv: {grid}, {year}, {basis}", grid=Country("Germany", "DE"), year="2024", basis="x")
    assert str(basis) == "data/grid.csv: Germany, 2024, x"
    assert Translator("de").translate_text(basis) == "data/grid.csv: Deutschland, 2024, x"
