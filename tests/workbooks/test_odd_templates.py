"""Other people's workbooks at their limits: what is refused, and why; what is said; what must not take long."""

import re
import time
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.formula import ArrayFormula
from openpyxl.worksheet.table import Table

from sizebook.core.errors import InputError
from sizebook.workbooks.anchors.moved_formulas import whole_number
from sizebook.workbooks.filling import fill_from
from sizebook.workbooks.sheet import readable
from tests.refused import message_of
from tests.workbooks.test_own_template import supply

NAME = re.compile(r"\{\{ (\w+) \}\}")


def _table(path: Path, top: int = 1, n_rows: int = 1) -> Workbook:
    """A workbook with a table of months that begins at a row."""
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Plan"
    for column, header in enumerate(("month", "usd"), 1):
        sheet.cell(top, column, header)
    for row in range(top + 1, top + 1 + n_rows):
        sheet.cell(row, 1, "x")
        sheet.cell(row, 2, 1)
    sheet.add_table(Table(displayName="months", ref=f"A{top}:B{top + n_rows}"))
    book.save(path)
    return book


def _edited(path: Path, part: str, *changes: tuple[str, str]) -> None:
    """Rewrite texts of one part of a workbook."""
    with zipfile.ZipFile(path) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    text = parts[part].decode()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    with zipfile.ZipFile(path, "w") as package:
        for name, data in {**parts, part: text.encode()}.items():
            package.writestr(name, data)


def _text(path: Path, words: str) -> None:
    book = Workbook()
    book.worksheets[0]["A1"], book.worksheets[0]["A2"] = words, "{{ usd }}"
    book.save(path)


@pytest.mark.parametrize("words", ["{{" + " " * 30_000, "{{ a " * 6_000, "{{a:" * 8_000, "{" * 32_000])
def test_braces_that_never_close_take_no_time(tmp_path: Path, words: str) -> None:
    _text(tmp_path / "own.xlsx", words)
    began = time.process_time()
    fill_from(tmp_path / "own.xlsx", supply(1), tmp_path / "out.xlsx")
    assert time.process_time() - began < 20  # of two thousand blanks the pattern before took three minutes
    assert load_workbook(tmp_path / "out.xlsx").worksheets[0]["A1"].value == words


@pytest.mark.parametrize(
    ("words", "shown", "remark"),
    [
        ("cost {{   usd   :   ,.1f   }}!", "cost 12,345.5!", None),
        ("cost {{ usd:,d }}", "cost 12,346", None),
        ("{{ usd:e }}", "1.234550e+04", None),
        ("{{ usd:.2d }}", "12\u202f346", ".2d"),
        ("{{ usd:,.99f }} of {{usd:.0%}}", f"{12345.5:,.99f} of 1234550%", None),
        ("{{ usd:.999f }}", "12\u202f346", ".999f"),
        ("{{ usd:{x} }}", "{{ usd:{x} }}", None),
        ("{{   }} and {{}}", "{{   }} and {{}}", None),
    ],
)
def test_formats_of_names_in_braces(tmp_path: Path, words: str, shown: str, remark: str | None) -> None:
    _text(tmp_path / "own.xlsx", words)
    done = fill_from(tmp_path / "own.xlsx", supply(1), tmp_path / "out.xlsx")
    assert load_workbook(tmp_path / "out.xlsx").worksheets[0]["A1"].value == shown
    said = (
        f"own.xlsx: Sheet!A1: no format '{remark}' for usd, want one such as ,.2f or .0% for a number: written plainly"
    )
    assert list(done.notes) == ([said] if remark else [])


def test_a_table_does_not_grow_past_the_end_of_a_sheet(tmp_path: Path) -> None:
    _table(tmp_path / "own.xlsx", top=1_048_570)
    assert message_of(InputError, lambda: fill_from(tmp_path / "own.xlsx", supply(12), tmp_path / "out.xlsx")) == (
        "table cannot grow: got the end of the sheet: its last row would be 1,048,582, want 11 rows more in months of "
        "own.xlsx. Move it out of the way, or give the table a sheet of its own."
    )
    assert not (tmp_path / "out.xlsx").exists()
    fill_from(tmp_path / "own.xlsx", supply(6), tmp_path / "out.xlsx")
    assert load_workbook(tmp_path / "out.xlsx")["Plan"]["B1048576"].value == 60


