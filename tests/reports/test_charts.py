"""Charts: zero-based, readable, in the shipped face, and with text that stays text."""

import re
from dataclasses import replace
from html import unescape
from itertools import pairwise

import pytest

from sizebook.reports.charts import theme
from sizebook.reports.charts.chart_types import Bar, Bars, Columns, Limit, Line, Lines, Series, Span, Spans, Stacks
from sizebook.reports.charts.letters import letters
from sizebook.reports.charts.scales import scale, tick_text, whole_steps
from sizebook.reports.charts.svg import svg
from sizebook.reports.charts.theme import HOUSE_LOOK, Face, Look
from sizebook.reports.style import Style
from sizebook.sources.bundled import bundled

INTER = letters(HOUSE_LOOK, 400)
CHART = Bars(
    "Two parts", "Parameters, billions", (Bar("Long & <label>", 1500.0, "1.5 T", True), Bar("Short", 2.0, "2 B"))
)


def test_text_stays_text_in_the_shipped_face() -> None:
    drawn = svg(CHART)
    texts = {said for said, _, _ in _labels(drawn)}
    assert {"Long & <label>", "Short", "1.5 T", "2 B", "Parameters, billions", "1\u202f500"} <= texts
    assert set(re.findall(r'font-family="([^"]*)"', drawn)) == {"Inter"}


def test_bars_start_at_zero_and_the_marked_one_is_accented() -> None:
    quiet, accented = _boxes(svg(CHART), theme.HOUSE.quiet), _boxes(svg(CHART), theme.HOUSE.accent)
    assert [x for x, _ in quiet + accented] == [0, 0]
    # The last tick stands at 1500: the marked bar ends there, the other at 2 / 1500 of that.
    assert accented[0][1] == pytest.approx(_plot(svg(CHART))["width"], abs=0.5)
    assert quiet[0][1] == pytest.approx(accented[0][1] * 2 / 1500, abs=0.01)


def test_stacks_stand_on_each_other() -> None:
    weights, optimizer = (_boxes(svg(STACKS), colour)[1:] for colour in theme.HOUSE.series[:2])
    # The first is the legend's square. The axis ends at 80: 16 and 2 GB, then 48 and 60 on top.
    pixel = _plot(svg(STACKS))["width"] / 80
    assert weights == [pytest.approx((0, 16 * pixel), abs=0.01), pytest.approx((0, 2 * pixel), abs=0.01)]
    assert optimizer == [
        pytest.approx((16 * pixel, 48 * pixel), abs=0.02), pytest.approx((2 * pixel, 60 * pixel), abs=0.02)
    ]  # fmt: skip


def test_nothing_is_drawn_of_a_part_of_zero() -> None:
    series = (Series("Weights", (16.0,)), Series("None", (0.0,)), Series("Rest", (4.0,)))
    drawn = svg(replace(STACKS, categories=("GPU",), totals=("20 GB",), series=series, limit=None))
    assert [len(_boxes(drawn, colour)) for colour in theme.HOUSE.series[:3]] == [2, 1, 2]  # and the legend's squares


@pytest.mark.parametrize(
    ("values", "ends", "ticks"),
    [
        ((0, 1500), (0, 1600), [0, 500, 1000, 1500]),
        ((0, 127), (0, 130), [0, 20, 40, 60, 80, 100, 120]),
        ((0.976, 1.597), (0.95, 1.6), [1, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6]),
        ((-5, 12), (-6, 12), [-5, 0, 5, 10]),
        ((0, 0.0012), (0, 0.0012), [0, 0.0002, 0.0004, 0.0006, 0.0008, 0.001, 0.0012]),
        ((0, 0), (0, 1), [0, 0.2, 0.4, 0.6, 0.8, 1]),
    ],
)
def test_an_axis_ends_at_whole_steps(
    values: tuple[float, float], ends: tuple[float, float], ticks: list[float]
) -> None:
    """Steps are 1, 2 or 5 times a power of ten, as d3 has them: about ten for the ends, about five for ticks."""
    axis = scale(values, 100)
    assert (axis.low, axis.high) == ends
    assert axis.ticks() == ticks
    assert (axis(ends[0]), axis(ends[1])) == (0, 100)


def test_logarithms_stand_as_far_apart_as_their_ratios() -> None:
    axis = scale((1, 256), 80, is_round=False, is_log=True)
    assert [axis(2**power) for power in range(9)] == pytest.approx([10 * power for power in range(9)])


def test_numbers_beside_an_axis_have_the_signs_of_their_locale() -> None:
    assert [tick_text(value, (".", "\u202f")) for value in (0, 0.5, -1500, 1e6)] == [
        "0", "0.5", "\u22121\u202f500", "1\u202f000\u202f000"
    ]  # fmt: skip
    assert tick_text(1234.25, (",", ".")) == "1.234,25"
    assert "2,5" in {said for said, _, _ in _labels(svg(SPANS, Style(locale="de").look))}


def test_few_whole_numbers_have_a_tick_each() -> None:
    assert [whole_steps(values) for values in ([1, 2, 3], [0, 0], [1.5, 2], [1, 9])] == [3, 1, 5, 5]
    assert whole_steps([1, 2, 3], first=1) == 2


def test_labels_that_would_run_into_each_other_are_left_out() -> None:
    """62 and 64 stand 5 pixels apart: the second goes, and no other."""
    every = (1, 2, 4, 8, 16, 32, 62, 64, 128, 256)
    drawn = svg(Lines("One", "Requests", "ms", (Line("TPOT", tuple((x, 1.5) for x in every)),), log_x=True))
    [below] = [y for said, _, y in _labels(drawn) if said == "256"]
    assert [said for said, _, y in _labels(drawn) if y == below] == [str(x) for x in every if x != 64]


