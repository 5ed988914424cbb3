"""Whole runs: published GPU-hours over planned ones, the default, and what a plan makes of them."""

import importlib
import sys
from datetime import date
from math import exp, log
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.core.tables import table
from sizebook.plans.training.plan import TrainingPlan, unchecked_plan
from sizebook.plans.training.tables import ledger
from sizebook.reports.document import Table
from sizebook.reports.training.report import report
from sizebook.scenarios.scenario_files import parse
from sizebook.scenarios.training import TrainingScenario
from sizebook.training.quantities import Programme
from sizebook.training.whole_run import basis_of, default, ends_of, factor_of, mean, programme_spread
from tests.plans.training.training_runs import run_of

ROOT = Path(__file__).resolve().parents[3]
ROWS = table("training_programmes")
GIVEN: dict[str, Any] = {
    "gpus": 64, "tokens": 1e12, "batch": 512, "price_usd_per_gpu_hour": 2, "other_usd": 1000, "start_hours": 10,
}  # fmt: skip


def _plan(**changes: Any) -> TrainingPlan:
    return unchecked_plan(run_of("llama-3.1-8b", "h100-sxm", **{**GIVEN, **changes}))


def test_families_weigh_the_same() -> None:
    """Two programmes of one family count as their geometric mean, 2 and 0.5 as 1; with another of 4 that is 2."""
    assert mean([("one", 2.0), ("one", 0.5), ("other", 4.0)]) == pytest.approx(2)


def test_ratios_are_published_over_planned() -> None:
    for row in ROWS:
        assert float(row["ratio"]) == pytest.approx(float(row["gpu_hours"]) / float(row["planned_gpu_hours"]), abs=6e-4)
    by_model = {row["model"]: float(row["gpu_hours"]) for row in ROWS}
    # 440 GPUs for 9.5 days, 384 for 24, 256 for 30, 1920 for 21.
    assert by_model["mpt-7b"] == 440 * 9.5 * 24 and by_model["smollm3-3b"] == 384 * 24 * 24
    assert by_model["stablelm-3b-4e1t"] == 256 * 30 * 24 and by_model["phi-4"] == 1920 * 21 * 24


def test_planned_hours_and_the_page_are_those_of_todays_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT / "calibration")])
    script = importlib.import_module("training_programmes")
    for row in ROWS:
        hours = script.planned(row).middle.gpu_hours
        assert hours == pytest.approx(float(row["planned_gpu_hours"]), rel=1e-3), "calibration/training_programmes.py"
    assert (ROOT / "docs" / "training_programmes_table.md").read_text(encoding="utf-8") == script.page()


def test_the_published_hours_are_the_catalogs() -> None:
    hours = {row["key"]: row["gpu_hours"] for row in table("models")}
    for row in ROWS:
        # Of DeepSeek-V3's 2.788 M hours 2.664 M are pre-training; IBM trained a Llama 2 of its own.
        others = {"deepseek": "2664000", "fms": "162000"}
        assert row["gpu_hours"] == others.get(row["family"], hours[row["model"]]), row["model"]


def test_a_stated_factor_multiplies_steps_and_not_the_start() -> None:
    plan = _plan(programme_factor=1.5)
    case = plan.middle
    steps = case.gpu_hours - 64 * 10
    assert case.programme_gpu_hours == pytest.approx(1.5 * steps + 640)
    assert case.programme_days == pytest.approx(case.programme_gpu_hours / 64 / 24)
    assert case.programme_cost_usd == pytest.approx(2 * case.programme_gpu_hours + 1000)


def test_a_factor_of_one_is_steady_state_and_no_factor_moves_it() -> None:
    one, default = _plan(programme_factor=1), _plan()
    assert one.middle.programme_gpu_hours == pytest.approx(one.middle.gpu_hours)
    assert one.middle.programme_cost_usd == pytest.approx(one.middle.cost_usd)
    assert [row[:-9] for row in ledger(one)] == [row[:-9] for row in ledger(default)]
    assert len({case.programme_gpu_hours / case.gpu_hours for case in one.cases}) == 1  # a given factor has no spread


def test_the_default_is_the_tables_mean_and_says_where_it_comes_from() -> None:
    """13 families of the table: two of Pythia and OpenELM each, three of Llama 2, five of Llama 3, nine of one."""
    families: dict[str, list[float]] = {}
    for row in ROWS:
        families.setdefault(row["family"], []).append(log(float(row["ratio"])))
    assert sorted(map(len, families.values())) == [1] * 9 + [2, 2, 3, 5]
    by_hand = exp(sum(sum(logs) / len(logs) for logs in families.values()) / 13)
    assert default() == pytest.approx(by_hand) == factor_of(Programme())
    assert programme_spread() == pytest.approx(1.26707**1.2816, rel=1e-4)
    assert basis_of(Programme()) == (
        f"data/training_programmes.csv: 21 published programmes, {by_hand / programme_spread():.2f} to "
        f"{by_hand * programme_spread():.2f} (10th to 90th percentile)"
    )
    assert ends_of(Programme(programme_factor=1.2)) == (1, 1)
    assert basis_of(Programme(programme_factor=1.2)) == "factor given in the scenario"


def test_page_one_prints_both() -> None:
    view = report(_plan(programme_factor=1.5), date(2026, 11, 21))
    tiles = {tile.label: tile for tile in view.tiles}
    assert {"Time, whole run", "Cost, whole run", "Steady state"} <= set(tiles)
    assert "Of that, steady state takes" in view.sentences[1]
    both = next(block for block in view.sections[0].blocks if isinstance(block, Table))
    assert [row.cells[0] for row in both.rows] == ["Steady state", "Whole run"]
    assert "1.50 times steady state (factor given in the scenario)" in both.note
    assert view.sentences[1].endswith("restarts, ramp and evaluation make it 1.50 times as much.")
    alone = report(_plan(programme_factor=1), date(2026, 11, 21))
    assert alone.sentences[1].startswith("That is steady state at $")


def test_less_than_steady_state_is_refused() -> None:
    values = {"plan": "training", "model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 8, "tokens": 1e9, "batch": 8}
    with pytest.raises(SizebookError) as refused:
        parse(TrainingScenario, {**values, "programme_factor": 0.9}, "run.toml")
    assert "programme_factor" in str(refused.value) and "0.9" in str(refused.value)
