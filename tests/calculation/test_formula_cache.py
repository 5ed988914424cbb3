"""Formulas that were rewritten once are taken as they were the next time, where nothing else would come out."""

from pathlib import Path
from typing import Any

import pytest
from openpyxl.worksheet.formula import ArrayFormula

from sizebook.calculation import ErrorCode, preparation
from sizebook.calculation.calculated import Calculated
from sizebook.calculation.engine import read_model, work_out
from sizebook.calculation.package import Package
from sizebook.functions import load
from tests.calculation.grids import saved


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of kept formulas, where every workbook is worth a file."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(preparation, "LEAST_SECONDS", -1)
    return tmp_path / "cache" / "sizebook"


def calculated(path: Path) -> Calculated:
    return work_out(read_model(Package.read(path), load()), lambda where: None)


def written(path: Path, *, n_rows: int = 3, scale: float = 2, factor: float = 10) -> Path:
    """Return a workbook with formulas of each kind: of a name, an array, a whole column, refused, beside an error."""
    cells: dict[str, Any] = {f"A{row}": row * factor for row in range(1, n_rows + 1)}
    for row in (1, 2, 3):
        cells |= {f"B{row}": f"=A{row}*scale", f"C{row}": f"=B{row}+1"}
    cells |= {"E1": ArrayFormula("E1:E3", "=A1:A3*scale+1"), "F1": '=SUMPRODUCT((A:A="")*1)'}
    cells |= {"F2": "=CUBEVALUE(1)", "F3": "=F2+1", "F4": "=1/0"}
    return saved(path, cells, {"scale": str(scale)})


def test_the_next_calculation_of_the_same_formulas_takes_them_as_they_were(tmp_path: Path, cache: Path) -> None:
    path = written(tmp_path / "book.xlsx")
    first = calculated(path)
    (file,) = cache.iterdir()
    text = file.read_bytes()
    assert first["Main", "B2"] == 40 and first["Main", "E3"] == 61 and first["Main", "F1"] == 2**20 - 3
    assert calculated(path) == first and file.read_bytes() == text
    assert first.problems["Main", "F2"] == "=CUBEVALUE(1) cannot be calculated: CUBEVALUE is not calculated here"
    assert first.not_calculated == (("Main", "F2"), ("Main", "F3"))
    assert first["Main", "F4"] == ErrorCode("#DIV/0!")


def test_other_values_share_the_file_and_give_their_own_results(tmp_path: Path, cache: Path) -> None:
    calculated(written(tmp_path / "book.xlsx"))
    found = calculated(written(tmp_path / "other.xlsx", factor=7))
    assert (found["Main", "C3"], found["Main", "E2"], len(list(cache.iterdir()))) == (43, 29, 1)


def test_values_that_rewriting_looks_at_are_compared(tmp_path: Path) -> None:
    """A sum over a whole column is cut to the used rows: with more of them the cut is another."""
    calculated(written(tmp_path / "book.xlsx"))
    assert calculated(written(tmp_path / "longer.xlsx", n_rows=9))["Main", "F1"] == 2**20 - 9


def test_another_name_is_another_file(tmp_path: Path, cache: Path) -> None:
    calculated(written(tmp_path / "book.xlsx"))
    assert calculated(written(tmp_path / "other.xlsx", scale=3))["Main", "B2"] == 60
    assert len(list(cache.iterdir())) == 2


@pytest.mark.parametrize("content", [b"", b"x\x9c no stream", b"x\x01\x01\x02\x00\xfd\xff{}\x01u\x00\xf9"])
def test_a_damaged_file_is_as_none(tmp_path: Path, cache: Path, content: bytes) -> None:
    path = written(tmp_path / "book.xlsx")
    first = calculated(path)
    (file,) = cache.iterdir()
    whole = file.read_bytes()
    file.write_bytes(content)
    assert calculated(path) == first
    assert file.read_bytes() == whole


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert calculated(written(tmp_path / "book.xlsx"))["Main", "B2"] == 40
