"""The page of peers: its cases are whole, its figures dated, and a peer that is not there stops nothing."""

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.csv_files import written

ROOT = Path(__file__).resolve().parents[2]
# By its file: with its folder on the path, `import training` of other tests would find the benchmark of that name.
SPEC = importlib.util.spec_from_file_location("peers", ROOT / "benchmarks" / "peers.py")
assert SPEC is not None and SPEC.loader is not None
peers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(peers)

ASKED = {"aiconfigurator", "llm-d-planner", "configiq", "SimuMax", "hf-mem", "accelerate"}


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of two cases of one quantity, and of what one peer said of them."""
    monkeypatch.setattr(peers, "HERE", tmp_path)
    peers.load()
    written(tmp_path / "cases.csv", [case("1", "llama-3.1-8b", "8030261248"), case("2", "bert-base", "100000000")])
    yield tmp_path


def case(number: str, model: str, measured: str) -> dict[str, str]:
    return {
        "case": number,
        "quantity": "parameters",
        "model": model,
        "gpu": "",
        "measured": measured,
        "source": "here",
    } | dict.fromkeys(("tp", "ep", "weight_dtype", "kv_dtype", "engine"), "")


def test_errors_are_of_the_cases_that_both_answer(tables: Path) -> None:
    said = {"case": "1", "peer": "other", "version": "1.0", "day": "2026-11-26", "figure": "16060522496"}
    written(tables / "figures.csv", [said])
    assert [line.replace("\xa0", " ") for line in peers._errors()] == [
        "| parameters | other 1.0, 2026-11-26 | 2 | 1 | 2 | 100 % of 1 case |  | 0 % of 1 case |  |"
    ]


def test_a_median_stands_for_five_cases_or_more() -> None:
    # Off by 0, 10, 20, 30 and 90 %: 30 % in the mean, 20 % in the middle.
    pairs = [(1.0 + off, 1.0) for off in (0, 0.1, 0.2, 0.3, 0.9)]
    assert peers._summary(pairs).replace("\xa0", " ") == "30 % | 20 %"
    assert peers._summary(pairs[1:]).replace("\xa0", " ") == "38 % of 4 cases | "


def test_what_a_peer_states_of_training_stands_once() -> None:
    """37 of the 43 rows of its table: their mean is 4.91 %, that of all 5.62 %."""
    lines = (ROOT / "docs" / "peers_table.md").read_text(encoding="utf-8").replace("\xa0", " ").splitlines()
    (line,) = (line for line in lines if line.startswith("| SimuMax | step time"))
    assert line.startswith("| SimuMax | step time of training | 37 | 4.9 % | 5.3 % | 37 of its 43 runs on B200 ")
    assert "SimuMax | 5" not in (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")


def test_a_peer_that_is_there_is_asked_and_its_day_kept(tables: Path, tmp_path: Path) -> None:
    written(tables / "figures.csv", [{"case": "9", "peer": "kept", "version": "2", "day": "2026-01-01", "figure": "1"}])
    answer = tmp_path / "asked.py"
    answer.write_text(
        'import json, sys\njson.dump({"version": "3.1", "figures": {"1": len(json.load(sys.stdin))}}, sys.stdout)\n'
    )
    peers.measure("other", sys.executable)
    kept, new = peers.rows("figures")
    assert kept["peer"] == "kept"
    assert (new["case"], new["peer"], new["version"], new["figure"]) == ("1", "other", "3.1", "2")


def test_a_peer_that_is_not_there_is_named() -> None:
    with pytest.raises(SystemExit, match=r"^peer not asked: got .*, want figures of hf-mem\. Install it for "):
        peers.measure("hf-mem", sys.executable)


def test_every_peer_is_beside_us_with_what_it_does_better() -> None:
    assert {row["peer"] for row in peers.rows("better")} == ASKED
    assert set(peers.rows("features")[0]) == {"feature", "sizebook", *ASKED}
    assert {row["peer"] for row in (*peers.rows("figures"), *peers.rows("stated"))} == ASKED
    assert [row for row in peers.rows("cases") if not row["source"] or not float(row["measured"]) > 0] == []


def test_what_a_peer_is_asked_is_json() -> None:
    asked = [{**row, "config": dict(peers.catalog.config(row["model"]))} for row in peers.rows("cases")]
    assert len(json.loads(json.dumps(asked, default=list))) == len(asked) == 99
