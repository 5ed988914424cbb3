"""`sizebook plan train` on scenario files: text, JSON, and every refusal before anything is computed."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import sizebook.plans.training.tables  # noqa: F401  # registers the ledger
from sizebook.core.errors import SizebookError
from sizebook.plans.training.inputs import Training, settled
from sizebook.plans.training.plan import plan_training, unchecked_plan
from sizebook.scenarios.scenario_files import parse
from sizebook.scenarios.training import TrainingScenario, training_inputs, with_found_layout
from sizebook.training.layout import Layout
from tests.commands import run
from tests.refused import message_of
from tests.row_lists import listed

BASE = {
    "plan": "training",
    "model": "llama-3.1-8b",
    "gpu": "h100-sxm",
    "gpus": 64,
    "tokens": 1e12,
    "batch": 512,
    "tp": 2,
    "zero_stage": 1,
    "price_usd_per_gpu_hour": 2.0,
    "grams_per_kwh": 400.0,
}


def _file(folder: Path, **changes: object) -> Path:
    path = folder / "run.toml"
    lines = (f"{key} = {json.dumps(value)}" for key, value in {**BASE, **changes}.items() if value is not None)
    path.write_text("\n".join(lines))
    return path


def _inputs(**changes: object) -> Training:
    values = {key: value for key, value in {**BASE, **changes}.items() if value is not None}
    return training_inputs(parse(TrainingScenario, values, "run.toml"))


def _refusal(**changes: object) -> str:
    return message_of(SizebookError, _inputs, **changes)


@pytest.mark.parametrize(("plan", "scenario"), [("train", ""), ("programme", "reports/programme-llama-3.1-405b.toml")])
def test_json_explains_what_the_text_explains(plan: str, scenario: str, tmp_path: Path) -> None:
    words = ["plan", plan, scenario or str(_file(tmp_path))]
    lines = run(*words, "--explain").output.splitlines()
    found = json.loads(run(*words, "--explain", "--json").output)
    steps = found.pop("derivations")
    assert [f"  formula  {step['formula']}" for step in steps] == [each for each in lines if "  formula  " in each]
    assert found == json.loads(run(*words, "--json").output) and len(steps) > 3


def test_layouts_lists_the_fastest_and_why_others_fail(tmp_path: Path) -> None:
    path = str(_file(tmp_path, model="llama-3.1-70b"))
    text = run("plan", "train", path, "--layouts").output
    found = json.loads(run("plan", "train", path, "--layouts", "--json").output)
    best, failing = found["layouts"][:10], found["layouts"][10:]
    assert all(not each["reason"] for each in best) and all(each["reason"] for each in failing)
    assert best[0]["layout"]["name"] in text and failing[0]["reason"] in text
    assert text.startswith(f"{found['fitting']} of {found['tried']} layouts fit")


def test_a_data_parallel_degree_alone_is_a_layout() -> None:
    assert _inputs(tp=None, zero_stage=None, dp=64).layout == Layout(dp=64)
    assert _inputs(dp=32).layout == _inputs().layout == Layout(tp=2, dp=32)
    with pytest.raises(SizebookError, match=r"^GPUs are not the product of the layout: got 64 GPUs and tp 2 .* dp 1 "):
        plan_training(_inputs(dp=1))


def test_achieved_flops_become_a_utilisation() -> None:
    inputs = _inputs(achieved_tflops=400.0)
    assert inputs.utilization == pytest.approx(400 / 989.4)


def test_owned_hardware_replaces_the_price() -> None:
    owned = {"capex_usd": 35_040.0, "years": 4.0, "busy": 1.0, "usd_per_kwh": 0.0}
    inputs = _inputs(price_usd_per_gpu_hour=None, owned=owned)
    assert inputs.costs.price_usd_per_gpu_hour == pytest.approx(1.0)
    assert inputs.costs.basis == "owned: 35040 USD a GPU over 4 years, 100\u00a0% busy, energy included"


def test_a_reserved_price_stands_beside_its_providers_price_on_demand(listed: Callable[..., None]) -> None:
    listed(
        ("gcp", "h100-sxm", "us-central1", "on_demand", 11.0, "2026-11-09"),
        ("gcp", "h100-sxm", "us-east4", "on_demand", 11.74, "2026-11-09"),
        ("gcp", "h100-sxm", "us-east4", "reserved_1y", 7.5, "2026-08-20"),
    )
    basis = _inputs(price_usd_per_gpu_hour=None, term="reserved_1y", provider="gcp").costs.basis
    assert "gcp alone" in basis
    assert basis.endswith("; on demand the same providers ask 11.37")
    assert "on demand the same" not in _inputs(price_usd_per_gpu_hour=None).costs.basis


def test_the_planned_scenario_gives_the_plan_again() -> None:
    """What was searched or owned stands in it as numbers, so that a cell can be given them; blanks stay blank."""
    owned = {"capex_usd": 30_000, "usd_per_kwh": 0.08}
    values = {**BASE, "owned": owned, "achieved_tflops": 400.0, "grid": "fra"}
    left_out = ("tp", "zero_stage", "price_usd_per_gpu_hour", "grams_per_kwh")
    scenario = parse(TrainingScenario, {k: v for k, v in values.items() if k not in left_out}, "run.toml")
    plan = plan_training(training_inputs(scenario))
    inputs = with_found_layout(scenario, plan).inputs
    assert unchecked_plan(settled(scenario.model, scenario.gpu, inputs, stated={"dp"})).cases == plan.cases
    assert inputs.prices.owned is None and inputs.prices.price_usd_per_gpu_hour is not None
    assert (inputs.run.pace.achieved_tflops, inputs.energy.grams_per_kwh) == (400, None)
    assert inputs.layout == plan.inputs.layout != scenario.inputs.layout


@pytest.mark.parametrize(*listed("cli", "test_bad_scenarios_are_refused"))
def test_bad_scenarios_are_refused(changes: dict[str, object], message: str) -> None:
    assert _refusal(**changes).endswith(message)
