"""The sheets that every planning workbook has: cover, checks, notes."""

from collections.abc import Callable, Sequence
from textwrap import wrap

from sizebook.core.sections import Argument
from sizebook.core.tables import table
from sizebook.functions import find
from sizebook.workbooks.addin_calls import NEEDS_ADDIN
from sizebook.workbooks.book import Book
from sizebook.workbooks.canvas import FAILED, PASSED
from sizebook.workbooks.declared_inputs import declare
from sizebook.workbooks.line_sheet import LineSheet, new_sheet
from sizebook.workbooks.print_layout import height_of
from sizebook.workbooks.references import quoted
from sizebook.workbooks.sheet_order import arrange, shown_groups
from sizebook.workbooks.text_formulas import day_text

_LEGEND = (
    ("Input", "1 234", "An input that must be set. A scenario file sets it by its name."),
    ("Optional input", "1 234", "An input that may stay as it is."),
    ("Figure", "1 234", "Calculated on its sheet by a live formula."),
    ("Linked figure", "1 234", "Brought from another sheet by a live formula."),
    ("Check", PASSED, f"A check that holds; one that fails shows {FAILED} in red."),
)
_ADD_IN = (
    "Functions such as PARAMS_MODEL come from the sizebook add-in: xlwings in Excel, its own in LibreOffice. "
    "'sizebook fill' computes this workbook without either. Where the add-in is missing the stored figures stay, and a "
    "line at the top of the cover says what they do not follow."
)
_STANDARD = (
    f"Before a figure leaves the house every check shows {PASSED}, or '{NEEDS_ADDIN}' where the add-in is missing and "
    "nothing was changed that only it can follow."
)
# A line of a paragraph across a page holds about so many letters.
_NOTES_WIDTHS, _LETTERS_A_LINE = (30, 50, 16, 62), 165


def cover_sheet(book: Book, purpose: str, *chosen: Argument) -> Callable[[], None]:
    """Add the cover with what is ``chosen`` on it.

    What it returns writes the contents and the state of the checks once all sheets stand.
    """
    page = new_sheet(book, "Cover", purpose, widths=(32, 20, 12, 40), portrait=True)
    page.banner()
    if chosen:
        page.section("Chosen here")
    for argument in chosen:
        declare(page, argument)

    def finish() -> None:
        book.addin_calls.finish()
        arrange(book.workbook)
        page.section("The answer")
        for label, value, number_format, under in book.headlines:
            cell = page.fact(label, value, number_format, style="Figure")
            page.sheet.cell(cell.row, 4, under).style = "Unit"
            page.sheet.merge_cells(start_row=cell.row, end_row=cell.row, start_column=4, end_column=5)
        page.section("This copy")
        page.fact("Title", "={title}")
        page.fact("Date", f'=IF({{as_of}}="","not stated",{day_text("{as_of}")})')
        page.mark_failure(page.fact("Checks", "={all_checks}").coordinate)
        page.section("Sheets")
        for group, sheets in shown_groups(book.workbook):
            cell = page.fact(group, ", ".join(sheet.title for sheet in sheets))
            page.sheet.cell(cell.row, 2).hyperlink = f"#{quoted(sheets[0].title)}!A1"
        page.finish()

    return finish


def checks_sheet(book: Book, checks: Sequence[tuple[str, ...]]) -> None:
    """Add the sheet of checks: for each a label, a formula that is TRUE when all is well, and what it compares.

    A fourth part is the condition under which it cannot be made, for it needs a function that is missing.
    """
    page = new_sheet(book, "Checks", _STANDARD)
    page.heads("Check", origin="What is compared")
    page.section("Checks")
    for number, (label, formula, origin, *unless) in enumerate(checks, 1):
        page.check(f"check_{number}", label, formula, origin, unless=unless[0] if unless else "")
    last = f"check_{len(checks)}"
    page.section("All together")
    every = book.every_case("check_1", last)
    passed, needed = (f'COUNTIF({every},"{text}")' for text in (PASSED, NEEDS_ADDIN))
    page.check(
        "all_checks",
        "All checks",
        f"={passed}={len(checks)}",
        "Count of OK above; without sizebook, of the others",
        unless=f"AND({needed}>0,{passed}+{needed}={len(checks)})",
    )
    page.finish()


def notes_sheet(book: Book, functions: Sequence[str], notes: Sequence[str]) -> None:
    """Add the sheet of notes: what is meant and left out, the functions with formula and source, the data's dates."""
    page = new_sheet(
        book, "Notes", "What the figures mean, where they come from, and how old the data are.", widths=_NOTES_WIDTHS
    )
    page.section("What is counted")
    for note in notes:
        page.paragraph(note, height=13.0 * len(wrap(note, _LETTERS_A_LINE)) + 2)
    page.section("How to read it")
    for style, sample, meaning in _LEGEND:
        cell = page.fact(style, sample, style=style)
        page.sheet.cell(cell.row, 4, meaning)
    page.section("Functions")
    page.paragraph(_ADD_IN, height=30)
    for name in functions:
        _function(page, name)
    page.section("Version and data")
    page.fact("sizebook", book.version)
    for name in ("models", "dtypes", "hardware", "prices", "grid"):
        days = sorted({row["retrieved"] for row in table(name)})
        page.fact(f"data/{name}.csv", f"{len(table(name))} rows, retrieved {days[0]} to {days[-1]}, source in each row")
    page.finish()


def _function(page: LineSheet, name: str) -> None:
    function = find(name)
    shown = function.formula or function.summary
    cell = page.fact(name, shown)
    source = page.sheet.cell(cell.row, 5, function.source)
    cell.style = source.style = "Origin"
    page.sheet.merge_cells(f"C{cell.row}:D{cell.row}")
    _, across, unit, behind = _NOTES_WIDTHS
    heights = (height_of(shown, across + unit), height_of(function.source, behind))
    page.sheet.row_dimensions[cell.row].height = max((each for each in heights if each is not None), default=None)
