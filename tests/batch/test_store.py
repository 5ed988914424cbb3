"""The store of scenarios and runs: what goes in comes out, differences add up, two processes lose nothing."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sizebook.batch.store import opened
from sizebook.cli import app
from sizebook.core.errors import SizebookError

KEYS = {
    "plan": "serving",
    "model": "llama-3.1-8b",
    "gpu": "h100-sxm",
    "requests_per_day": 1e6,
    "input_tokens": 2000,
    "output_tokens": 300,
    "as_of": "2026-11-21",
}


def written(folder: Path, name: str, **changed: Any) -> Path:
    path = folder / f"{name}.toml"
    lines = (f"{key} = {value!r}" for key, value in {**KEYS, **changed}.items())
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def run(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["store", *words, "--store", str(folder / "plans.store")])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    base, more = written(tmp_path, "base"), written(tmp_path, "more", requests_per_day=4e6, gpu="h200-sxm")
    assert run(tmp_path, "add", str(base), "--label", "v1", "--author", "Ada").exit_code == 0
    assert run(tmp_path, "add", str(more), "--label", "v2", "--parent", "v1", "--approved-by", "Grace").exit_code == 0
    return tmp_path


def test_what_was_told_is_listed_and_adding_again_adds_nothing(folder: Path) -> None:
    again = run(folder, "add", str(folder / "base.toml"), "--approved-by", "Grace")
    assert again.exit_code == 0
    first, second = run(folder, "list").output.splitlines()
    assert first.endswith("serving    base  label v1  by Ada  approved by Grace")
    assert second.endswith(f"serving    more  label v2  approved by Grace  from {first[:12]}")


def test_a_difference_names_inputs_figures_and_a_bridge_that_adds_up(folder: Path) -> None:
    with opened(folder / "plans.store") as store:
        one, other = store.find("v1"), store.find("v2")
        found = store.difference(one, other)
        costs = [store.figures(each)["usd"] for each in (one, other)]
    told = [(step.key, step.before, step.after) for step in found.bridge.steps]
    assert told == [("gpu", "h100-sxm", "h200-sxm"), ("requests_per_day", 1e6, 4e6)]
    assert (found.bridge.figure, found.bridge.start, found.bridge.steps[-1].value) == ("usd", costs[0], costs[1])
    assert {moved.name for moved in found.figures} >= {"usd", "peak_gpus_first"}
    said = run(folder, "diff", "v1", "v2").output
    assert "input   gpu: h100-sxm -> h200-sxm" in said and said.count("bridge  ") == 4


def test_build_works_out_only_what_is_missing_and_sql_reads_it(folder: Path) -> None:
    assert run(folder, "build").output == "2 of 2 scenarios worked out, 0 stood already\n"
    assert run(folder, "build").output == "0 of 2 scenarios worked out, 2 stood already\n"
    asked = "SELECT s.label, f.value FROM figure f JOIN scenario s ON s.hash = f.scenario WHERE f.name = 'input_tokens'"
    assert run(folder, "sql", asked).output == "label\tvalue\nv1\t2000.0\nv2\t2000.0\n"
    refused = run(folder, "sql", "DELETE FROM scenario")
    assert str(refused.exception) == (
        "not answered: got attempt to write a readonly database, want SQL that reads scenario, run and figure. Correct "
        "it."
    )
    assert run(folder, "list").output.count("\n") == 2


@pytest.mark.parametrize(
    ("mark", "message"),
    [("v3", "unknown scenario: got v3, want digits of a hash"), ("", "unknown scenario: got , want digits of a hash")],
)
def test_an_unknown_scenario_is_refused_with_those_that_are_there(folder: Path, mark: str, message: str) -> None:
    with opened(folder / "plans.store") as store, pytest.raises(SizebookError, match=f"^{message}.*v1, .* v2"):
        store.find(mark)


def test_a_file_that_is_no_store_and_a_bad_scenario_are_refused(tmp_path: Path) -> None:
    (tmp_path / "plans.store").write_text("no database, but a text that is long enough to be read as one" * 9)
    assert str(run(tmp_path, "list").exception) == (
        "no store: got file is not a database in plans.store, want a file of 'sizebook store'. Name another."
    )
    (tmp_path / "plans.store").unlink()
    bad = run(tmp_path, "add", str(written(tmp_path, "bad", gpu="none")))
    assert "unknown gpu: got 'none'" in str(bad.exception) and run(tmp_path, "list").output == ""


ADD = """
import sys
from pathlib import Path
from sizebook.batch.store import opened
for number in range(int(sys.argv[2]), int(sys.argv[3])):
    with opened(Path(sys.argv[1])) as store:
        store.add({"model": "llama-3.1-8b", "title": f"number {number}"}, Path("."), f"s{number}")
"""


def test_two_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "plans.store"
    parts = [("0", "15"), ("15", "30"), ("10", "20")]
    running = [subprocess.Popen([sys.executable, "-c", ADD, str(path), *part]) for part in parts]
    assert [each.wait(timeout=300) for each in running] == [0, 0, 0]
    with opened(path) as store:
        assert sorted(each.name for each in store.all()) == sorted(f"s{number}" for number in range(30))
