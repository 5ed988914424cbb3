"""The planning workbook in a real LibreOffice: Calc with the add-in works out the very cells that Python stored."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from openpyxl import Workbook, load_workbook
from openpyxl.workbook.defined_name import DefinedName
from pypdf import PdfReader

from sizebook.calculation.spellings import respelled
from sizebook.cli import app
from sizebook.functions import load
from sizebook.workbooks.filling import fill
from tests.libreoffice.office import Display, Displays, Prints

WORKBOOKS = Path(__file__).resolve().parents[2] / "workbooks"
# Worked out by hand: 2 x 128256 x 4096 + 32 x (4096 x 128 x (2 x 32 + 2 x 8) + 3 x 4096 x 14336 + 2 x 4096) + 4096.
LLAMA_PARAMETERS = 8_030_261_248


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("filled") / "sizing.xlsx"
    scenario = WORKBOOKS / "scenarios" / "llama-3.1-8b.toml"
    arguments = [
        "fill",
        str(WORKBOOKS / "model_sizing.xlsx"),
        str(scenario),
        "-o",
        str(output),
        "--target",
        "libreoffice",
    ]
    done = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return output


@pytest.fixture(scope="module")
def recalculated(filled: Path, calc_display: Displays) -> Display:
    return calc_display(filled)


def test_calc_works_out_what_python_stored(filled: Path, recalculated: Display, calc_display: Displays) -> None:
    stored = calc_display(filled, recalculate=False)
    assert sum(len(cells) for cells in stored.values()) > 500
    assert recalculated == stored


def test_no_cell_shows_an_error(recalculated: Display) -> None:
    errors = {f"{s}!{c}": text for s, cells in recalculated.items() for c, text in cells.items() if is_error(text)}
    assert errors == {}


def is_error(text: str) -> bool:
    return text.startswith(("#N", "#VALUE", "#REF", "#DIV", "Err:"))


def test_printed_workbook_shows_the_published_count(filled: Path, calc_pdf: Prints) -> None:
    text = " ".join(page.extract_text() for page in PdfReader(calc_pdf(filled)).pages)
    bare = "".join(text.split())
    assert str(LLAMA_PARAMETERS) in bare.replace(",", "")
    assert "#NAME?" not in bare


def test_an_empty_cell_is_the_default_in_calc_too(tmp_path: Path, calc_display: Displays) -> None:
    book = Workbook()
    book.active["D2"].style = "Input"
    book.defined_names["with_bias"] = DefinedName("with_bias", attr_text="Sheet!$D$2")
    for row in (1, 2):
        book.active[f"B{row}"] = f"=PARAMS_LN(512,D{row})"
    book.save(tmp_path / "template.xlsx")
    filled = fill(tmp_path / "template.xlsx", {"with_bias": False}, tmp_path / "filled.xlsx", target="libreoffice")
    assert load_workbook(filled.path).active["B1"].value == "=SIZEBOOK.PARAMS_LN(512,D1:D1)"
    shown = calc_display(filled.path)["Sheet"]
    assert (shown["B1"], shown["B2"]) == ("1024", "512")


@pytest.mark.parametrize(
    ("formula", "stored"),
    [
        ("PARAMS_LN(A1,In!$D$1)*D1", "SIZEBOOK.PARAMS_LN(A1,In!$D$1:$D$1)*D1"),
        ("SUM(D1,PARAMS_LN(D1,PARAMS_LN(1,E1)))", "SUM(D1,SIZEBOOK.PARAMS_LN(D1,SIZEBOOK.PARAMS_LN(1,E1:E1)))"),
        ("PARAMS_LN(A1,D1:D3)+PARAMS_LN(A1,D1*1)", "SIZEBOOK.PARAMS_LN(A1,D1:D3)+SIZEBOOK.PARAMS_LN(A1,D1*1)"),
        ('PARAMS_LN(A1,"D1")', 'SIZEBOOK.PARAMS_LN(A1,"D1")'),
    ],
)
def test_only_a_cell_alone_in_an_optional_place_becomes_a_range(formula: str, stored: str) -> None:
    assert respelled(formula, "libreoffice", load()) == stored
    assert respelled(formula, "classic", load()) == formula