@pytest.mark.parametrize("label", ["WAVE TO AVOCADO", "illicit filling", "Requests a day, \u221220% to +20%", "x"])
@pytest.mark.parametrize("figure", ["1.5 T", "525\u202f336\u202f576 (<0.01\u00a0%)"])
def test_labels_have_the_room_that_they_take(label: str, figure: str) -> None:
    chart = Bars("One", "Parameters", (Bar(label, 3.0, figure, True),))
    plot, places = _plot(svg(chart)), {said: x for said, x, _ in _labels(svg(chart))}
    assert plot["whole"] == theme.WIDTH
    assert plot["left"] + places[label] == pytest.approx(4, abs=1)  # pixels to the edge
    assert places[label] + INTER.width(label) == pytest.approx(-6, abs=0.01)  # pixels to the plot
    assert places[figure] == pytest.approx(plot["width"] + 6, abs=0.01)
    assert plot["left"] + places[figure] + INTER.width(figure) == pytest.approx(theme.WIDTH - 4, abs=1)


def test_widths_are_those_of_the_font() -> None:
    """Of 2048 units an em, Inter's M takes 1850 and its i 496 (table hmtx of the file): 10 pixels an em."""
    assert INTER.width("Mi") == pytest.approx(10 * (1850 + 496) / 2048)


def test_signs_of_another_face_end_where_they_should() -> None:
    """Nobody knows how wide they are before they are drawn."""
    drawn = svg(Bars("One", "Parameters", (Bar("\u4e2d\u6587", 3.0, "1 M", True),)))
    assert '<text x="-6" y="19" text-anchor="end" fill="#1B1F24">\u4e2d\u6587</text>' in drawn


def test_labels_of_a_brand_are_as_wide_as_its_face() -> None:
    file = bundled("templates") / "fonts" / "JetBrainsMono-Regular.ttf"
    look = Look(replace(theme.HOUSE, text_face="JetBrains Mono"), faces=(Face("JetBrains Mono", 400, file),))
    assert 'font-family="JetBrains Mono"' in svg(CHART, look)
    assert letters(look, 400).width("ilil") == letters(look, 400).width("MWMW") == 24  # 0.6 em a letter
    assert _plot(svg(CHART, look))["whole"] == theme.WIDTH


def _labels(drawn: str) -> list[tuple[str, float, float]]:
    """Return the labels of a chart with the places where they begin."""
    found = re.findall(r'<text[^>]* x="([-\d.]+)" y="([-\d.]+)"[^>]*>([^<]*)</text>', drawn)
    return [(unescape(said), float(x), float(y)) for x, y, said in found]


def _boxes(drawn: str, colour: str) -> list[tuple[float, float]]:
    """Return where the boxes of a colour begin and how wide they are."""
    paths = re.findall(rf'<path d="([^"]*)" fill="{colour}"', drawn)
    found = re.findall(r"M([-\d.]+),[-\d.]+h([\d.]+)v", "".join(paths))
    return [(float(x), float(width)) for x, width in found]


def _plot(drawn: str) -> dict[str, float]:
    """Return the width of a chart, of what stands left of its plot, and of that: as far apart as its grid's ends."""
    whole, left = (
        float(re.search(pattern, drawn)[1])  # type: ignore[index]
        for pattern in (r'<svg[^>]* width="([\d.]+)"', r"translate\(([\d.]+),")
    )
    grid = re.search(r'<path d="([^"]*)" fill="none" stroke="#D8DEE4"', drawn)[1]  # type: ignore[index]
    places = [float(x) for x in re.findall(r"M([-\d.]+),0v", grid)]
    return {"whole": whole, "left": left, "width": places[-1] - places[0]}


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
    drawn = {said for said, _, _ in _labels(svg(chart))}
    assert texts <= drawn
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
    drawn = svg(chart, for_browsers=True)
    labels = re.findall(
        r'<text([^>]*) textLength="([^"]*)" lengthAdjust="spacingAndGlyphs"[^>]*>([^<]+)<',
        drawn,
    )
    assert len(labels) == drawn.count("<text") > 3
    assert re.findall(r'font-family="([^"]*)"', drawn) == ["Inter, Helvetica, Arial, sans-serif"]
    assert [float(width) for _, width, _ in labels] == pytest.approx(
        [letters(HOUSE_LOOK, 600 if "weight" in given else 400).width(unescape(said)) for given, _, said in labels],
        abs=0.06,
    )


def test_a_label_without_room_is_cut() -> None:
    long = "The longest name that anybody has given to a service of a fleet"
    [said] = [said for said, x, _ in _labels(svg(Bars("One", "USD", (Bar(long, 3.0, "$3"),)))) if x < -100]
    assert said == "The longest name that anybody has given to a servic\u2026"
    assert 250 < INTER.width(said) <= 260


def test_the_label_of_a_limit_on_the_left_stands_right_of_it() -> None:
    drawn = svg(Spans("One", "USD", (Span("MFU", 2, 5, "$5 to $2"),), Limit(2, "The base of the plan is $2")))
    [place] = [x for said, x, _ in _labels(drawn) if said == "The base of the plan is $2"]
    assert place == 4


def test_line_names_that_would_overlap_are_moved_apart() -> None:
    heights = {said: y for said, _, y in _labels(svg(LINES)) if said in ("H100", "H200")}
    # 19 ms of 30 on a plot of 171 pixels, the name 3 below the middle of its letters; the other 13 above it.
    assert heights == pytest.approx({"H200": 171 * (1 - 19 / 30) + 3, "H100": 171 * (1 - 19 / 30) + 3 - 13}, abs=0.01)
