"""Plans in other people's workbooks: names, tables that grow and shrink, names in braces, pictures."""

import struct
import zipfile
import zlib
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from openpyxl import Workbook, load_workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.table import Table

from sizebook.core.errors import InputError
from sizebook.core.sections import Argument, Quantity
from sizebook.plans.contents import Ledger
from sizebook.workbooks.anchors.plan_values import Picture, PlanValues
from sizebook.workbooks.filling import Filled, fill_from
from sizebook.workbooks.template_check import check_template
from tests.refused import message_of
from tests.row_lists import listed
from tests.workbooks.own_template import build

CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"


def _column(name: str, label: str, unit: str = "") -> Argument:
    return Argument(name, Quantity(label, unit=unit, label=label), None)


COLUMNS = (_column("month", "Month"), _column("peak_gpus", "At peak", "GPUs"), _column("usd", "Together, USD", "USD"))


def supply(n_months: int, **values: Any) -> PlanValues:
    """A plan whose n-th month needs n GPUs at 10 USD each."""
    rows = tuple((f"2027-{n:02d}", n, 10.0 * n) for n in range(1, n_months + 1))
    pictures = {"chart": lambda: Picture(png(400, 200), "Columns: cost by month")}
    found = {"title": "One <plan>", "usd": 12_345.5, "peak_gpus_last": 1_320, "blank": None} | values
    return PlanValues(values=found, tables=(Ledger("months", COLUMNS, rows),), pictures=pictures)


