"""Reports in a reader's language: catalogues are whole, figures and days by the locale, nothing but words changes."""

import re
import runpy
from dataclasses import replace
from datetime import date
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.pofile import read_po

from sizebook.core.derivation import Step
from sizebook.core.errors import InputError
from sizebook.core.texts import Day, Figure, joined, plural, text
from sizebook.core.units import duration, gibibytes, gigabytes, grouped, in_unit, parameters, percent, usd
from sizebook.plans.serving.plan import plan_serving
from sizebook.reports.document import texts_of
from sizebook.reports.glossary import glossary
from sizebook.reports.number_columns import fixed
from sizebook.reports.phrases import gpus, months
from sizebook.reports.serving.report import report as serving_report
from sizebook.reports.translation import CATALOGUES, Translator, languages
from tests.plans.asking import serving_inputs
from tests.refused import message_of
from tests.reports.test_serving_report import INPUTS

NBSP = "\u00a0"
ROOT = Path(__file__).resolve().parents[2]
TOOL = runpy.run_path(str(ROOT / "release" / "messages.py"))


def fields(pattern: str) -> list[str]:
    return sorted(name for _, name, _, _ in Formatter().parse(pattern) if name is not None)


@pytest.mark.parametrize("language", [each for each in languages() if each != "en"])
def test_a_catalogue_says_every_message_of_today(language: str) -> None:
    """All messages of sources, templates and declarations, none fuzzy, and with the same values put into them."""
    made = TOOL["catalogue"](language)
    stored = read_po((CATALOGUES / f"{language}.po").open("rb"), locale=language)
    assert {each.id for each in made} == {each.id for each in stored}
    for each in stored:
        if not each.id:
            continue
        assert not each.fuzzy, each.id
        ids = [each.id] if isinstance(each.id, str) else each.id
        strings = [each.string] if isinstance(each.string, str) else each.string
        for english, said in zip(ids, strings, strict=True):
            assert said.strip(), english
            assert fields(said) == fields(english), english
            assert (said[:1].isspace(), said[-1:].isspace()) == (english[:1].isspace(), english[-1:].isspace()), english


@pytest.mark.parametrize(
    ("value", "house", "german", "american", "swiss"),
    [
        (grouped(1234567), "1\u202f234\u202f567", "1.234.567", "1,234,567", "1’234’567"),
        (fixed(-1234.5, 1), "−1\u202f234.5", "−1.234,5", "−1,234.5", "−1’234.5"),
        (usd(1_240_000), f"$1.24{NBSP}M", f"1,24{NBSP}Mio.{NBSP}$", f"$1.24{NBSP}M", f"${NBSP}1.24{NBSP}Mio."),
        (Figure("$2.49"), "$2.49", f"2,49{NBSP}$", "$2.49", f"${NBSP}2.49"),
        (parameters(70_553_706_496), f"70.6{NBSP}B", f"70,6{NBSP}Mrd.", f"70.6{NBSP}B", f"70.6{NBSP}Mrd."),
        (gigabytes(512), f"512{NBSP}B", f"512{NBSP}B", f"512{NBSP}B", f"512{NBSP}B"),
        (gibibytes(2**31), f"2.00{NBSP}GiB", f"2,00{NBSP}GiB", f"2.00{NBSP}GiB", f"2.00{NBSP}GiB"),
        (duration(90_000), f"1.04{NBSP}days", f"1,04{NBSP}Tage", f"1.04{NBSP}days", f"1.04{NBSP}Tage"),
        (percent(0.5), f"50.0{NBSP}%", f"50,0{NBSP}%", f"50.0{NBSP}%", f"50.0{NBSP}%"),
        (fixed(0.001, 2), "<0.01", "<0,01", "<0.01", "<0.01"),
        (Day("2026-11-22"), "2026-11-22", "22.11.2026", "Nov 22, 2026", "22.11.2026"),
        (Day("2027-01"), "2027-01", "01/2027", "01/2027", "01/2027"),
        (gpus(1), "1 GPU", "1 GPU", "1 GPU", "1 GPU"),
        (months(1200), "1\u202f200 months", "1.200 Monate", "1,200 months", "1’200 Monate"),
        ("h100-sxm: 1.5", "h100-sxm: 1.5", "h100-sxm: 1.5", "h100-sxm: 1.5", "h100-sxm: 1.5"),
    ],
)  # fmt: skip
def test_figures_days_and_words_by_locale(value: str, house: str, german: str, american: str, swiss: str) -> None:
    said = {locale: Translator(locale).translate_text(value) for locale in ("en", "de", "en_US", "de_CH")}
    assert said == {"en": house, "de": german, "en_US": american, "de_CH": swiss}
    assert str(value) == house


