"""What the sizing report says, before it is laid out."""

from datetime import date

import pytest

from sizebook.core.expression import parse
from sizebook.models import catalog
from sizebook.models.architecture import Architecture
from sizebook.plans.sizing.plan import Published, Sizing, size_model
from sizebook.reports.charts.chart_types import Bars
from sizebook.reports.document import Prose, Table
from sizebook.reports.sizing.report import report
from tests.reports.reading import part_on
from tests.row_lists import listed


def _plain(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize(*listed("reports", "test_comparison_with_the_published_count"))
def test_comparison_with_the_published_count(
    published: int | None, verdict: str, tile: list[str] | None, as_of: date, llama: Architecture
) -> None:
    view = report(size_model("M", llama, "bf16", Published(published)), as_of)
    assert _plain(view.summary).endswith(verdict)
    shown = [[_plain(t.value), _plain(t.note)] for t in view.tiles if t.label == "Against published"]
    assert shown == ([] if tile is None else [tile])
    assert _plain(part_on(view, "Published count").message) == verdict.rstrip(".")


def test_rounded_published_count_is_taken_as_rounded(as_of: date, llama: Architecture) -> None:
    view = report(size_model("M", llama, "bf16", Published(8_000_000_000, "paper", 50_000_000)), as_of)
    assert _plain(view.summary).endswith("The count rounds to the published 8.00 B.")
    assert [(t.value, _plain(t.note)) for t in view.tiles][-1] == ("agrees", "rounds to 8.00 B")


def test_missing_published_count_says_how_to_give_one(as_of: date, llama: Architecture) -> None:
    block = part_on(report(size_model("M", llama), as_of), "Published count").blocks[0]
    assert block == Prose(
        "Set published_total and published_source in the scenario to have the count compared with the publisher's."
    )


def test_memory_compares_the_chosen_format_with_the_smallest(sizing: Sizing, as_of: date) -> None:
    section = part_on(report(sizing, as_of), "Memory")
    assert _plain(section.message) == "The weights take 16.1 GB in bf16, 4.02 GB in int4"
    chart, table = section.blocks
    assert isinstance(chart, Bars)
    assert [bar.label for bar in chart.bars if bar.marked] == ["bf16"]
    assert isinstance(table, Table)
    # 8 030 261 248 x 4.5 bits: 4.517 GB, 4.207 GiB, 28.1 % of bf16.
    assert next(row.cells for row in table.rows if row.cells[0] == "nvfp4") == ("nvfp4", "4.50", "4.52", "4.21", "28.1")


def test_memory_of_the_smallest_format_is_compared_with_the_largest(as_of: date, llama: Architecture) -> None:
    view = report(size_model("M", llama, "int4"), as_of)
    assert _plain(part_on(view, "Memory").message) == "The weights take 4.02 GB in int4, 32.1 GB in fp32"


def test_title_of_the_scenario_stands_over_the_model(sizing: Sizing, as_of: date) -> None:
    view = report(sizing, as_of, "Assistant, spring budget")
    assert view.title == "Assistant, spring budget"
    assert (
        _plain(view.subtitle)
        == "Llama-3.1-8B: 32 layers, hidden size 4 096, vocabulary 128 256, context 131 072 tokens"
    )


def test_parts_stand_in_order_of_size(sizing: Sizing, as_of: date) -> None:
    chart = report(sizing, as_of).chart
    assert isinstance(chart, Bars)
    assert chart.axis == "Parameters, billions"
    assert [bar.value for bar in chart.bars] == sorted((bar.value for bar in chart.bars), reverse=True)
    assert _plain(chart.bars[-1].text) == "266 k (<0.01 %)"


def test_every_derivation_in_numbers_gives_the_part() -> None:
    # OpenELM's layers differ from each other; equal ones are still said once.
    sizing = size_model("OpenELM 3B", catalog.architecture("openelm-3b"))
    for part in sizing.parts:
        assert parse(part.derivation.substituted).evaluate({}) == part.parameters
    norms = next(part for part in sizing.parts if part.part == "norm")
    assert len(norms.derivation.substituted) < 100
