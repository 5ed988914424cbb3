"""Reports print words, not the keys that files and tables know things by: no report kind shows one outside a source."""

import re
from dataclasses import replace

import pytest

from sizebook.core.tables import table
from sizebook.reports.document import texts_of
from sizebook.reports.glossary import glossary
from sizebook.reports.translation import Translator
from tests.reports.test_german import KINDS, cited

_SOURCE = re.compile(r"(?:data|docs|calibration)/[\w/.]+(?:, (?!data/)[a-z0-9][\w.+-]*)*")
_SNAKE = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")
# Formats by the names that everybody knows them by, tensors by those of a checkpoint, and the field's own signs.
_NAMES = {row["dtype"] for row in table("dtypes")} | {
    "lm_head", "d_model", "d_head", "d_qk", "d_v", "n_layers", "n_heads", "n_params", "get_nparams_and_flops",
    "mla_up_proj", "moe_act", "tie_word_embeddings",
}  # fmt: skip
_TENSOR = re.compile(r"\b\w+\.\w+_proj\b")


def keys() -> set[str]:
    """Keys of accelerators and models that are not themselves how people write the name."""
    rows = (*table("hardware"), *table("models"))
    return {row["key"] for row in rows if "-" in row["key"] and row["key"] != row["name"]}


def identifiers(said: str) -> set[str]:
    """Return the keys in a text that stand where a word belongs."""
    for source in cited():
        said = said.replace(source, "")
    said = _TENSOR.sub("", _SOURCE.sub("", said))
    words = set(re.findall(r"[\w.-]*\w", said))
    return (set(_SNAKE.findall(said)) - _NAMES) | (words & keys())


@pytest.mark.parametrize("kind", KINDS)
def test_no_key_stands_where_a_word_belongs(kind: str) -> None:
    report, _ = KINDS[kind]()
    whole = replace(report, sections=(*report.sections, *glossary(report, Translator("en").translate_text)))
    assert {(found, each) for each in texts_of(whole) for found in identifiers(each)} == set()


def test_the_test_knows_a_key_when_it_sees_it() -> None:
    """Each of these stood in the reports of 0.10.0."""
    for said, found in (
        ("taken as on demand, since no reserved_1y price is listed", "reserved_1y"),
        ("Memory of one h200-sxm: weights take 24.2 %", "h200-sxm"),
        ("llama-3.1-405b, H100 SXM5 80 GB", "llama-3.1-405b"),
        ("data/prices.csv: on_demand, median of aws", "on_demand"),
    ):
        assert identifiers(said) == {found}
    assert identifiers("data/hardware.csv, h200-sxm; weights in q4_k_m, self_attn.q_proj") == set()


# The tables whose day a reader asks for, as a footer names them.
DATED = {
    "hardware": "hardware", "prices": "prices", "grid": "grids", "models": "catalog", "dtypes": "number formats",
    "calibration_serving": "calibration", "calibration_training": "calibration",
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_the_footer_dates_the_tables_that_the_report_cites(kind: str) -> None:
    """Until 0.12.0 serving and fleet reports cited prices and grids, and dated hardware and calibration alone."""
    report, _ = KINDS[kind]()
    cited_tables = {name for each in texts_of(report) for name in re.findall(r"data/(\w+)\.csv", each)} & set(DATED)
    expected = {f"{DATED[name]} of {max(row['retrieved'] for row in table(name))}" for name in cited_tables}
    assert expected - set(report.data_dates.split(", ")) == set()
