"""Charts: zero-based, readable, in the shipped face, and with text that stays text."""

import re
from dataclasses import replace
from html import unescape
from itertools import pairwise

import pytest
import vl_convert

from sizebook.reports.charts import theme
from sizebook.reports.charts.chart_types import Bar, Bars, Columns, Limit, Line, Lines, Series, Span, Spans, Stacks
from sizebook.reports.charts.svg import for_browsers, specification, svg
from sizebook.reports.charts.text_widths import text_width

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


@pytest.mark.parametrize("label", ["WAVE TO AVOCADO", "illicit filling", "Requests a day, \u221220% to +20%", "x"])
@pytest.mark.parametrize("figure", ["1.5 T", "525\u202f336\u202f576 (<0.01\u00a0%)"])
def test_the_room_of_labels_is_what_the_renderer_measures(label: str, figure: str) -> None:
    """Bars are laid out in a room worked out from the widths of letters; the renderer's own room is no larger."""
    chart = Bars("One", "Parameters", (Bar(label, 3.0, figure, True),))
    by_renderer = vl_convert.vegalite_to_svg(specification(chart))
    drawn = svg(chart)
    plot, measured = _plot(drawn), _plot(by_renderer)
    assert plot["width"] == measured["width"]
    assert measured["left"] <= plot["left"] <= measured["left"] + 3
    right = {key: found["whole"] - found["left"] - found["width"] for key, found in (("d", plot), ("m", measured))}
    assert right["m"] <= right["d"] <= right["m"] + 3
    assert plot["whole"] == theme.WIDTH


def test_signs_of_another_face_are_measured_by_the_renderer() -> None:
    chart = Bars("One", "Parameters", (Bar("\u4e2d\u6587", 3.0, "1 M", True),))
    assert _plot(svg(chart)) == _plot(vl_convert.vegalite_to_svg(specification(chart)))


def test_a_face_of_a_brand_is_measured_by_the_renderer() -> None:
    look = replace(theme.HOUSE, text_face="DejaVu Sans")
    assert 'font-family="DejaVu Sans"' in svg(CHART, look)
    assert _plot(svg(CHART, look))["whole"] != theme.WIDTH  # DejaVu is wider than Inter, and its chart grows


def _plot(drawn: str) -> dict[str, float]:
    """Return the width of a chart, of its plot and of what stands left of that."""
    whole, left, width = (
        float(re.search(pattern, drawn)[1])  # type: ignore[index]
        for pattern in (
            r'<svg[^>]* width="([\d.]+)"',
            r"translate\(([\d.]+),",
            r'class="background"[^>]*d="M0,0h([\d.]+)v',
        )
    )
    return {"whole": whole, "left": left, "width": width}


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


@pytest.mark.parametrize("chart", [CHART, STACKS, COLUMNS, LINES, SPANS], ids=lambda chart: type(chart).__name__)
def test_where_nobody_has_the_face_labels_keep_their_width(chart: Bars | Stacks | Columns | Lines | Spans) -> None:
    labels = re.findall(
        r'<text[^>]* font-family="([^"]*)"[^>]* textLength="([^"]*)" lengthAdjust="spacingAndGlyphs">([^<]+)<',
        for_browsers(svg(chart)),
    )
    assert len(labels) == len(re.findall(r"<text[^>]*>[^<]", svg(chart))) > 3
    assert {faces for faces, _, _ in labels} == {"Inter, Helvetica, Arial, sans-serif"}
    assert [float(width) for _, width, _ in labels] == pytest.approx(
        [text_width(unescape(said)) for *_, said in labels], abs=0.06
    )


def test_the_longest_label_ends_before_the_left_edge() -> None:
    """A label ends 6 pixels before the plot, and is cut where it is wider than what stands left of that."""
    drawn = for_browsers(svg(Bars("One", "USD", (Bar("growth_per_month", 3.0, "$3", True), Bar("gpu", 1.0, "$1")))))
    width = float(re.search(r'textLength="([\d.]+)"[^>]*>growth_per_month<', drawn)[1])  # type: ignore[index]
    assert 80 < width <= _plot(drawn)["left"] - 6


def test_line_names_that_would_overlap_are_moved_apart() -> None:
    drawn = specification(LINES)
    layer = next(one for one in drawn["layer"] if one["mark"].get("dx") == 6)
    heights = [row["y"] for row in layer["data"]["values"]]
    assert heights[0] == 19
    assert heights[1] - heights[0] > 1
