"""Reports of the smallest plans: one GPU, one month, one phase, one request at once; no word stands in the plural."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sizebook.batch.jobs import made
from sizebook.core.texts import text
from sizebook.reports.glossary import TERMS, glossary
from sizebook.reports.view import Report, texts_of
from sizebook.reports.voice import Voice
from sizebook.reports.words import ends, span

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
    return made(SMALL[kind] | {"as_of": "2026-11-22"}, kind, Path.cwd()).report


@pytest.mark.parametrize("kind", SMALL)
def test_one_of_a_thing_is_not_several(kind: str) -> None:
    report = report_of(kind)
    for language, several in SEVERAL.items():
        voice = Voice(language)
        whole = replace(report, sections=(*report.sections, *glossary(report, voice.say)))
        wrong = re.compile(rf"(?<![\w.,/\u2009\u00a0\u2212-])1[ \u00a0](?:{several})\b(?!/)")
        assert [str(each) for each in texts_of(voice.translated(whole)) if wrong.search(str(each))] == []


def test_a_range_of_one_figure_says_so() -> None:
    assert (ends("1", "2"), ends("1", "1")) == ("1 to 2", "1 either way")
    assert Voice("de").say(ends("1", "1")) == "1 in jedem Fall"
    assert (span("2027-01", "2027-03"), span("2027-01", "2027-01")) == ("2027-01 to 2027-03", "2027-01")
    assert report_of("programme").subtitle == "Games; Month 1"


def test_the_shorthand_of_layouts_is_explained() -> None:
    """``TP8`` and ``tp2`` are the words of tables; a term of letters alone did not find them."""
    said = text("TP8 PP4 DP64 CP2 EP8 v5 ZeRO-1 mb1")
    found = {str(term.name) for term in TERMS if term.pattern.search(said)}
    assert found == {"TP", "PP", "DP", "CP", "EP", "v2", "ZeRO", "micro-batch"}
    assert not {str(term.name) for term in TERMS if term.pattern.search("http2 step8")}
