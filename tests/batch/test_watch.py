"""`sizebook watch`: plans that were handed over, planned again; which hold, which moved and through what."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sizebook.batch.formats import FORMATS, RECORD
from sizebook.batch.inspection import ChangedFigure
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.batch.watch import HEADS, first, through
from sizebook.cli import app

TRAINED: dict[str, Any] = {"plan": "training", "model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 64, "batch": 512}
TRAINED |= {"tokens": 1e11, "price_usd_per_gpu_hour": 2.0}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of plans: one that holds in two formats, one whose cost was half, one of a model that is gone."""
    found = tmp_path / "plans"
    (found / "older").mkdir(parents=True)
    planned = plan_scenario(TRAINED, "here", tmp_path)
    (found / "holds.json").write_bytes(FORMATS["json"].content(planned))
    (found / "holds.csv").write_bytes(FORMATS["csv"].content(planned))
    moved = json.loads((found / "holds.json").read_text())
    cost = moved["figures"]["cost_usd"]
    cost["value"] = cost["value"] / 2
    moved["figures"]["price_usd_per_gpu_hour"] = {**cost, "value": 1.0}
    (found / "older" / "moved.json").write_text(json.dumps(moved))
    gone = json.loads((found / "holds.json").read_text())
    gone[RECORD]["scenario"]["model"] = "llama-3.1-9b"
    (found / "older" / "refused.json").write_text(json.dumps(gone))
    (found / "notes.csv").write_text("a,b\n1,2\n")
    return found


def test_lines_table_page_and_exit_code(folder: Path, tmp_path: Path) -> None:
    table, page = tmp_path / "watch.csv", tmp_path / "watch.html"
    done = CliRunner().invoke(app, ["watch", str(folder), "--csv", str(table), "--html", str(page)])
    lines = done.output.splitlines()
    assert done.exit_code == 1
    assert lines[-1] == "5 files: 2 holds, 1 moved, 1 refused, 1 not read"
    assert any(
        line.startswith("older/moved.json: moved through price: cost_usd") and "+100.0%" in line for line in lines
    )
    assert any(line.startswith("older/refused.json: refused: ") and "llama-3.1-9b" in line for line in lines)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert [(row["file"], row["state"]) for row in rows] == [
        ("holds.csv", "holds"),
        ("holds.json", "holds"),
        ("notes.csv", "not read"),
        ("older/moved.json", "moved"),
        ("older/refused.json", "refused"),
    ]
    assert list(rows[0]) == list(HEADS) and float(rows[3]["change"]) == pytest.approx(1.0)
    assert page.read_text().count("<tr>") == 6


def test_a_folder_whose_plans_all_hold_exits_with_0(folder: Path) -> None:
    for name in ("older/moved.json", "older/refused.json", "notes.csv"):
        (folder / name).unlink()
    done = CliRunner().invoke(app, ["watch", str(folder)])
    assert (done.exit_code, done.output) == (0, "2 files: 2 holds, 0 moved, 0 refused, 0 not read\n")


def test_a_changed_file_leaves_the_verdict_of_an_honest_one(folder: Path) -> None:
    """The hash that a file states is not its scenario: the file comes first here and has the hash of the others."""
    changed = json.loads((folder / "holds.json").read_text())
    changed[RECORD]["scenario"]["model"] = "llama-3.1-9b"
    (folder / "changed.json").write_text(json.dumps(changed))
    lines = CliRunner().invoke(app, ["watch", str(folder)]).output.splitlines()
    assert lines[0].startswith("changed.json: refused: ")
    assert lines[-1] == "6 files: 2 holds, 1 moved, 2 refused, 1 not read"


@pytest.mark.parametrize(
    ("names", "cause"),
    [
        (("cost_usd", "price_usd_per_gpu_hour"), "price"),
        (("tpot_seconds", "usd"), "estimate, price"),
        (("parameters", "weight_bytes"), "model"),
        (("grams_per_kwh",), "power or grid"),
        (("ttft_seconds_p90",), "estimate, band"),
        (("cost_usd", "price_usd_per_gpu_hour", "usd_most"), "price"),
        (("energy_kwh", "co2e_kg"), "power or grid"),
        (("anything",), "other"),
    ],
)
def test_causes_by_what_moved(names: tuple[str, ...], cause: str) -> None:
    assert through([ChangedFigure(name, 1, 2) for name in names]) == cause


def test_the_cost_is_shown_first() -> None:
    assert first([ChangedFigure("mfu", 0.4, 0.5), ChangedFigure("cost_usd", 1, 2)]).name == "cost_usd"
