"""The table of samples names keys that a scenario takes and headings that its report has."""

import subprocess
from pathlib import Path

import pytest
from samples_page import MOVES, SCENARIOS

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_has_a_line_for_each_scenario() -> None:
    assert MOVES.keys() == {path.stem for path in SCENARIOS}


@pytest.mark.parametrize("path", SCENARIOS, ids=lambda path: path.stem)
def test_what_a_line_says_to_change_and_to_read_is_there(path: Path) -> None:
    key, heading = MOVES[path.stem]
    assert f"{key} = " in path.read_text(encoding="utf-8")
    report = ROOT / "reports" / f"{path.stem}.pdf"
    said = subprocess.run(["pdftotext", report, "-"], capture_output=True, text=True, check=True).stdout
    assert heading in " ".join(said.split())
