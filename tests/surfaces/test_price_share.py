"""What the price makes of the range of cost is one figure: of all months, in a plan's warnings and on its *Result*."""

import re
from pathlib import Path

import pytest
from openpyxl import load_workbook

from sizebook.batch.plan_kinds import plan_scenario
from sizebook.scenarios.scenario_files import read_toml
from sizebook.sources.bundled import bundled
from tests.row_lists import listed

ROOT = Path(__file__).resolve().parents[2]


def share_in(texts: list[str]) -> str:
    (found,) = {share for text in texts for share in re.findall(r"(\d+)\s%\sof\s(?:it\.|the\srange)", text)}
    return found


@pytest.mark.parametrize(*listed("surfaces", "test_result_says_the_share_of_the_plan"))
def test_result_says_the_share_of_the_plan(file: str, scenario: str) -> None:
    path = ROOT / scenario
    planned = plan_scenario(read_toml(path), path.name, path.parent)
    shown = load_workbook(bundled("workbooks") / file, data_only=True)["Result"]
    texts = [cell.value for row in shown.iter_rows() for cell in row if isinstance(cell.value, str)]
    assert share_in(texts) == share_in(list(planned.warnings))
