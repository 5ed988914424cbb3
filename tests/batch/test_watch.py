"""`sizebook watch`: plans that were handed over, planned again; which hold, which moved and through what."""

import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from sizebook.batch.formats import FORMATS, RECORD
from sizebook.batch.inspection import ChangedFigure
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.batch.store import opened
from sizebook.batch.watch import HEADS, cause_of, first
from tests.commands import run
from tests.csv_files import rows_of
from tests.row_lists import listed

TRAINED: dict[str, Any] = {"plan": "training", "model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 64, "batch": 512}
TRAINED |= {"tokens": 1e11, "price_usd_per_gpu_hour": 2.0}
CONFIG = {"model_type": "llama", "vocab_size": 100, "hidden_size": 64, "intermediate_size": 128}
CONFIG |= {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 4}


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
    done = run("watch", folder, "--csv", table, "--html", page)
    lines = done.output.splitlines()
    assert done.exit_code == 1
    assert lines[-1] == "5 files: 2 holds, 1 moved, 1 refused, 1 not read"
    assert any(
        line.startswith("older/moved.json: moved through price: cost_usd") and "+100.0%" in line for line in lines
    )
    assert any(line.startswith("older/refused.json: refused: ") and "llama-3.1-9b" in line for line in lines)
    rows = rows_of(table)
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
    done = run("watch", folder)
    assert (done.exit_code, done.output) == (0, "2 files: 2 holds, 0 moved, 0 refused, 0 not read\n")


def test_a_changed_file_leaves_the_verdict_of_an_honest_one(folder: Path) -> None:
    """The hash that a file states is not its scenario: the file comes first here and has the hash of the others."""
    changed = json.loads((folder / "holds.json").read_text())
    changed[RECORD]["scenario"]["model"] = "llama-3.1-9b"
    (folder / "changed.json").write_text(json.dumps(changed))
    lines = run("watch", folder).output.splitlines()
    assert lines[0].startswith("changed.json: refused: ")
    assert lines[-1] == "6 files: 2 holds, 1 moved, 2 refused, 1 not read"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of two scenarios that were worked out, one of which names a file."""
    (tmp_path / "config.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    with opened(tmp_path / "plans.store") as held:
        held.add(TRAINED, tmp_path, "trained", label="v1")
        held.add({"model": "config.json"}, tmp_path, "own")
        assert [problem for _, problem in held.build()] == ["", ""]
    return tmp_path / "plans.store"


def lines_of(path: Path) -> tuple[int, list[str]]:
    done = run("watch", path)
    return done.exit_code, done.output.splitlines()


def test_runs_of_a_store_that_hold(store: Path) -> None:
    assert lines_of(store) == (0, ["2 runs: 2 holds, 0 moved, 0 refused, 0 not read"])


def test_a_run_that_moved_names_figure_cause_and_day(store: Path) -> None:
    """A run of an older version whose cost was half; a scenario that no run has is named, not left out."""
    with opened(store) as held, held.database as database:
        ours = held.find("v1").hash
        database.execute("UPDATE figure SET value = value / 2 WHERE name = 'cost_usd' AND scenario = ?", (ours,))
        database.execute("UPDATE run SET sizebook = '0.1.0', data_date = '2020-01-31' WHERE scenario = ?", (ours,))
        held.add({**TRAINED, "gpus": 128}, store.parent, "unbuilt")
    code, [moved, unbuilt, total] = lines_of(store)
    assert code == 1 and total == "3 runs: 1 holds, 1 moved, 0 refused, 1 not read"
    assert re.fullmatch(
        r"v1 [0-9a-f]{12} \d{4}-\S+: moved through price: cost_usd \S+ -> \S+ \(\+100\.0%\); "
        r"version: 0\.1\.0, today \S+; data: of 2020-01-31, today of \d{4}-\d\d-\d\d",
        moved,
    )
    assert re.fullmatch(r"unbuilt [0-9a-f]{12}: not read: no run: work it out with 'sizebook store build'", unbuilt)


def test_a_run_whose_file_changed_or_is_gone(store: Path) -> None:
    """One layer less of 64 wide: attention 4 x 64 x 64, MLP 3 x 64 x 128, two norms of 64."""
    config = store.parent / "config.json"
    config.write_text(json.dumps({**CONFIG, "num_hidden_layers": 1}), encoding="utf-8")
    code, [line, _] = lines_of(store)
    before, today = re.findall(r"parameters (\d+) -> (\d+) ", line)[0]
    assert code == 1 and int(before) - int(today) == 4 * 64 * 64 + 3 * 64 * 128 + 2 * 64
    assert "moved through model" in line and line.endswith("; input: a file that the scenario names changed")
    config.unlink()
    code, [line, total] = lines_of(store)
    assert code == 1 and ": refused: " in line and total == "2 runs: 1 holds, 0 moved, 1 refused, 0 not read"


def test_what_is_neither_folder_nor_store_is_refused_and_left_alone(store: Path) -> None:
    missing = run("watch", store.parent / "none")
    assert str(missing.exception) == (
        "nothing to watch: got no none, want a folder of plans or a store. Correct the path."
    )
    assert not (store.parent / "none").exists()
    other = sqlite3.connect(store.parent / "other.db")
    other.execute("CREATE TABLE letters (a)")
    other.commit()
    refused = run("watch", store.parent / "other.db")
    assert str(refused.exception) == (
        "no store: got the table letters in other.db, want a file of 'sizebook store'. Name another."
    )
    assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("letters",)]
    other.close()


@pytest.mark.parametrize(*listed("batch", "test_causes_by_what_moved"))
def test_causes_by_what_moved(names: list[str], cause: str) -> None:
    assert cause_of([ChangedFigure(name, 1, 2) for name in names]) == cause


def test_the_cost_is_shown_first() -> None:
    assert first([ChangedFigure("mfu", 0.4, 0.5), ChangedFigure("cost_usd", 1, 2)]).name == "cost_usd"
