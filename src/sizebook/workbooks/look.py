"""The common look of planning workbooks: colours, cell styles, number formats. One place, so that all look alike.

Inputs are blue on pale yellow, calculations ink, links green, checks grey until they fail. Arial stands on every
machine (LibreOffice has a face of the same widths) and its figures are all equally wide.
"""

from __future__ import annotations

from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Font, NamedStyle, PatternFill, Protection, Side

INK, MUTED, HAIRLINE, ACCENT, LINK = "1B1F24", "5B6570", "D8DEE4", "0B5FFF", "1A7F37"
PALE_YELLOW, PALE_GREY, FAILED, PAPER = "FFF9DB", "F5F7F9", "B42318", "FFFFFF"
# Okabe and Ito's colours, which people with a colour vision deficiency can tell apart.
SERIES = ("0072B2", "E69F00", "009E73", "D55E00", "CC79A7", "56B4E9")
FACE = "Arial"

WHOLE, DECIMAL, PERCENT, DATE, GENERAL, TEXT = "#,##0", "#,##0.00", "0.0%", "yyyy-mm-dd", "General", "@"

_HAIRLINE = Side(style="thin", color=HAIRLINE)
_RULE = Side(style="thin", color=MUTED)
_RIGHT = Alignment(horizontal="right", vertical="center")
_LEFT = Alignment(horizontal="left", vertical="center", wrap_text=True)
_INDENTED = Alignment(horizontal="left", vertical="center", wrap_text=True, indent=1)
_TILE = Alignment(horizontal="left", vertical="center", indent=1)
_LINE = Border(bottom=_HAIRLINE)


def _font(size: float = 10, color: str = INK, *, bold: bool = False) -> Font:
    return Font(name=FACE, size=size, color=color, bold=bold)


def _fill(color: str) -> PatternFill:
    return PatternFill("solid", start_color=color, end_color=color)


def styles() -> list[NamedStyle]:
    """Return the cell styles of a planning workbook; `Input` and `Optional input` also mark what filling may write."""
    return [
        NamedStyle("Sheet title", font=_font(18, bold=True), alignment=Alignment(vertical="center")),
        NamedStyle("Sheet subtitle", font=_font(10, MUTED), alignment=Alignment(vertical="top", wrap_text=True)),
        NamedStyle("Section", font=_font(11, ACCENT, bold=True), border=Border(bottom=_RULE)),
        NamedStyle("Column head", font=_font(9, MUTED, bold=True), alignment=_LEFT, border=Border(bottom=_RULE)),
        NamedStyle("Figure head", font=_font(9, MUTED, bold=True), alignment=_RIGHT, border=Border(bottom=_RULE)),
        NamedStyle("Unit head", font=_font(9, MUTED, bold=True), alignment=_INDENTED, border=Border(bottom=_RULE)),
        NamedStyle("Label", font=_font(), alignment=_LEFT, border=_LINE),
        NamedStyle("Fact", font=_font(), alignment=Alignment(horizontal="left", vertical="center"), border=_LINE),
        NamedStyle("Statement", font=_font(), alignment=_INDENTED, border=_LINE),
        NamedStyle("Unit", font=_font(9, MUTED), alignment=_INDENTED, border=_LINE),
        NamedStyle("Origin", font=_font(9, MUTED), alignment=_LEFT, border=_LINE),
        NamedStyle("Figure", font=_font(), alignment=_RIGHT, border=_LINE),
        NamedStyle("Linked figure", font=_font(color=LINK), alignment=_RIGHT, border=_LINE),
        NamedStyle("Total label", font=_font(bold=True), alignment=_LEFT, border=Border(top=_RULE, bottom=_RULE)),
        NamedStyle("Total unit", font=_font(9, MUTED), alignment=_INDENTED, border=Border(top=_RULE, bottom=_RULE)),
        NamedStyle("Total", font=_font(bold=True), alignment=_RIGHT, border=Border(top=_RULE, bottom=_RULE)),
        NamedStyle("Tile label", font=_font(9, MUTED), fill=_fill(PALE_GREY), alignment=Alignment(indent=1)),
        NamedStyle("Tile", font=_font(14, bold=True), fill=_fill(PALE_GREY), alignment=_TILE),
        NamedStyle("Tile unit", font=_font(9, MUTED), fill=_fill(PALE_GREY), alignment=Alignment(indent=1)),
        NamedStyle("Check", font=_font(color=MUTED), alignment=_RIGHT, border=_LINE),
        NamedStyle("Paragraph", font=_font(), alignment=Alignment(vertical="top", wrap_text=True)),
        _input("Input", Side(style="thin", color=MUTED), builtin=20),
        _input("Optional input", Side(style="dashed", color=MUTED)),
    ]


def _input(name: str, edge: Side, builtin: int | None = None) -> NamedStyle:
    return NamedStyle(
        name,
        font=_font(color=ACCENT),
        fill=_fill(PALE_YELLOW),
        alignment=Alignment(horizontal="right", vertical="center", indent=1),
        border=Border(left=edge, right=edge, top=edge, bottom=edge),
        protection=Protection(locked=False),
        builtinId=builtin,
    )


def dress(book: Workbook) -> None:
    """Give a new workbook the styles and the face of planning workbooks."""
    # openpyxl has no public way to change the style of cells that have none.
    book._named_styles["Normal"].font = _font()  # type: ignore[attr-defined]
    for style in styles():
        book.add_named_style(style)
