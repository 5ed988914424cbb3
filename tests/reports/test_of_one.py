"""Reports of the smallest plans: one GPU, one month, one phase, one request at once; no word stands in the plural."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sizebook.batch.plan_kinds import plan_scenario
from sizebook.core.texts import range_text, span, text
from sizebook.reports.document import Report, texts_of
from sizebook.reports.glossary import TERMS, glossary
from sizebook.reports.phrases import months_cost
from sizebook.reports.translation import Translator
from tests.reports.test_translation import TOOL

SMALL: dict[str, dict[str, Any]] = {
    "sizing": {"model": "gpt-2-small"},
    "training": {"plan": "training", "model": "gpt-2-small", "gpu": "h100-sxm", "gpus": 1, "tokens": 1e6, "seq": 1024,
                 "batch": 1, "dp": 1},
    "serving": {"plan": "serving", "model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 1,
                "input_tokens": 1, "output_tokens": 1, "months": 1, "concurrency": 1, "spare": 0},
    "fleet": {"plan": "fleet", "months": 1, "gpu_ceiling": 1, "kw_ceiling": 1, "rack_ceiling": 1, "service": [
        {"name": name, "model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 1000, "input_tokens": 1000,
         "output_tokens": 100, "concurrency": 1, "start_month": month} for name, month in (("S", 1), ("T", 2))]},
    "programme": {"plan": "programme", "phases": [
        {"name": "Games", "kind": "reinforcement", "model": "gpt-2-small", "gpu": "h100-sxm", "gpus": 1, "tokens": 1e6,
         "seq": 1024, "batch": 1, "rollout_input_tokens": 100, "rollout_output_tokens": 100}]},
}  # fmt: skip
SEVERAL = {
    "en": "GPUs|GPU-hours|months|days|requests|tokens|replicas|nodes|racks|phases|services|scenarios|sequences|layers",
    "de": "GPUs|GPU-Stunden|Monate|Monaten|Tage|Tagen|Anfragen|Replikate|Replikaten|Racks|Phasen|Dienste|"
          "Diensten|Szenarien|Sequenzen|Schichten|laufenden",
}  # fmt: skip


def report_of(kind: str) -> Report:
    return plan_scenario(SMALL[kind] | {"as_of": "2026-11-22"}, kind, Path.cwd()).report


@pytest.mark.parametrize("kind", SMALL)
def test_one_of_a_thing_is_not_several(kind: str) -> None:
    report = report_of(kind)
    for language, several in SEVERAL.items():
        translator = Translator(language)
        whole = replace(report, sections=(*report.sections, *glossary(report, translator.translate_text)))
        wrong = re.compile(rf"(?<![\w.,/\u2009\u00a0\u2212-])1[ \u00a0](?:{several})\b(?!/)")
        assert [str(each) for each in texts_of(translator.translate(whole)) if wrong.search(str(each))] == []


def test_a_range_of_one_figure_says_so() -> None:
    assert (range_text("1", "2"), range_text("1", "1")) == ("1 to 2", "1 at both ends of the range")
    assert Translator("de").translate_text(range_text("1", "1")) == "1 an beiden Enden der Spanne"
    assert (span("2027-01", "2027-03"), span("2027-01", "2027-01")) == ("2027-01 to 2027-03", "2027-01")
    assert report_of("programme").subtitle == "Games; Month 1"


def test_every_range_is_said_by_what_knows_ends_that_are_one() -> None:
    """A pattern with two ends of its own says "2 to 2" where both round to 2."""
    patterns = {each for id in TOOL["messages"]() for each in ([id] if isinstance(id, str) else id)}
    own_ends = re.compile(r"\{\w+\} to \{\w+\}(?! a month| GPUs in)|between \{\w+\} and \{")
    assert {each for each in patterns if own_ends.search(each)} == {
        "{low} to {high}",
        "Columns of {parts} by {axis}, {first} to {last}. {title}.",
        "From {first} to {last}",  # names of scenarios
        "From {one} to {other}",  # names of plans
        # The title of a chart that stands only where what it names changes.
        "From {first} to {last} GPUs in the busiest hour, {name} from {few} to {many}",
        "From {most} in {dtype} to {least} in {other}",  # of formats, the widest and the narrowest
        "data/training_programmes.csv: {n} published programmes, {low} to {high} (10th to 90th percentile)",
        # The prices of at least three providers, to the cent.
        "median of {n} providers, {low} to {high} USD from the 10th to the 90th percentile",
    }


@pytest.mark.parametrize("kind", SMALL)
def test_no_range_has_one_end_twice(kind: str) -> None:
    texts = [str(each) for each in texts_of(report_of(kind))]
    assert [each for each in texts if re.search(r"(?<![\w.,])(\$?\d[\w.,\u2009\u00a0]*) to \1(?![\w.,])", each)] == []


def test_months_that_cost_the_same_have_one_price() -> None:
    assert months_cost(12, "$12 k", "$1 k", last="$1 k") == "12 months cost $12 k, $1 k each"
    assert months_cost(1, "$1 k", "$1 k", last="$1 k") == "1 month costs $1 k"
    assert months_cost(12, "$18 k", "$1 k", last="$2 k") == "12 months cost $18 k, from $1 k to $2 k a month"


def test_the_shorthand_of_layouts_is_explained() -> None:
    """``TP8`` and ``tp2`` are the words of tables; a term of letters alone did not find them."""
    said = text("TP8 PP4 DP64 CP2 EP8 v5 ZeRO-1 mb1")
    found = {str(term.name) for term in TERMS if term.pattern.search(said)}
    assert found == {"TP", "PP", "DP", "CP", "EP", "v2", "ZeRO", "micro-batch"}
    assert not {str(term.name) for term in TERMS if term.pattern.search("http2 step8")}
