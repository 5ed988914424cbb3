"""Draws charts as SVG in which text stays text, and as pictures of pixels for what cannot show one."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from sizebook.reports.charts import horizontal, vertical
from sizebook.reports.charts.chart_types import Bars, Chart, Columns, Lines, Spans, Stacks
from sizebook.reports.charts.drawing import Drawing
from sizebook.reports.charts.theme import HOUSE_LOOK, Look
from sizebook.sources.bundled import bundled

_KINDS: dict[type, Callable[[Drawing, Any], str]] = {
    Bars: horizontal.bars,
    Spans: horizontal.spans,
    Stacks: horizontal.stacks,
    Columns: vertical.columns,
    Lines: vertical.lines,
}
_PIXELS = 2.0


# A report above eight pages may be filled twice, and a first page may show a chart of a section.
@lru_cache(maxsize=64)
def svg(chart: Chart, look: Look = HOUSE_LOOK, *, for_browsers: bool = False) -> str:
    """Return a chart as SVG ; one for browsers may stand where nobody has its face."""
    return _KINDS[type(chart)](Drawing(look, portable=for_browsers), chart)


def png(chart: Chart, look: Look = HOUSE_LOOK) -> bytes:
    """Return a chart as a picture of pixels; see `svg`."""
    import vl_convert

    for folder in (bundled("templates") / "fonts", *((look.fonts,) if look.fonts else ())):
        vl_convert.register_font_directory(str(folder))
    return png_of(svg(chart, look))


def png_of(drawn: str) -> bytes:
    """Return an SVG as a picture of pixels, two for one of its own."""
    import vl_convert  # a tenth of a gigabyte

    return bytes(vl_convert.svg_to_png(drawn, scale=_PIXELS))
