"""Tables and legends as wide as the sheet: what is wider would be cut, and nobody would know."""

import re
from dataclasses import replace

import pytest
from weasyprint.formatting_structure.boxes import LineBox, TableCellBox, TextBox

from sizebook.core.units import grouped
from sizebook.reports.charts.chart_types import Columns, Line, Lines, Series
from sizebook.reports.charts.svg import svg
from sizebook.reports.document import Column, Report, Row, Section, Table
from sizebook.reports.pdf import lay_out, pdf_options
from sizebook.reports.render import html
from sizebook.reports.style import Style
from sizebook.sources.bundled import bundled
from tests.reports.test_german import KINDS

TEXT_WIDTH = 174 / 25.4 * 96  # pixels


def tables(section: Section) -> tuple[Table, ...]:
    return tuple(
        replace(each, rows=(*each.rows[:30], each.rows[-1])) for each in section.blocks if isinstance(each, Table)
    )


def pieces(said: str) -> list[str]:
    """Return what a line may end after: words and their parts."""
    return re.findall(r"[^\s/:-]+[/:-]*|[/:-]+", said)


def cells(report: Report, locale: str) -> list[TableCellBox]:
    sections = tuple(replace(each, blocks=tables(each)) for each in report.sections if tables(each))
    page = html(replace(report, sections=sections), Style(locale=locale))
    document = lay_out(page, f"{bundled('templates')}/", pdf_options("x", (), report.as_of))
    return [box for sheet in document.pages for box in sheet._page_box.descendants() if isinstance(box, TableCellBox)]


@pytest.mark.parametrize("kind", ["fleet", "programme-llama-3.1-405b", "reconciliation", "serving-llama-3.1-70b"])
@pytest.mark.parametrize("locale", ["en", "de"])
def test_no_word_is_broken_or_outgrows_its_column_nor_a_table_the_sheet(kind: str, locale: str) -> None:
    left = 18 / 25.4 * 96  # the margin of the sheet
    for cell in cells(KINDS[kind]()[0], locale):
        end = cell.position_x + cell.border_width()
        assert end <= left + TEXT_WIDTH + 0.1
        for line in cell.descendants():
            if isinstance(line, TextBox):
                assert cell.position_x - 0.1 <= line.position_x, line.text
                assert line.position_x + line.width <= end + 0.1, line.text
        words = pieces("".join(cell.element.itertext()))
        for line in cell.descendants():
            if isinstance(line, LineBox):
                said = "".join(each.text for each in line.descendants() if isinstance(each, TextBox))
                assert set(pieces(said)) <= set(words), said


def test_a_table_is_wide_where_its_figures_are() -> None:
    def of(n_columns: int) -> Table:
        figures = tuple(Column(f"Month {at}", "USD", figures=True) for at in range(n_columns))
        row = Row(("Together", *(grouped(1_234_567) for _ in range(n_columns))))
        return Table("Cost", (Column("Term"), *figures), (row,))

    # 79 points for the name and 5.4 x 9 signs + 9.9 for each column: seven fit into 493, eight do not.
    assert [of(n).is_wide for n in (1, 7, 8)] == [False, False, True]


def test_columns_share_the_width_by_what_they_hold() -> None:
    columns = (Column("Item"), Column("Sum", "USD", figures=True), Column("Basis"))
    # In Inter SemiBold an a is 1176/2048 em wide, a b 1278, "Sum, USD" 9917. Ten a of 9 points take 51.7, but a name
    # takes 79 at least; five figures of 0.6 em take 27, but "Sum, USD" of 7.5 points 36.32, and 9.9 stand before them;
    # ten b take 56.16 + 9.9. Together that is 191.28 of 493, so that each gets more in proportion.
    short = Table("Cost", columns, (Row(("a" * 10, "1.000", "b" * 10)),))
    assert short.shares == pytest.approx((79 / 191.28, 46.22 / 191.28, 66.06 / 191.28), rel=1e-3)
    # 100 words have no room in one line: they get what the others leave.
    long = Table("Cost", columns, (Row(("a" * 10, "1.000", " ".join(["word"] * 100))),))
    assert long.shares == pytest.approx((79 / 493, 46.22 / 493, 367.78 / 493), rel=1e-3)


def test_a_legend_that_outgrows_the_chart_is_broken() -> None:
    names = ("Phases", "Ablations and failed runs", "Evaluation", "Preparation of data", "Checkpoints stored", "Egress")
    long = Columns("Cost", "Month", "USD", ("1", "2"), tuple(Series(f"{name} a month", (1.0, 2.0)) for name in names))
    short = replace(long, series=tuple(Series(name[:6], (1.0, 2.0)) for name in names))
    rows = [set(re.findall(r' y="(-[\d.]+)"', svg(each))) for each in (long, short)]
    assert [len(each) for each in rows] == [2, 1]  # above the plot


def test_months_have_no_halves() -> None:
    months = Lines("Power", "Month", "MW", (Line("Peak", ((1, 2.5), (2, 2.5), (3, 1.5))),))
    drawn = set(re.findall(r"<text[^>]*>([^<]*)</text>", svg(months)))
    assert {"1", "2", "3"} <= drawn
    assert "1.5" in drawn  # of the other axis, which has halves
    assert len([each for each in drawn if each == "2.5"]) == 1
    replicas = Lines("Replicas", "Month", "Replicas", (Line("Peak", ((1, 1), (2, 2), (3, 2))),))
    assert not {each for each in re.findall(r"<text[^>]*>([^<]*)</text>", svg(replicas)) if "." in each}