@pytest.mark.parametrize("words", ["{{ title }}", "of {{ title }}"])
def test_a_text_longer_than_a_cell_is_refused(tmp_path: Path, words: str) -> None:
    _text(tmp_path / "own.xlsx", words)
    before = len(NAME.sub("", words))
    assert message_of(
        InputError, lambda: fill_from(tmp_path / "own.xlsx", supply(1, title="x" * 32_767 + "y"), tmp_path / "out.xlsx")
    ) == (
        f"text too long: got {32_768 + before:,} characters for Sheet!A1, want at most 32,767. Shorten it: a cell "
        "holds no more."
    )
    fill_from(tmp_path / "own.xlsx", supply(1, title="x" * (32_767 - before)), tmp_path / "out.xlsx")


@pytest.mark.parametrize("words", ["{{ title }}", "of {{ title }}"])
def test_text_that_reads_as_an_escape_stays_as_it_is(tmp_path: Path, words: str) -> None:
    """A file spells a sign that XML lacks as ``_x0041_``: a text that reads so must not become another."""
    _text(tmp_path / "own.xlsx", words)
    fill_from(tmp_path / "own.xlsx", supply(1, title="_x0041_ of\x07 us"), tmp_path / "out.xlsx")
    kept = load_workbook(tmp_path / "out.xlsx").worksheets[0]["A1"].value
    assert kept.endswith("_x005F_x0041_ of_x0007_ us")  # openpyxl reads the spelling, Excel the text


def test_rows_that_stay_hidden_are_said(tmp_path: Path) -> None:
    book = _table(tmp_path / "own.xlsx", n_rows=3)
    book["Plan"].tables["months"].autoFilter.add_filter_column(0, ["y"])
    book["Plan"].row_dimensions[3].hidden = book["Plan"].row_dimensions[4].hidden = True
    book.save(tmp_path / "own.xlsx")
    assert fill_from(tmp_path / "own.xlsx", supply(6), tmp_path / "out.xlsx").notes == (
        "own.xlsx: the table months is filtered by what stood there before: 2 of its 6 rows are hidden, whatever they "
        "hold now. Apply or clear its filter, and show its rows, in Excel",
    )


def test_a_name_on_no_cell_says_so(tmp_path: Path) -> None:
    book = _table(tmp_path / "own.xlsx")
    book.defined_names["plan.usd"] = DefinedName("plan.usd", attr_text="36")
    book.defined_names["plan.chart"] = DefinedName("plan.chart", attr_text="Gone!$A$1")
    book.save(tmp_path / "own.xlsx")
    assert fill_from(tmp_path / "own.xlsx", supply(1), tmp_path / "out.xlsx").notes == (
        "own.xlsx: the name plan.usd means no cell: got 36, want one such as Sheet1!$B$2. Correct it.",
        "own.xlsx: the name plan.chart means no cell: got Gone!$A$1, want one such as Sheet1!$B$2. Correct it.",
    )


def test_a_number_that_is_none_is_damage(tmp_path: Path) -> None:
    _table(tmp_path / "own.xlsx")
    _edited(tmp_path / "own.xlsx", "xl/tables/table1.xml", ('headerRowCount="1"', 'headerRowCount="one"'))
    assert message_of(InputError, lambda: fill_from(tmp_path / "own.xlsx", supply(1), tmp_path / "out.xlsx")) == (
        "damaged workbook: got 'one' for a row, a column or a count, want a whole number. Open and save it in Excel."
    )


def test_shared_formulas_that_lie_across_the_rows_that_move(tmp_path: Path) -> None:
    book = _table(tmp_path / "own.xlsx", n_rows=2)
    sheet = book["Plan"]
    for row in (1, 2, 5, 6):
        sheet.cell(row, 4, f"=B{row}+$B$2")
    sheet["A5"] = "below"
    book.save(tmp_path / "own.xlsx")
    changes = [("<f>B1+$B$2</f>", '<f t="shared" si="0" ref="D1:D6">B1+$B$2</f>')]
    changes += [(f"<f>B{row}+$B$2</f>", '<f t="shared" si="0"/>') for row in (2, 5, 6)]
    _edited(tmp_path / "own.xlsx", "xl/worksheets/sheet1.xml", *changes)
    fill_from(tmp_path / "own.xlsx", supply(4), tmp_path / "out.xlsx")
    written = load_workbook(tmp_path / "out.xlsx")["Plan"]
    found = {cell.row: cell.value for cell in written["D"] if cell.value is not None}
    assert found == {row: f"=B{row}+$B$2" for row in (1, 2, 7, 8)}
    assert written["A7"].value == "below"


