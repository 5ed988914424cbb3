"""Charts: zero-based, readable, in the shipped face, and with text that stays text."""

from __future__ import annotations

import re

import pytest

from sizebook.reports.charts import theme
from sizebook.reports.charts.draw import specification, svg
from sizebook.reports.charts.kinds import Bar, Bars

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
    scale = drawn["layer"][0]["encoding"]["x"].get("scale", {})
    assert scale.get("zero", True)
    assert drawn["layer"][0]["encoding"]["color"]["condition"] == [{"test": "datum.marked", "value": theme.ACCENT}]


def test_chart_fits_the_column() -> None:
    width = float(re.search(r'<svg[^>]* width="([\d.]+)"', svg(CHART))[1])  # type: ignore[index]
    assert width == pytest.approx(theme.WIDTH, abs=1)


def test_contrast_of_white_on_black_is_21() -> None:
    assert theme.contrast("#FFFFFF", "#000000") == pytest.approx(21)


@pytest.mark.parametrize("colour", [theme.INK, theme.MUTED, theme.ACCENT])
def test_text_colours_reach_the_contrast_of_small_print(colour: str) -> None:
    assert theme.contrast(colour, "#FFFFFF") >= 4.5


def test_text_in_every_series_colour_can_be_read() -> None:
    assert all(theme.contrast(theme.text_on(fill), fill) >= 4.5 for fill in theme.SERIES)


def test_alternative_text_tells_every_bar() -> None:
    assert CHART.alt == "Bar chart. Two parts. Long & <label>: 1.5 T; Short: 2 B."
