"""The Calc add-in in a real LibreOffice: what it displays is what Python gives."""

from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.worksheet.formula import ArrayFormula
from pypdf import PdfReader

from sizebook.core.coercion import as_rows
from sizebook.core.registry import Function
from sizebook.core.wizard import argument_help
from sizebook.functions import load
from tests.libreoffice.office import Display, Displays, Office, Prints

FUNCTIONS = list(load().values())


def literal(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, list):
        return "{" + ";".join(",".join(map(literal, row)) for row in cell) + "}"
    return "" if cell is None else f'"{cell}"' if isinstance(cell, str) else repr(cell)


def example_formula(function: Function) -> str:
    given = [literal(function.example[0].get(a.name)) for a in function.arguments]
    while given and not given[-1]:
        given.pop()
    return f"=SIZEBOOK.{function.name}({','.join(given)})"


def shown_whole(value: Any) -> bool:
    """Return whether a cell shows every digit: Calc, as Excel, shows 15."""
    return isinstance(value, str) or (isinstance(value, int) and abs(value) < 10**15)


def expected(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return str(value) if shown_whole(value) else f"{value:.9E}"


CASES = {
    "B1": ("=SIZEBOOK.PARAMS_MHA(512,)", "1050624", "an argument left out is the default"),
    "B2": ("=SIZEBOOK.PARAMS_ATTENTION(12288,96,128,,FALSE)", "603979776", "also in the middle"),
    "B3": ("=SIZEBOOK.PARAMS_MHA(512,FALSE)", "1048576", "TRUE and FALSE"),
    "B4": ('=SIZEBOOK.MODEL_BYTES("70B"," BF16 ")', "140000000000", "text is read as everywhere"),
    "B5": ("=SIZEBOOK.PARAMS_MHA(-1)", "#NUM!", "negative"),
    "B6": ("=SIZEBOOK.PARAMS_MHA(0)", "#NUM!", "zero"),
    "B7": ("=SIZEBOOK.PARAMS_MHA(1E300)", "#NUM!", "huge"),
    "B8": ('=SIZEBOOK.PARAMS_MHA("many")', "#VALUE!", "text where a number belongs"),
    "B9": ('=SIZEBOOK.MODEL_BYTES(8,"fp31")', "#N/A", "unknown key"),
    "B10": ("=SIZEBOOK.PARAMS_MHA(NA())", "#N/A", "an error passes through"),
    "B11": ("=SUM(B1:B5)", "#NUM!", "a sum does not skip an error"),
    "B12": ("=ISERROR(B5)", "1", "an error is an error"),
    "B13": ("=SIZEBOOK.PARAMS_LN(512)*2+1", "2049", "inside a formula"),
    "B14": ("=SIZEBOOK.PARAMS_MHA(SIZEBOOK.PARAMS_LN(256))", "1050624", "inside another function"),
    "B15": ("=SIZEBOOK.PARAMS_LN(512,D1)", "512", "the limit: an empty cell for a flag is FALSE"),
    "B16": ("=SIZEBOOK.PARAMS_LN(512,D1:D1)", "1024", "the way round it: a range of one cell"),
    "B17": (
        '=SIZEBOOK.SIZEBOOK_WHY("PARAMS_MHA",-1)',
        "d_model is out of range: got -1, want at least 1 (hidden size: width of the residual stream). "
        "Correct the number.",
        "the message behind an error",
    ),
    "B18": ("=SIZEBOOK.PARAMS_LN(512,0)", "512", "a 0 that is typed"),
    "B19": ("=SIZEBOOK.MODEL_BYTES(354336768,D1)", "708673536", "an empty cell for a key is the default, bf16: x 2"),
    "B20": ('=SIZEBOOK.SIZEBOOK_WHY("MODEL_BYTES",354336768,D1)', "no error", "asked about, it is the same call"),
    "B21": ("=SIZEBOOK.GRID_G_PER_KWH(D1)", "#VALUE!", "an empty cell for a name that must be given, as in Excel"),
    "B22": (
        '=SIZEBOOK.SIZEBOOK_WHY("GRID_G_PER_KWH",D1)',
        "grid is blank: got nothing, want text (country code or cloud region, such as fra or aws:us-east-1). "
        "Fill it in.",
        "its message",
    ),
    "B23": ('=SIZEBOOK.GPU_SPEC("h100-sxm",INDEX(D1:D2,1))', "#VALUE!", "also found by a function"),
}
SPREAD = {"H1": "1050624", "H2": "4198400", "H3": "#VALUE!", "H4": "#NUM!", "H5": "#VALUE!", "H6": "16785408"}


@pytest.fixture(scope="module")
def workbook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    book = Workbook()
    sheet = book.active
    sheet.title = "Cases"
    for cell, (formula, _, _) in CASES.items():
        sheet[cell] = formula
        sheet[cell].number_format = "0"
    for row, cell in enumerate((512, 1024, "x", 0, None, 2048), 1):
        sheet.cell(row, 7, cell)
    sheet["H1"] = ArrayFormula("H1:H6", "=SIZEBOOK.PARAMS_MHA(G1:G6)")
    examples = book.create_sheet("Examples")
    for row, function in enumerate(FUNCTIONS, 1):
        cell = examples.cell(row, 1, example_formula(function))
        cell.number_format = "0" if shown_whole(function.example[1]) else "0.000000000E+00"
    path = tmp_path_factory.mktemp("calc") / "cases.xlsx"
    book.save(path)
    return path


@pytest.fixture(scope="module")
def displayed(workbook: Path, calc_display: Displays) -> Display:
    return calc_display(workbook)


@pytest.mark.parametrize(("row", "function"), list(enumerate(FUNCTIONS, 1)), ids=[f.name for f in FUNCTIONS])
def test_calc_displays_the_example_figure(displayed: Display, row: int, function: Function) -> None:
    value = (as_rows(function.example[1]) or [[function.example[1]]])[0][0]
    assert displayed["Examples"][f"A{row}"] == expected(value)


@pytest.mark.parametrize("cell", CASES)
def test_calc_displays_the_case(displayed: Display, cell: str) -> None:
    _, want, why = CASES[cell]
    assert displayed["Cases"][cell] == want, why


def test_one_bad_cell_spoils_only_its_own_result(displayed: Display) -> None:
    assert {cell: displayed["Cases"][cell] for cell in SPREAD} == SPREAD


def test_printed_page_shows_numbers_and_no_unknown_name(workbook: Path, calc_pdf: Prints) -> None:
    text = "\n".join(page.extract_text() for page in PdfReader(calc_pdf(workbook)).pages)
    assert "16785408" in text
    assert "#NAME?" not in text


def test_wizard_explains_every_function_and_argument(calc_office: Office) -> None:
    said = calc_office.wizard(sorted(load()))
    assert set(said) == set(load())
    for name, function in load().items():
        assert said[name]["description"] == function.summary
        for (shown, help_text, _), argument in zip(said[name]["arguments"], function.arguments, strict=True):
            assert shown == argument.name
            assert help_text.startswith(argument_help(argument))
            may_be_zero = argument.quantity.kind not in ("text", "choice", "date")
            assert help_text.endswith("(but B5:B5 as empty).") == (may_be_zero and not argument.required)
