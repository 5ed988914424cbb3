"""The common look of planning workbooks: colours, cell styles, number formats. One place, so that all look alike.

Inputs are blue on pale yellow, calculations ink, links green, checks grey until they fail. Arial stands on every
machine (LibreOffice has a face of the same widths) and its figures are all equally wide.
"""

from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Font, NamedStyle, PatternFill, Protection, Side
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

INK, MUTED, HAIRLINE, ACCENT, LINK = "1B1F24", "5B6570", "D8DEE4", "0B5FFF", "1A7F37"
PALE_YELLOW, PALE_GREY, FAILED = "FFF9DB", "F5F7F9", "B42318"
# Okabe and Ito's colours, which people with a colour vision deficiency can tell apart.
SERIES = ("0072B2", "E69F00", "009E73", "D55E00", "CC79A7", "56B4E9")
FACE = "Arial"

WHOLE, DECIMAL, PERCENT, GENERAL, TEXT = "#,##0", "#,##0.00", "0.0%", "General", "@"
SIGNED = "+0.00##;-0.00##;0"  # what is added: sections with conditions drop the sign in LibreOffice
DATE, MONTH = "yyyy-mm-dd", "yyyy-mm"
# For figures of any size: a small one shows its digits, and only 0 shows as 0.
NUMBER, RATE = "[>=100]#,##0;[=0]0;0.00##", "[>=10]#,##0.0;[>=1]0.00;0.00##"
TICKS = "[>=1000]#,##0;General"  # of an axis of such figures: 50 beside 100, where NUMBER has 50.00
GIGA = "[>=0.1]#,##0.00;0.00####"  # bytes by the billion, of a small model too
UNSEEN = ";;;"  # of marks

_HAIRLINE = Side(style="thin", color=HAIRLINE)
_RULE = Side(style="thin", color=MUTED)
_RIGHT = Alignment(horizontal="right", vertical="center")
_WRAPPED = Alignment(horizontal="right", vertical="bottom", wrap_text=True)
_LEFT = Alignment(horizontal="left", vertical="center", wrap_text=True)
_INDENTED = Alignment(horizontal="left", vertical="center", wrap_text=True, indent=1)
_TILE = Alignment(horizontal="left", vertical="center", indent=1, shrink_to_fit=True)
_TILE_TEXT = Alignment(horizontal="left", vertical="center", indent=1, wrap_text=True)
_LINE = Border(bottom=_HAIRLINE)


def font(size: float = 10, color: str = INK, *, bold: bool = False) -> Font:
    """Return the face of every workbook in a size and a colour."""
    return Font(name=FACE, size=size, color=color, bold=bold)


def _fill(color: str) -> PatternFill:
    return PatternFill("solid", start_color=color, end_color=color)


def cell_styles() -> list[NamedStyle]:
    """Return the cell styles of a planning workbook; `Input` and `Optional input` also mark what filling may write."""
    return [
        NamedStyle("Sheet title", font=font(18, bold=True), alignment=Alignment(vertical="center")),
        NamedStyle("Sheet subtitle", font=font(10, MUTED), alignment=Alignment(vertical="top", wrap_text=True)),
        NamedStyle("Banner", font=font(10, FAILED, bold=True), alignment=Alignment(vertical="center", wrap_text=True)),
        NamedStyle("Section", font=font(11, ACCENT, bold=True), border=Border(bottom=_RULE)),
        NamedStyle("Column head", font=font(9, MUTED, bold=True), alignment=_LEFT, border=Border(bottom=_RULE)),
        NamedStyle("Figure head", font=font(9, MUTED, bold=True), alignment=_RIGHT, border=Border(bottom=_RULE)),
        NamedStyle("Wrapped head", font=font(9, MUTED, bold=True), alignment=_WRAPPED, border=Border(bottom=_RULE)),
        NamedStyle("Unit head", font=font(9, MUTED, bold=True), alignment=_INDENTED, border=Border(bottom=_RULE)),
        NamedStyle("Label", font=font(), alignment=_LEFT, border=_LINE),
        NamedStyle("Fact", font=font(), alignment=Alignment(horizontal="left", vertical="center"), border=_LINE),
        NamedStyle("Statement", font=font(), alignment=_INDENTED, border=_LINE),
        NamedStyle("Unit", font=font(9, MUTED), alignment=_INDENTED, border=_LINE),
        NamedStyle("Origin", font=font(9, MUTED), alignment=_LEFT, border=_LINE),
        NamedStyle("Staged unit", font=font(8, MUTED), alignment=_RIGHT),
        NamedStyle("Figure", font=font(), alignment=_RIGHT, border=_LINE),
        NamedStyle("Linked figure", font=font(color=LINK), alignment=_RIGHT, border=_LINE),
        NamedStyle("Total label", font=font(bold=True), alignment=_LEFT, border=Border(top=_RULE, bottom=_RULE)),
        NamedStyle("Total unit", font=font(9, MUTED), alignment=_INDENTED, border=Border(top=_RULE, bottom=_RULE)),
        NamedStyle("Total", font=font(bold=True), alignment=_RIGHT, border=Border(top=_RULE, bottom=_RULE)),
        NamedStyle("Tile label", font=font(9, MUTED), fill=_fill(PALE_GREY), alignment=_TILE_TEXT),
        NamedStyle("Tile", font=font(14, bold=True), fill=_fill(PALE_GREY), alignment=_TILE),
        NamedStyle("Tile unit", font=font(9, MUTED), fill=_fill(PALE_GREY), alignment=_TILE_TEXT),
        NamedStyle("Check", font=font(color=MUTED), alignment=_RIGHT, border=_LINE),
        NamedStyle("Paragraph", font=font(), alignment=Alignment(vertical="top", wrap_text=True)),
        _input("Input", Side(style="thin", color=MUTED), builtin=20),
        _input("Optional input", Side(style="dashed", color=MUTED)),
    ]


def _input(name: str, edge: Side, builtin: int | None = None) -> NamedStyle:
    return NamedStyle(
        name,
        font=font(color=ACCENT),
        fill=_fill(PALE_YELLOW),
        alignment=Alignment(horizontal="right", vertical="center", indent=1),
        border=Border(left=edge, right=edge, top=edge, bottom=edge),
        protection=Protection(locked=False),
        builtinId=builtin,
    )


def apply_styles(book: Workbook) -> None:
    """Give a new workbook the styles and the face of planning workbooks."""
    # openpyxl has no public way to change the style of cells that have none.
    book._named_styles["Normal"].font = font()  # type: ignore[attr-defined]
    for style in cell_styles():
        book.add_named_style(style)


def set_up_list_sheet(sheet: Worksheet, heading_row: int) -> None:
    """Set a sheet that is one long list: headings stay in view and on every printed page."""
    sheet.sheet_view.showGridLines = False
    sheet.freeze_panes = f"B{heading_row + 1}"
    sheet.print_title_rows = f"{heading_row}:{heading_row}"
    sheet.page_setup.orientation, sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = "landscape", 1, 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
