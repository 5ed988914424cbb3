"""A workbook without formulas is filled without a calculation, which changes nothing of what it gives."""

import io
import pickle
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.styles import NamedStyle
from openpyxl.workbook.defined_name import DefinedName

from sizebook.calculation import recalculate, recalculation
from sizebook.workbooks import filling
from sizebook.workbooks.filling import Filled, fill


def template(path: Path, *, chart: bool = False, **cells: object) -> Path:
    book = Workbook()
    sheet = book.worksheets[0]
    book.add_named_style(NamedStyle("Input"))
    sheet["B1"], sheet["B1"].style = 2, "Input"
    sheet["A1"], sheet["A2"], sheet["A3"], sheet["A4"] = "=no formula"[1:], 1.5, True, "<f> is no formula"
    for at, value in cells.items():
        sheet[at] = value
    book.defined_names["scale"] = DefinedName("scale", attr_text="Sheet!$B$1")
    if chart:
        bars = BarChart()
        bars.add_data(Reference(sheet, min_col=2, min_row=1, max_row=1))
        sheet.add_chart(bars)
    book.save(path)
    return path


@pytest.fixture
def calculations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The workbooks that were calculated."""
    found: list[str] = []
    guarded = recalculation.guarded
    monkeypatch.setattr(
        recalculation, "guarded", lambda task, limits: [found.append(task.workbook), guarded(task, limits)][1]
    )
    return found


def filled(path: Path) -> Filled:
    return fill(path, {"scale": 3}, path.with_name("filled.xlsx"))


def test_cells_are_read_when_asked_for_and_as_they_stood(tmp_path: Path, calculations: list[str]) -> None:
    path = template(tmp_path / "plain.xlsx")
    done = filled(path)
    assert (done.problems, done.calculated.n_errors, done.calculated.engine, calculations) == ([], 0, "", [])
    assert done.calculated["Sheet", "B1"] == 3
    assert len(done.calculated.values) == 5
    assert calculations == ["plain.xlsx"]
    assert done.calculated.values == recalculate(done.path).values
    assert pickle.loads(pickle.dumps(done.calculated)).values == done.calculated.values


def test_the_file_is_that_of_a_calculation(
    tmp_path: Path, calculations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = template(tmp_path / "plain.xlsx", chart=True)
    spared = filled(path).path.read_bytes()
    assert calculations == ["plain.xlsx"]  # the chart asked for its cells
    monkeypatch.setattr(filling, "recalculated_when_asked", recalculation.recalculated)
    assert filled(path).path.read_bytes() == spared
    with zipfile.ZipFile(io.BytesIO(spared)) as archive:
        assert b"<v>3</v>" in archive.read("xl/charts/chart1.xml").replace(b"c:", b"")


def test_an_error_value_is_told(tmp_path: Path, calculations: list[str]) -> None:
    done = filled(template(tmp_path / "error.xlsx", C1="#DIV/0!"))
    assert done.problems == ["Sheet!C1: the cell gives #DIV/0!"]
    assert calculations == ["error.xlsx"]


@pytest.mark.parametrize("formula", ["<f>B1*2</f>", "<f\n>B1*2</f>", '<f t="normal">B1*2</f>', "<x:f>B1*2</x:f>"])
@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16"])
def test_every_spelling_of_a_formula_is_seen(
    tmp_path: Path, calculations: list[str], formula: str, encoding: str
) -> None:
    path, odd = template(tmp_path / "plain.xlsx"), tmp_path / "odd.xlsx"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(odd, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            if name == "xl/worksheets/sheet1.xml":
                text = data.decode().replace("</row>", f'<c r="C1">{formula}<v>9</v></c></row>', 1)
                text = text.replace("<worksheet ", f'<worksheet xmlns:x="{main}" ', 1)
                data = f'<?xml version="1.0" encoding="{encoding}"?>{text}'.encode(encoding)
            after.writestr(name, data)
    assert filled(odd).calculated["Sheet", "C1"] == 6
    assert calculations == ["odd.xlsx"]
