"""What is said of a workbook before it is filled."""

import sys
import zipfile
from pathlib import Path

import pytest
from openpyxl import load_workbook

from sizebook.cli import main
from sizebook.workbooks.template_check import check_template


def _added(path: Path, part: str) -> None:
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(part, "<x/>")


def test_inputs_and_cells_in_error_are_named(template: Path) -> None:
    found = check_template(template)
    assert [(each.name, each.place, each.takes) for each in found.inputs] == [
        ("d_model", "Plan!A2", "any value; must be given"),
        ("dtype", "Plan!A3", "one of bf16, fp32; as it stands where left out"),
        ("day", "Plan!A4", "any value; as it stands where left out"),
        ("twice", "Plan!A5", "any value; as it stands where left out"),
    ]
    assert found.n_formulas == 8
    assert found.problems == ("Plan!B6: =1/0 gives #DIV/0!",)
    assert found.notes == ("2 functions of sizebook are called: MODEL_BYTES, PARAMS_MHA",)


def test_values_of_a_scenario_are_checked_as_filling_would(template: Path) -> None:
    before = template.read_bytes()
    assert check_template(template, {"d_modle": 8, "dtype": "int9"}).problems == (
        "template.xlsx: unknown input: got 'd_modle', want 'd_model', or one of dtype, day, twice. Correct it.",
        "template.xlsx: not in the list: got 'int9' for 'dtype', want one of bf16, fp32. Choose one of them.",
        "template.xlsx: missing input: got no 'd_model', want a value for Plan!A2. Add it to the scenario.",
    )
    assert check_template(template, {"d_model": -8}).problems[0].startswith("Plan!B2: d_model is out of range")
    assert template.read_bytes() == before


def test_a_workbook_without_inputs_or_signed_cannot_be_filled(template: Path) -> None:
    book = load_workbook(template)
    for name in list(book.defined_names):
        del book.defined_names[name]
    book.save(template)
    _added(template, "_xmlsignatures/sig1.xml")
    assert check_template(template).problems == (
        "signed workbook: got template.xlsx with a digital signature, which filling would break, want one without. "
        "Remove the signature in Excel (File > Info), and sign what was filled.",
        "no inputs: got template.xlsx, want a defined name on a cell with the style 'Input' or 'Optional input'. Name "
        "the input cells and give them that style.",
    )


def test_what_readers_may_lack_is_noted(template: Path) -> None:
    book = load_workbook(template)
    sheet = book["Plan"]
    sheet["C1"], sheet["C2"] = "=_xlfn.TEXTJOIN(A2,TRUE,A3)", "=_xlfn.TEXTJOIN(A2,TRUE,A3)"
    sheet["C3"] = '=PARAMS_MODEL("llama-3.1-8b")'
    book.save(template)
    _added(template, "xl/pivotTables/pivotTable1.xml")
    assert check_template(template, target="lambda").notes == (
        "TEXTJOIN is newer than Excel 2007, and other readers may lack it: Plan!C1 and 1 more",
        "PARAMS_MODEL is more than plain arithmetic: it needs the add-in in Excel 365, too",
        "pivot tables keep their figures until Excel refreshes them",
    )


def test_the_command_tells_problems_by_its_exit_code(
    template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = tmp_path / "s.toml"
    scenario.write_text("d_model = 8\n")
    monkeypatch.setattr(sys, "argv", ["sizebook", "template", "check", str(template), "--scenario", str(scenario)])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr()
    assert ended.value.code == 1
    assert said.err == "sizebook: Plan!B6: =1/0 gives #DIV/0!\n"
    assert said.out.splitlines()[:2] == [
        "template.xlsx: 4 inputs, 8 formulas",
        "  d_model  Plan!A2  any value; must be given",
    ]
