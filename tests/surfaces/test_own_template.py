"""A plan in somebody's own workbook: Calc works out what was stored; command, batch and service give the same."""

import json
from pathlib import Path

import pytest
from openpyxl import load_workbook

from sizebook.batch.formats import FORMATS
from sizebook.batch.plan_contents import contents, outlines
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.intake.text_formats import toml_table
from sizebook.sources.bundled import bundled
from sizebook.web.request_work import ScenarioUpload, filled_workbook
from tests.commands import run
from tests.libreoffice.office import Office, is_same
from tests.workbooks.own_template import build

SCENARIO = Path(bundled("workbooks")) / "scenarios" / "own-template.toml"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own")
    build(folder / "own.xlsx")
    (folder / "fleet.toml").write_text(SCENARIO.read_text())
    return folder


@pytest.fixture(scope="module")
def filled(folder: Path) -> Path:
    words = ["fill", str(folder / "own.xlsx"), str(folder / "fleet.toml"), "-o", str(folder / "out.xlsx")]
    done = run(*words)
    assert done.exit_code == 0
    assert done.stdout.splitlines()[1:3] == [
        "  months at Our plan!A4:E41: 36 rows of months, 3 before",
        "  peak_gpus_last at Summary!B2: 320",
    ]
    return folder / "out.xlsx"


def test_calc_works_out_what_was_stored(filled: Path, calc_office: Office) -> None:
    recalculated = calc_office.values(filled)
    compared = 0
    for sheet in load_workbook(filled, data_only=True):
        for row in sheet.iter_rows():
            for cell in row:
                assert is_same(recalculated[sheet.title].get(cell.coordinate), cell.value), cell.coordinate
                compared += cell.value is not None
    assert compared > 150  # 36 months of four columns


def test_figures_and_months_are_those_of_the_json(filled: Path, folder: Path) -> None:
    planned = plan_scenario(toml_table(folder / "fleet.toml", "a scenario"), "fleet.toml", folder)
    found = json.loads(FORMATS["json"].content(planned))
    sheet = load_workbook(filled, data_only=True)["Our plan"]
    rows = [[cell.value for cell in row[:3]] for row in sheet["A5:C40"]]
    assert [(f"{at:%Y-%m}", gpus, usd) for at, gpus, usd in rows] == [
        (month["month"], month["peak_gpus"], month["usd"]) for month in found["tables"]["months"]
    ]
    assert sheet["A2"].value == found["figures"]["usd"]["value"]


def test_a_batch_and_the_service_fill_the_same(filled: Path, folder: Path) -> None:
    values = toml_table(folder / "fleet.toml", "a scenario") | {"report": {"workbook": "own.xlsx"}}
    planned = plan_scenario(values, "fleet.toml", folder)
    (folder / "batch.xlsx").write_bytes(FORMATS["xlsx"].content(planned))
    sent = ScenarioUpload((folder / "fleet.toml").read_bytes(), is_toml=True)
    served = filled_workbook(("own.xlsx", (folder / "own.xlsx").read_bytes(), sent))
    (folder / "served.xlsx").write_bytes(served.content)
    shown = [
        [[cell.value for cell in row] for sheet in load_workbook(folder / name, data_only=True) for row in sheet]
        for name in ("out.xlsx", "batch.xlsx", "served.xlsx")
    ]
    assert shown[0] == shown[1] == shown[2]
    assert any("no value 'nobody'" in note for note in planned.notes)
    assert any("no value 'nobody'" in note for note in served.notes)


def test_every_name_of_a_plan_is_known_without_one() -> None:
    reports = SCENARIO.parents[2] / "reports"
    scenarios = {
        "sizing": {"model": "gpt-2"},
        "training": toml_table(reports / "training-llama-3.1-70b.toml", "a scenario"),
        "serving": toml_table(reports / "serving-llama-3.1-70b.toml", "a scenario"),
        "fleet": toml_table(SCENARIO, "a scenario"),
        "programme": toml_table(reports / "programme-llama-3.1-405b.toml", "a scenario"),
    }
    assert scenarios.keys() == outlines().keys()
    for kind, values in scenarios.items():
        found, known = contents(plan_scenario(values, kind, reports).plan), outlines()[kind]
        assert [each.name for each in found.figures] == [each.name for each in known.figures]
        assert [(each.name, each.columns) for each in found.tables] == [
            (each.name, each.columns) for each in known.tables
        ]


def test_the_check_tells_by_its_exit_code(folder: Path) -> None:
    words = ["template", "check", str(folder / "own.xlsx")]
    done = run(*words, "--scenario", folder / "fleet.toml")
    assert done.exit_code == 1
    assert done.stderr == "sizebook: Summary!B1: no value 'nobody': left as it stands.\n"
    lines = done.stdout.splitlines()
    assert lines[0] == "own.xlsx: 0 inputs, 6 anchors, 9 formulas"
    assert "  months  Our plan!A4:E8  the table months: month, peak_gpus, usd" in lines
    assert "note: months[Remark] is no column of the plan's table months: left as it stands." in lines
