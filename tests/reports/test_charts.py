"""Charts: zero-based, readable, in the shipped face, and with text that stays text."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from sizebook.reports.charts import theme
from sizebook.reports.charts.draw import specification, svg
from sizebook.reports.charts.kinds import Bar, Bars, Columns, Limit, Line, Lines, Series, Span, Spans, Stacks

CHART = Bars(
    "Two parts", "Parameters, billions", (Bar("Long & <label>", 1500.0, "1.5 T", True), Bar("Short", 2.0, "2 B"))
)


def test_text_stays_text_in_the_shipped_face() -> None:
    drawn = svg(CHART)
    texts = [re.sub(r"\s+", " ", text) for text in re.findall(r"<text[^>]*>([^<]*)</text>", drawn)]
    assert {"Long &amp; &lt;label&gt;", "Short", "1.5 T", "2 B", "Parameters, billions", "1 500"} <= set(texts)
    assert set(re.findall(r'font-family="([^"]*)"', drawn)) == {"Inter"}


def test_bars_start_at_zero_and_the_marked_one_is_accented() -> None:
    drawn = specification(CHART)
    encoding = drawn["layer"][0]["layer"][0]["encoding"]
    assert encoding["x"].get("scale", {}).get("zero", True)
    assert encoding["color"]["condition"] == {"test": "datum.marked", "value": theme.HOUSE.accent}


def test_chart_fits_the_column() -> None:
    width = float(re.search(r'<svg[^>]* width="([\d.]+)"', svg(CHART))[1])  # type: ignore[index]
    assert width == pytest.approx(theme.WIDTH, abs=1)


def test_contrast_of_white_on_black_is_21() -> None:
    assert theme.contrast("#FFFFFF", "#000000") == pytest.approx(21)


@pytest.mark.parametrize("colour", [theme.HOUSE.ink, theme.HOUSE.muted, theme.HOUSE.accent, theme.HOUSE.failed])
def test_text_colours_reach_the_contrast_of_small_print(colour: str) -> None:
    assert theme.contrast(colour, "#FFFFFF") >= 4.5


def test_text_in_every_series_colour_can_be_read() -> None:
    assert all(theme.contrast(theme.text_on(fill), fill) >= 4.5 for fill in theme.HOUSE.series)


def test_neighbours_in_a_stack_differ_in_grey_print() -> None:
    assert all(theme.contrast(one, other) >= 1.5 for one, other in pairwise(theme.HOUSE.series))


def test_alternative_text_tells_every_bar() -> None:
    assert CHART.alt == "Bar chart. Two parts. Long & <label>: 1.5 T; Short: 2 B."


STACKS = Stacks(
    "Optimizer states fill half",
    "Memory, GB",
    ("First stage", "Last stage"),
    (Series("Weights", (16.0, 2.0), ("16.0", "2.0")), Series("Optimizer", (48.0, 60.0), ("48.0", "60.0"))),
    ("64.0 GB", "62.0 GB"),
    Limit(79.2, "79.2 GB usable"),
)
COLUMNS = Columns("Peak at noon", "Hour", "Replicas", ("11", "12"), (Series("Replicas", (3.0, 4.0)),))
LINES = Lines(
    "Both stay under target",
    "Requests in flight",
    "TPOT, ms",
    (Line("H100", ((1, 10), (64, 20)), ((1, 9, 11), (64, 18, 22))), Line("H200", ((1, 8), (64, 19)))),
    Limit(30, "Target 30 ms"),
    ((64, 20, "Plan"),),
    log_x=True,
)
SPANS = Spans("MFU matters most", "USD", (Span("MFU", 2, 5, "$5 to $2"),), Limit(3, "Base $3"))


@pytest.mark.parametrize(
    ("chart", "texts"),
    [
        # 16.0 is wide enough for its figure, 2.0 is not.
        (STACKS, {"First stage", "64.0 GB", "Weights", "Optimizer", "79.2 GB usable", "16.0", "48.0", "60.0"}),
        (COLUMNS, {"11", "12", "Hour", "Replicas"}),
        (LINES, {"H100", "H200", "Target 30 ms", "Plan", "1", "64"}),
        (SPANS, {"MFU", "$5 to $2", "Base $3"}),
    ],
    ids=["stacks", "columns", "lines", "spans"],
)
def test_every_chart_names_its_parts(chart: Stacks | Columns | Lines | Spans, texts: set[str]) -> None:
    drawn = re.findall(r"<text[^>]*>([^<]*)</text>", svg(chart))
    assert texts <= set(drawn)
    assert "2.0" not in drawn


def test_alternative_texts_tell_what_is_seen() -> None:
    assert STACKS.alt == (
        "Stacked bars of Weights, Optimizer. Optimizer states fill half. First stage: 64.0 GB; Last stage: 62.0 GB. "
        "79.2 GB usable."
    )
    assert COLUMNS.alt == "Columns of Replicas by Hour, 11 to 12. Peak at noon."
    assert LINES.alt == "Lines of H100, H200 over Requests in flight. Both stay under target. Target 30 ms. Plan."
    assert SPANS.alt == "Chart of ranges. MFU matters most. MFU: $5 to $2. Base $3."


def test_line_names_that_would_overlap_are_moved_apart() -> None:
    drawn = specification(LINES)
    layer = next(one for one in drawn["layer"] if one["mark"].get("dx") == 6)
    heights = [row["y"] for row in layer["data"]["values"]]
    assert heights[0] == 19
    assert heights[1] - heights[0] > 1
