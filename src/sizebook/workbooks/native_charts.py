"""Native charts of planning workbooks, in the common look: quiet grid, bars from zero, titles that a cell states."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from openpyxl.chart import BarChart, LineChart
from openpyxl.chart.axis import ChartLines
from openpyxl.chart.data_source import AxDataSource, NumDataSource, NumRef, StrRef
from openpyxl.chart.label import DataLabelList
from openpyxl.chart.layout import Layout, ManualLayout
from openpyxl.chart.legend import Legend
from openpyxl.chart.marker import Marker
from openpyxl.chart.series import Series, SeriesLabel
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.chart.text import RichText, Text
from openpyxl.chart.title import Title
from openpyxl.drawing.colors import ColorChoice
from openpyxl.drawing.fill import PatternFillProperties
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.spreadsheet_drawing import AnchorMarker, TwoCellAnchor
from openpyxl.drawing.text import CharacterProperties, Font, Paragraph, ParagraphProperties, RegularTextRun
from openpyxl.worksheet.worksheet import Worksheet

from sizebook.workbooks import styles

Kind = Literal["bars", "columns", "stacked", "lines", "tornado"]
KINDS: dict[Kind, str] = {
    "bars": "Bars",
    "columns": "Columns",
    "stacked": "Stacked columns",
    "lines": "Lines",
    "tornado": "Bars to both sides",
}

_BELOW = 4  # names of series on one line below a chart; more stand beside it


@dataclass(frozen=True)
class ChartReferences:
    """What a chart shows, all as references: a cell with its title, categories, name and values of each series.

    ``limits`` are series that are drawn as lines over columns: what the others are held against. ``hatched`` ones stand
    in the place of the others, each 0 where the other is not: what does not count.
    ``unit`` is of the values, ``across`` what the categories are where they do not say so themselves. A lone series is
    ``labelled`` with its values.
    """

    kind: Kind
    title: str
    categories: str
    series: Sequence[tuple[str, str]]
    limits: Sequence[tuple[str, str]] = ()
    hatched: Sequence[tuple[str, str]] = ()
    unit: str = ""
    number_format: str = styles.WHOLE
    across: str = ""
    labelled: bool = True


def draw_chart(sheet: Worksheet, row: int, last_column: int, n_rows: int, drawn: ChartReferences) -> None:
    """Put a chart on a sheet below a row, from column B to the last, so many rows high."""
    chart: BarChart | LineChart = LineChart() if drawn.kind == "lines" else BarChart()
    if isinstance(chart, BarChart):
        chart.type = "bar" if drawn.kind in ("bars", "tornado") else "col"
        chart.gapWidth = 45
        if drawn.kind == "stacked":
            chart.grouping, chart.overlap = "stacked", 100
        if drawn.kind == "tornado" or drawn.hatched:
            chart.overlap = 100
    # Tied to cells at both corners: column widths differ a little between spreadsheets.
    corners = AnchorMarker(col=1, row=row), AnchorMarker(col=last_column, row=row + n_rows)
    chart.anchor = TwoCellAnchor(  # type: ignore[assignment]  # openpyxl's hints know only a cell's address
        editAs="twoCell", _from=corners[0], to=corners[1]
    )
    chart.title = Title(tx=Text(strRef=StrRef(f=drawn.title)), overlay=False, txPr=_letters(11, styles.INK, bold=True))
    chart.title.layout = Layout(manualLayout=ManualLayout(xMode="edge", yMode="edge", x=0.01, y=0.02))
    for index, (name, values) in enumerate(drawn.series):
        color = styles.ACCENT if len(drawn.series) == 1 else styles.SERIES[index % len(styles.SERIES)]
        chart.series.append(_series(index, name, values, drawn, color))
    for index, (name, values) in enumerate(drawn.hatched, len(drawn.series)):
        chart.series.append(_hatched(_series(index, name, values, drawn, styles.MUTED)))
    _limit(chart, drawn)
    n_named = len(drawn.series) + len(drawn.hatched) + len(drawn.limits)
    where: Literal["r", "b"] = "r" if n_named > _BELOW else "b"
    chart.legend = None if n_named == 1 else Legend(legendPos=where, overlay=False, txPr=_letters(9, styles.INK))
    _quiet_axes(chart, drawn)
    sheet.add_chart(chart)


def _limit(chart: BarChart | LineChart, drawn: ChartReferences) -> None:
    """Draw the limits over the columns, in ink."""
    if not drawn.limits:
        return
    lines = LineChart()
    for index, (name, values) in enumerate(drawn.limits, len(drawn.series) + len(drawn.hatched)):
        lines.series.append(_series(index, name, values, replace(drawn, kind="lines"), styles.INK))
    chart += lines


def _hatched(series: Series) -> Series:
    """Draw a series in stripes with an edge, told from the others in grey print too."""
    colors: Any = styles.MUTED, "FFFFFF"  # openpyxl's hints know no text there
    line, paper = (ColorChoice(srgbClr=each) for each in colors)
    stripes = PatternFillProperties(prst="wdUpDiag", fgClr=line, bgClr=paper)
    series.spPr = GraphicalProperties(pattFill=stripes, ln=LineProperties(solidFill=styles.MUTED, w=9525))
    return series


def _series(index: int, name: str, values: str, drawn: ChartReferences, color: str) -> Series:
    series = Series(
        idx=index,
        order=index,
        tx=SeriesLabel(strRef=StrRef(f=name)),
        cat=AxDataSource(strRef=StrRef(f=drawn.categories)),
        val=NumDataSource(numRef=NumRef(f=values)),
    )
    if drawn.kind == "lines":
        series.spPr = GraphicalProperties(ln=LineProperties(solidFill=color, w=25_400))
        series.smooth = False
        series.marker = Marker(symbol="none")
    else:
        series.spPr = GraphicalProperties(solidFill=color)
        series.spPr.line.noFill = True
        series.invertIfNegative = False
    if drawn.labelled and drawn.kind in ("bars", "columns") and len(drawn.series) == 1:
        shown = f"{drawn.number_format};;" if drawn.hatched else drawn.number_format  # the 0 of the other has no label
        series.dLbls = DataLabelList(showVal=True, numFmt=shown, txPr=_letters(9, styles.INK))
        for part in ("showSerName", "showCatName", "showLegendKey", "showPercent", "showLeaderLines"):
            setattr(series.dLbls, part, False)
    return series


def _quiet_axes(chart: BarChart | LineChart, drawn: ChartReferences) -> None:
    figures: Any = chart.y_axis
    names: Any = chart.x_axis
    for axis in (figures, names):
        axis.delete = False
        axis.txPr = _letters(9, styles.MUTED)
        axis.spPr = GraphicalProperties(ln=LineProperties(solidFill=styles.HAIRLINE, w=9525))
        axis.majorTickMark = "none"
    figures.majorGridlines = ChartLines(GraphicalProperties(ln=LineProperties(solidFill=styles.HAIRLINE, w=6350)))
    figures.number_format = styles.TICKS if drawn.number_format == styles.NUMBER else drawn.number_format
    if drawn.kind != "tornado":
        figures.scaling.min = 0
    for axis, title in ((figures, drawn.unit), (names, drawn.across)):
        if title:
            axis.title = Title(tx=Text(rich=_letters(9, styles.MUTED, title)), overlay=False)
    if drawn.kind in ("bars", "tornado"):
        names.tickLblPos = "low"  # beside bars that go to the left too
        names.tickLblSkip = 1  # every bar keeps its name
        # The first category at the top, as the table beside it reads.
        names.scaling.orientation = "maxMin"
        figures.crosses = "max"


def _letters(size: int, color: str, text: str = "", *, bold: bool = False) -> RichText:
    look_of_text = CharacterProperties(sz=size * 100, b=bold, solidFill=color, latin=Font(typeface=styles.FACE))
    paragraph = Paragraph(pPr=ParagraphProperties(defRPr=look_of_text), endParaRPr=look_of_text)
    if text:
        paragraph.r = [RegularTextRun(rPr=look_of_text, t=text)]
    return RichText(p=[paragraph])