def png(width: int, height: int) -> bytes:
    """A white picture, made by the rules of the format."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + b"\xff" * width) * height)
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def filled(folder: Path, n_months: int) -> Filled:
    return fill_from(build(folder / "own.xlsx"), supply(n_months), folder / "out.xlsx")


@pytest.mark.parametrize("n_months", [12, 3, 2, 1])
def test_a_table_takes_as_many_rows_and_all_else_follows(tmp_path: Path, n_months: int) -> None:
    done = filled(tmp_path, n_months)
    last, by = 4 + n_months, n_months - 3
    assert done.problems == []
    assert done.placed[0] == f"months at Our plan!A4:E{8 + by}: {n_months} rows of months, 3 before"
    book, shown = load_workbook(tmp_path / "out.xlsx"), load_workbook(tmp_path / "out.xlsx", data_only=True)
    sheet, values = book["Our plan"], shown["Our plan"]
    table = sheet.tables["months"]
    assert (table.ref, table.autoFilter.ref) == (f"A4:E{last + 1}", f"A4:E{last}")
    for n in range(1, n_months + 1):
        row = 4 + n
        assert [cell.value for cell in values[row][:4]] == [datetime(2027, n, 1), n, 10 * n, 10]
        assert sheet[f"D{row}"].value == f"=C{row}/B{row}"
        assert sheet[f"A{row}"].font.i
        assert sheet[f"C{row}"].number_format == "$#,##0.00"
    total = 10 * n_months * (n_months + 1) // 2
    assert (values[f"A{last + 1}"].value, values[f"C{last + 1}"].value) == ("Total", total)
    rules, checks = list(sheet.conditional_formatting), sheet.data_validations.dataValidation
    cells = f"C5:C{last}" if n_months > 1 else "C5"
    assert [str(rule.sqref) for rule in rules] == [cells]
    assert rules[0].rules[0].formula == [f"$B${11 + by}*0.9"]
    assert [str(check.sqref) for check in checks] == [cells]
    assert sheet[f"B{11 + by}"].value == f"=MAX(C5:C{last})"
    assert sheet[f"B{12 + by}"].value == f"=C{last + 1}/COUNT(C5:C{last})"
    assert values[f"B{12 + by}"].value == total / n_months
    assert [str(each) for each in sheet.merged_cells.ranges] == [f"A{13 + by}:C{13 + by}"]
    assert sheet[f"A{13 + by}"].comment.text == "ask Ms Ito"
    assert sheet.print_area == f"'Our plan'!$A$1:$E${14 + by}"
    summary = shown["Summary"]
    assert [summary[at].value for at in ("A1", "A2", "A3")] == [20 * n_months, total, total]
    names = {name: found.attr_text for name, found in book.defined_names.items()}
    assert names["costs"] == f"'Our plan'!$C$5:$C${last}"
    assert names["dearest"] == f"'Our plan'!$B${11 + by}"


def test_a_chart_draws_the_new_rows_and_stands_below_them(tmp_path: Path) -> None:
    filled(tmp_path, 12)
    with zipfile.ZipFile(tmp_path / "out.xlsx") as archive:
        chart = etree.fromstring(archive.read("xl/charts/chart1.xml"))
        drawing = etree.fromstring(archive.read("xl/drawings/drawing1.xml"))
    assert [each.text for each in chart.iter(f"{CHART}f")] == [
        "'Our plan'!C4", "'Our plan'!$A$5:$A$16", "'Our plan'!$C$5:$C$16",
    ]  # fmt: skip
    values = chart.find(f".//{CHART}val/{CHART}numRef/{CHART}numCache")
    assert [each.text for each in values.iter(f"{CHART}v")] == [str(10 * n) for n in range(1, 13)]
    assert [each.text for each in drawing.iter("{*}row")] == ["24"]  # it stood at A16, row 15 from 0


def test_names_in_braces_keep_the_runs_of_a_text(tmp_path: Path) -> None:
    done = filled(tmp_path, 3)
    book = load_workbook(tmp_path / "out.xlsx", rich_text=True)
    sheet, text = book["Our plan"], book["Summary"]["B1"].value
    assert (sheet["A1"].value, sheet["A2"].value) == ("Capacity of One <plan>", 12345.5)
    assert [str(piece) for piece in text] == ["Peak of ", "1\u202f320", " GPUs, {{ nobody }}"]
    assert text[1].font.b
    assert book["Summary"]["B2"].value == 1320
    assert done.notes == (
        "own.xlsx: Summary!B1: no value 'nobody': left as it stands.",
        "own.xlsx: months[Remark] is no column of the plan's table months: left as it stands.",
    )


def test_strict_refuses_what_the_plan_does_not_fill(tmp_path: Path) -> None:
    path = build(tmp_path / "own.xlsx")
    assert message_of(InputError, lambda: fill_from(path, supply(3), tmp_path / "out.xlsx", strict=True)) == (
        "anchors left: got 2 in own.xlsx that the plan does not fill, want none. Correct them, or fill without "
        "--strict:\n"
        "Summary!B1: no value 'nobody': left as it stands.\n"
        "months[Remark] is no column of the plan's table months: left as it stands."
    )
    assert not (tmp_path / "out.xlsx").exists()


def test_a_picture_fits_its_range_and_is_replaced_the_next_time(tmp_path: Path) -> None:
    filled(tmp_path, 3)
    again = fill_from(tmp_path / "out.xlsx", supply(5), tmp_path / "again.xlsx")
    assert again.placed[-1] == "plan.chart at Summary!D2:J20: a picture"
    (picture,) = load_workbook(tmp_path / "again.xlsx")["Summary"]._images
    # D to J are seven columns of 64 pixels, 2 to 20 nineteen rows of 20: 448 wide, so 224 high.
    assert (picture.anchor.ext.width, picture.anchor.ext.height) == (448 * 9525, 224 * 9525)
    with zipfile.ZipFile(tmp_path / "again.xlsx") as archive:
        drawing = archive.read("xl/drawings/sizebook1.xml").decode()
        assert [name for name in archive.namelist() if "media" in name] == ["xl/media/sizebook1.png"]
    assert 'descr="Columns: cost by month"' in drawing


def _beside(path: Path, **cells: Any) -> Path:
    build(path)
    book = load_workbook(path)
    for at, value in cells.items():
        book["Our plan"][at] = value
    book.save(path)
    return path


@pytest.mark.parametrize(*listed("workbooks", "test_what_stands_in_the_way_is_named"))
def test_what_stands_in_the_way_is_named(tmp_path: Path, cells: dict[str, Any], problem: str) -> None:
    n = cells.pop("n", 12)
    path = _beside(tmp_path / "own.xlsx", **cells)
    with pytest.raises(InputError) as caught:
        fill_from(path, supply(n), tmp_path / "out.xlsx")
    verb, rows = ("grow", "9 rows more") if n == 12 else ("shrink", "1 rows fewer")
    assert str(caught.value) == (
        f"table cannot {verb}: got {problem}, want {rows} in months of own.xlsx. Move it out of the way, or give the "
        "table a sheet of its own."
    )
    assert not (tmp_path / "out.xlsx").exists()


def test_what_no_rewriting_reaches_is_said(tmp_path: Path) -> None:
    path = _beside(tmp_path / "own.xlsx", B14='=INDIRECT("B"&11)')
    assert fill_from(path, supply(5), tmp_path / "out.xlsx").notes[-1] == (
        "own.xlsx: Our plan!B16: INDIRECT does not follow cells, and rows of Our plan moved with the table months: "
        "look at it"
    )


def test_nothing_moves_where_nothing_stands_below(tmp_path: Path) -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Plan"
    sheet.append(["month", "usd"])
    sheet.append(["x", 1])
    sheet["D1"], sheet["D2"], sheet["D3"], sheet["D9"] = "aside", "=SUM(B2:B2)", "=B2", "far"
    sheet.add_table(Table(displayName="Months_of_cost", ref="A1:B2"))
    sheet.print_area = "A1:D4"
    book.defined_names["plan.usd"] = DefinedName("plan.usd", attr_text="Plan!$D$4")
    book.save(tmp_path / "own.xlsx")
    done = fill_from(tmp_path / "own.xlsx", supply(6), tmp_path / "out.xlsx")
    sheet = load_workbook(tmp_path / "out.xlsx")["Plan"]
    assert done.placed == ("Months_of_cost at Plan!A1:B7: 6 rows of months, 1 before", "plan.usd at Plan!D4: 12345.5")
    assert [cell.value for cell in sheet["D"]] == ["aside", "=SUM(B2:B7)", "=B2", 12345.5, *[None] * 4, "far"]
    assert [cell.value for cell in sheet["B"]] == ["usd", 10, 20, 30, 40, 50, 60, None, None]
    assert sheet.print_area == "'Plan'!$A$1:$D$7"


def test_the_check_lists_anchors_and_what_is_wrong(tmp_path: Path) -> None:
    path = build(tmp_path / "own.xlsx")
    before = path.read_bytes()
    found = check_template(path, supply(12))
    assert found.anchors == (
        "peak_gpus_last  Summary!B2  the figure peak_gpus_last",
        "months  Our plan!A4:E8  the table months: month, peak_gpus, usd",
        "{{ }}  Our plan!A1  title",
        "{{ }}  Our plan!A2  usd",
        "{{ }}  Summary!B1  peak_gpus_last, nobody",
        "plan.chart  Summary!D2:J20  the picture chart",
    )
    assert found.problems == ("Summary!B1: no value 'nobody': left as it stands.",)
    assert "months[Remark] is no column of the plan's table months: left as it stands." in found.notes
    assert path.read_bytes() == before
    torn = check_template(_beside(tmp_path / "torn.xlsx", G7=1, G8=2), supply(12))
    assert torn.problems[0].startswith("table cannot grow: got cells from Our plan!G7 down")


def test_a_workbook_without_anchors_is_refused(tmp_path: Path) -> None:
    Workbook().save(tmp_path / "own.xlsx")
    assert message_of(InputError, lambda: fill_from(tmp_path / "own.xlsx", supply(1), tmp_path / "out.xlsx")) == (
        "no anchors: got own.xlsx, want a defined name or an Excel table that bears a name of the plan, {{ name }} in "
        "a text, or an input. 'sizebook template check' lists the names."
    )