def test_a_shared_formula_outlives_the_cell_that_held_its_text(tmp_path: Path) -> None:
    book = _table(tmp_path / "own.xlsx", n_rows=3)
    sheet = book["Plan"]
    sheet["B3"], sheet["B4"], sheet["D4"] = "=1+1", "=1+2", "=B4*2"
    book.save(tmp_path / "own.xlsx")
    changes = (
        ("<f>1+1</f>", '<f t="shared" si="0" ref="B3:D4">A3&amp;1</f>'),
        ("<f>B4*2</f>", '<f t="shared" si="0"/>'),
    )
    _edited(tmp_path / "own.xlsx", "xl/worksheets/sheet1.xml", *changes)
    fill_from(tmp_path / "own.xlsx", supply(3), tmp_path / "out.xlsx")
    written = load_workbook(tmp_path / "out.xlsx")["Plan"]
    assert [written[at].value for at in ("B3", "B4", "D4")] == [20, 30, "=C4&1"]


def test_array_formulas_and_other_sheets_follow_a_table(tmp_path: Path) -> None:
    book = _table(tmp_path / "own.xlsx", n_rows=2)
    other = book.create_sheet("Other")
    other["A1"] = "=SUM(months[usd])+SUM(months[[#All],[usd]])"
    other["A2"] = "=INDEX(months[month],COUNTA(months[month]))"
    other["A3"] = ArrayFormula("A3:A4", "=Plan!B2:B3*2")
    book.save(tmp_path / "own.xlsx")
    done = fill_from(tmp_path / "own.xlsx", supply(5), tmp_path / "out.xlsx")
    shown = load_workbook(tmp_path / "out.xlsx", data_only=True)["Other"]
    assert done.problems == []
    assert [shown[f"A{row}"].value for row in (1, 2, 3, 4)] == [300, "2027-05", 20, 40]


def test_an_array_formula_beside_the_table_is_not_torn(tmp_path: Path) -> None:
    book = _table(tmp_path / "own.xlsx", n_rows=2)
    book["Plan"]["D1"] = ArrayFormula("D1:D6", "=ROW(A1:A6)")
    book["Plan"]["A6"] = "below"
    book.save(tmp_path / "own.xlsx")
    assert "got the array formula or data table at Plan!D1:D6: it would be torn" in message_of(
        InputError, lambda: fill_from(tmp_path / "own.xlsx", supply(9), tmp_path / "out.xlsx")
    )


def test_a_long_sheet_below_a_table_moves_in_bounded_time(tmp_path: Path) -> None:
    book = _table(tmp_path / "own.xlsx")
    for row in range(10, 20_000):
        book["Plan"].cell(row, 1, row)
    book.save(tmp_path / "own.xlsx")
    began = time.process_time()
    fill_from(tmp_path / "own.xlsx", supply(36), tmp_path / "out.xlsx")
    assert time.process_time() - began < 60
    sheet = load_workbook(tmp_path / "out.xlsx", read_only=True)["Plan"]
    assert [cell for (cell,) in sheet.iter_rows(max_col=1, min_row=44, max_row=46, values_only=True)] == [None, 10, 11]


def test_half_a_sign_that_a_file_spells_is_kept_as_spelled() -> None:
    """Halves of a sign cannot be written again; every other spelling is read as its sign."""
    assert readable("_xD83D_ a_x0041_b_x0007_") == "_xD83D_ aAb\x07"


def test_identifiers_of_shapes_have_ten_digits_at_most() -> None:
    assert whole_number("4294967295") == 4_294_967_295
    with pytest.raises(InputError, match=r"^damaged workbook: got '12345678901' for a row"):
        whole_number("12345678901")