def test_texts_within_texts_are_said_in_turn() -> None:
    cost = text("{low} to {high}", low=usd(1000), high=usd(2500))
    assert Translator("de").translate_text(cost) == f"1,00{NBSP}Tsd.{NBSP}$ bis 2,50{NBSP}Tsd.{NBSP}$"
    assert Translator("de").translate_text(joined((cost, "", text("Total")), "; ")).endswith("$; Summe")
    assert (
        Translator("de").translate_text(plural(1, "{n} phase", "{n} phases")) == "1 phase"
    )  # no message of the catalogue


def test_words_of_nobody_stay() -> None:
    """A service that is called Cost keeps its name: plain strings are not looked up."""
    assert Translator("de").translate_text("Cost") == "Cost"
    assert Translator("de").translate_text(text("Cost")) == "Kosten"


def test_numbers_of_a_formula_are_the_locales() -> None:
    step = Step("x", "f(a, b) * 1000", "f(0.15, 2) * 12345.5 / h100-8 / 1\u202f000", 1.5, "USD", "a source of 3.5")
    said = Translator("de").translate(step)
    assert (said.formula, said.substituted) == ("f(a; b) * 1.000", "f(0,15; 2) * 12.345,5 / h100-8 / 1.000")
    assert Translator("en").translate(step) == step


@pytest.mark.parametrize("locale", ["fr", "xx", "de_XX_YY", ""])
def test_an_unknown_locale_is_refused(locale: str) -> None:
    assert message_of(InputError, Translator, locale) == (
        f"unknown locale: got '{locale}', want one of en, de, such as de_AT or en_US. Correct it."
    )


def test_dates_that_no_reader_takes_for_another() -> None:
    day = date(2026, 11, 22)
    assert [Translator(each).day(day) for each in ("en", "de", "en_US")] == [
        "22 November 2026",
        "22.11.2026",
        "Nov 22, 2026",
    ]


def test_a_german_serving_report_has_no_english_word_left() -> None:
    """Choices, counts of one and glossary too; what is equal in both languages is names, files, formats and units."""
    plan = plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**INPUTS))
    shown = serving_report(plan, date(2026, 11, 21))
    translator = Translator("de")
    said = translator.translate(replace(shown, sections=(*shown.sections, *glossary(shown, translator.translate_text))))
    texts = list(texts_of(said))
    assert [
        each for each in texts if re.search(r"\b(the|and|of|with|are|is|for|from|to|or|not|at|by|on)\b", each)
    ] == []
    for word, german in (
        ("office", "Büro"),
        ("visited", "besuchte"),
        ("replica", "Replikat"),
        ("GPU-hour", "GPU-Stunde"),
    ):
        assert word not in texts and german in texts
    assert any(each.endswith("2023, standortbasiert") for each in texts)
    terms = [row.cells[0] for row in said.sections[-1].blocks[0].rows]
    assert terms == sorted(terms, key=str.casefold) and terms.index("GPU-Stunde") < terms.index("standortbasiert")


def test_a_bridge_names_every_key_in_german() -> None:
    """A budget bridge calls a key by its label, also one that a function composes."""
    said = {label: Translator("de").translate_text(text(label)) for label in ("Storage a month", "Support", "Tax")}
    assert said == {"Storage a month": "Speicherung im Monat", "Support": "Support", "Tax": "Steuer"}


def test_units_after_one_are_singular() -> None:
    shown = {number: [in_unit(number, unit) for unit in ("replicas", "GPUs", "tokens/s")] for number in (1, 2)}
    assert shown == {1: ["1 replica", "1 GPU", "1 tokens/s"], 2: ["2 replicas", "2 GPUs", "2 tokens/s"]}
    assert [Translator("de").translate_text(in_unit(number, "replicas")) for number in (1, 25)] == [
        "1 Replikat",
        "25 Replikate",
    ]


def test_every_counted_unit_that_is_declared_has_its_singular() -> None:
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "src" / "sizebook").rglob("*.py"))
    declared = {unit for source in sources for unit in re.findall(r'\bunit"?[=:] ?"([A-Za-z-]{2,}s)"', source)}
    assert len(declared) > 15
    assert {unit for unit in declared if in_unit(1, unit) == f"1 {unit}"} == set()
