"""Filling other people's workbooks: what changes, what stays, what is refused."""

from __future__ import annotations

import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from lxml import etree
from openpyxl import Workbook, load_workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.styles import NamedStyle
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation

from sizebook.errors import InputError
from sizebook.workbooks.filling import fill

CHAIN = (
    '<calcChain xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
    '<c r="B2" i="1"/><c r="A5" i="1"/></calcChain>'
)
PICTURE = b"\x89PNG not really"


@pytest.fixture
def template(tmp_path: Path) -> Path:
    """A workbook with two inputs, formulas of every kind of result, a chart, a calculation chain and a foreign part."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "Plan"
    for style in ("Input", "Optional input"):
        book.add_named_style(NamedStyle(style))
    sheet["A2"], sheet["A2"].style = 512, "Input"
    sheet["A3"], sheet["A3"].style = "bf16", "Optional input"
    sheet["A4"].style = "Optional input"
    sheet["A5"], sheet["A5"].style = "=A2*2", "Optional input"
    sheet["B1"], sheet["B2"], sheet["B3"] = "weights", "=PARAMS_MHA(A2,FALSE)", "=MODEL_BYTES(B2,A3)"
    sheet["B4"], sheet["B5"], sheet["B6"] = '=A3&" <kept>"', "=B2>1000", "=1/0"
    sheet["B7"], sheet["B8"] = "=A4+A5", '=IF(A4="","blank",A4)'
    book.create_sheet("Untouched")["A1"] = "as it was"
    for name, cell in (("d_model", "A2"), ("dtype", "A3"), ("day", "A4"), ("twice", "A5"), ("result", "B2")):
        book.defined_names[name] = DefinedName(name, attr_text=f"Plan!${cell[0]}${cell[1]}")
    rule = DataValidation(type="list", formula1='"bf16,fp32"')
    sheet.add_data_validation(rule)
    rule.add("A3")
    chart = BarChart()
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "D2")
    plain = tmp_path / "plain.xlsx"
    book.save(plain)
    path = tmp_path / "template.xlsx"
    _add_parts(plain, path)
    return path


def _add_parts(source: Path, path: Path) -> None:
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/calcChain"
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "[Content_Types].xml":
                data = data.replace(
                    b"</Types>",
                    b'<Override PartName="/xl/calcChain.xml" ContentType="application/vnd.openxmlformats-'
                    b'officedocument.spreadsheetml.calcChain+xml"/></Types>',
                )
            if name == "xl/_rels/workbook.xml.rels":
                entry = f'<Relationship Id="rIdC" Type="{kind}" Target="calcChain.xml"/></Relationships>'
                data = data.replace(b"</Relationships>", entry.encode())
            new.writestr(name, data)
        new.writestr("xl/calcChain.xml", CHAIN)
        new.writestr("xl/media/image9.png", PICTURE)


def parts(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def stored(path: Path) -> dict[str, Any]:
    sheet = load_workbook(path, data_only=True)["Plan"]
    return {cell.coordinate: cell.value for row in sheet["A1:B8"] for cell in row}


def test_values_are_stored_beside_live_formulas(template: Path, tmp_path: Path) -> None:
    output = tmp_path / "out.xlsx"
    filled = fill(template, {"D_Model": 8, "dtype": "fp32"}, output)
    got = stored(output)
    assert (got["A2"], got["A3"], got["B2"], got["B3"]) == (8, "fp32", 256, 1024)
    assert (got["B4"], got["B5"], got["B6"]) == ("fp32 <kept>", False, "#DIV/0!")
    assert (got["A5"], got["B7"], got["B8"]) == (16, 16, "blank")
    assert filled.problems == ["Plan!B6: =1/0 gives #DIV/0!"]
    formulas = load_workbook(output)["Plan"]
    assert formulas["B2"].value == "=PARAMS_MHA(A2,FALSE)"
    assert formulas["B4"].value == '=A3&" <kept>"'


def test_only_what_changed_is_written(template: Path, tmp_path: Path) -> None:
    fill(template, {"d_model": 8}, tmp_path / "out.xlsx")
    before, after = parts(template), parts(tmp_path / "out.xlsx")
    changed = {name for name in after if before[name] != after[name]}
    assert set(before) - set(after) == {"xl/calcChain.xml"}
    assert changed == {
        "xl/worksheets/sheet1.xml",
        "xl/charts/chart1.xml",
        "xl/workbook.xml",
        "[Content_Types].xml",
        "xl/_rels/workbook.xml.rels",
    }
    assert b"calcChain" not in after["[Content_Types].xml"] + after["xl/_rels/workbook.xml.rels"]
    assert after["xl/media/image9.png"] == PICTURE


def test_chart_keeps_the_new_values(template: Path, tmp_path: Path) -> None:
    fill(template, {"d_model": 8}, tmp_path / "out.xlsx")
    chart = etree.fromstring(parts(tmp_path / "out.xlsx")["xl/charts/chart1.xml"])
    values = [v.text for v in chart.iter("{http://schemas.openxmlformats.org/drawingml/2006/chart}v")]
    assert values == ["weights", "256", "512"]  # the series' name, then bytes in bf16 below the weights


def test_readers_are_asked_to_show_the_stored_values(template: Path, tmp_path: Path) -> None:
    fill(template, {"d_model": 8}, tmp_path / "out.xlsx")
    workbook = etree.fromstring(parts(tmp_path / "out.xlsx")["xl/workbook.xml"])
    settings = workbook.find("{http://schemas.openxmlformats.org/spreadsheetml/2006/main}calcPr")
    assert settings is not None
    assert dict(settings.attrib) == {"calcId": "191029"}


def test_dates_and_formula_cells_take_values(template: Path, tmp_path: Path) -> None:
    fill(template, {"d_model": 8, "day": date(2026, 11, 21), "twice": 1}, tmp_path / "out.xlsx")
    got = stored(tmp_path / "out.xlsx")
    assert (got["A4"], got["A5"], got["B7"]) == (46347, 1, 46348)


def test_default_of_a_name_stands_in_for_what_the_cell_holds(template: Path, tmp_path: Path) -> None:
    book = load_workbook(template)
    book.defined_names["dtype"].comment = 'default: "fp32"'
    book.defined_names["twice"].comment = 'default: "=A2*3"'
    book.defined_names["day"].comment = "default: null"
    book["Plan"]["A4"] = 5
    book.save(template)
    got = stored(fill(template, {"d_model": 8}, tmp_path / "out.xlsx").path)
    assert (got["A3"], got["A4"], got["A5"]) == ("fp32", None, 24)
    got = stored(fill(template, {"d_model": 8, "twice": "=A2", "day": 7}, tmp_path / "out.xlsx").path)
    assert (got["A4"], got["A5"]) == (7, "=A2")  # what a scenario gives is never a formula


def test_unreadable_default(template: Path, tmp_path: Path) -> None:
    book = load_workbook(template)
    book.defined_names["dtype"].comment = "default: fp32"
    book.save(template)
    with pytest.raises(InputError) as caught:
        fill(template, {"d_model": 8}, tmp_path / "out.xlsx")
    assert str(caught.value) == (
        "unreadable default: got 'default: fp32' for the name dtype, want 'default: ' and a number, a text in "
        "quotation marks or null. Correct the comment in the Name Manager."
    )


@pytest.mark.parametrize(
    ("target", "spelling"),
    [
        ("classic", "=PARAMS_MHA(A2,FALSE)"),
        ("office-js", "=_xldudf_NS_PARAMS_MHA(A2,FALSE)"),
        ("libreoffice", "=SIZEBOOK.PARAMS_MHA(A2,FALSE)"),
    ],
)
def test_functions_are_spelled_for_the_target(template: Path, tmp_path: Path, target: Any, spelling: str) -> None:
    filled = fill(template, {"d_model": 8}, tmp_path / "out.xlsx", target=target)
    assert load_workbook(filled.path)["Plan"]["B2"].value == spelling
    again = fill(filled.path, {"d_model": 512}, tmp_path / "again.xlsx", target="classic")
    assert load_workbook(again.path)["Plan"]["B2"].value == "=PARAMS_MHA(A2,FALSE)"
    assert stored(again.path)["B2"] == 1_048_576


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "template.xlsx: missing input: got no 'd_model', want a value for Plan!A2. Add it to the scenario."),
        (
            {"d_model": 8, "dtpe": "bf16"},
            "template.xlsx: unknown input: got 'dtpe', want one of d_model, dtype, day, twice. Did you mean 'dtype'?",
        ),
        (
            {"d_model": 8, "result": 1},
            "template.xlsx: not an input: got 'result', want one of d_model, dtype, day, twice. "
            "Remove it, or name an input cell so.",
        ),
        (
            {"d_model": 8, "dtype": "fp23"},
            "template.xlsx: not in the list: got 'fp23' for 'dtype', want one of bf16, fp32. Did you mean 'fp32'?",
        ),
        (
            {"d_model": None},
            "template.xlsx: blank input: got nothing for 'd_model', want a value for Plan!A2. Give one.",
        ),
        (
            {"d_model": [8, 16]},
            "template.xlsx: bad input: got [8, 16] for 'd_model', want one value for Plan!A2. Give a single value.",
        ),
    ],
)
def test_refused_before_anything_is_written(
    template: Path, tmp_path: Path, inputs: dict[str, Any], message: str
) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    with pytest.raises(InputError) as caught:
        fill(template, inputs, tmp_path / "out.xlsx")
    assert str(caught.value) == message
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_unknown_function_is_refused(template: Path, tmp_path: Path) -> None:
    book = load_workbook(template)
    book["Plan"]["B9"] = "=PARAMS_MHAA(A2)"
    book.save(template)
    with pytest.raises(InputError) as caught:
        fill(template, {"d_model": 8}, tmp_path / "out.xlsx")
    assert str(caught.value) == (
        "cannot calculate: got 1 formulas that need a function or name which nobody here knows, want functions of "
        "Excel and of 'sizebook functions'. Correct these cells:\ntemplate.xlsx: Plan!B9: =params_mhaa(A2) gives #NAME?"
    )
    assert not (tmp_path / "out.xlsx").exists()


def test_workbook_without_inputs(tmp_path: Path) -> None:
    Workbook().save(tmp_path / "empty.xlsx")
    with pytest.raises(InputError) as caught:
        fill(tmp_path / "empty.xlsx", {}, tmp_path / "out.xlsx")
    assert str(caught.value) == (
        "no inputs: got empty.xlsx, want a defined name on a cell with the style 'Input' or 'Optional input'. "
        "Name the input cells and give them that style."
    )


def test_output_must_be_of_the_templates_kind(template: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        fill(template, {"d_model": 8}, tmp_path / "out.xlsm")
    assert str(caught.value) == (
        "another kind of file: got '.xlsm' for the output, want '.xlsx' as the template. "
        "Rename the output: Excel refuses a file whose name and content differ."
    )


def test_folder_that_cannot_be_made(template: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError) as caught:
        fill(template, {"d_model": 8}, tmp_path / "file" / "out.xlsx")
    assert str(caught.value) == (
        f"cannot write: got File exists for {tmp_path / 'file' / 'out.xlsx'}, "
        "want a file in a folder that can be written. Check the path."
    )
