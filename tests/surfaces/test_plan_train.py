"""`sizebook plan train` on scenario files: text, JSON, and every refusal before anything is computed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from sizebook.cli import app
from sizebook.errors import SizebookError
from sizebook.scenarios import parse
from sizebook.training_scenario import TrainingScenario, training_inputs

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


def _refusal(**changes: object) -> str:
    values = {key: value for key, value in {**BASE, **changes}.items() if value is not None}
    with pytest.raises(SizebookError) as refused:
        training_inputs(parse(TrainingScenario, values, "run.toml"))
    return str(refused.value)


def test_json_holds_the_three_cases_and_every_component(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["plan", "train", str(_file(tmp_path)), "--json"])
    plan = json.loads(result.output)
    assert plan["parameters"] == 8_030_261_248
    cases = plan["cases"]
    assert cases["low"]["cost_usd"] < cases["middle"]["cost_usd"] < cases["high"]["cost_usd"]
    assert cases["middle"]["cost_usd"] == pytest.approx(2.0 * cases["middle"]["gpu_hours"])
    assert cases["middle"]["step_seconds"] == pytest.approx(sum(plan["step_seconds"].values()))
    stage = plan["memory"]["stages"][0]
    parts = {name: value for name, value in stage.items() if name not in ("stage", "allocated", "reserved", "total")}
    assert sum(parts.values()) == pytest.approx(stage["total"])


def test_text_says_layout_memory_and_cases(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["plan", "train", str(_file(tmp_path)), "--explain"])
    assert result.exit_code == 0
    assert "TP2 PP1 DP32 ZeRO-1 mb1" in result.output
    for word in ("memory", "gradients", "GPU-hours", "CO2e, location", "goodput", "chinchilla", "Step time"):
        assert word in result.output


def test_layouts_lists_the_fastest_and_why_others_fail(tmp_path: Path) -> None:
    path = str(_file(tmp_path, model="llama-3.1-70b"))
    text = CliRunner().invoke(app, ["plan", "train", path, "--layouts"]).output
    found = json.loads(CliRunner().invoke(app, ["plan", "train", path, "--layouts", "--json"]).output)
    best, failing = found["layouts"][:10], found["layouts"][10:]
    assert all(not each["reason"] for each in best) and all(each["reason"] for each in failing)
    assert best[0]["layout"]["name"] in text and failing[0]["reason"] in text
    assert text.startswith(f"{found['fitting']} of {found['tried']} layouts fit")


def test_without_degrees_the_layout_is_searched() -> None:
    values = {key: value for key, value in BASE.items() if key not in ("tp", "zero_stage")}
    inputs = training_inputs(parse(TrainingScenario, values, "run.toml"))
    assert inputs.layout.gpus == 64


def test_achieved_flops_become_a_utilisation() -> None:
    inputs = training_inputs(parse(TrainingScenario, {**BASE, "achieved_tflops": 400.0}, "run.toml"))
    assert inputs.utilization == pytest.approx(400 / 989.4)


def test_owned_hardware_replaces_the_price() -> None:
    values = {key: value for key, value in BASE.items() if key != "price_usd_per_gpu_hour"}
    owned = {"capex_usd": 35_040.0, "years": 4.0, "busy": 1.0, "usd_per_kwh": 0.0}
    inputs = training_inputs(parse(TrainingScenario, {**values, "owned": owned}, "run.toml"))
    assert inputs.costs.price_usd_per_gpu_hour == pytest.approx(1.0)


def test_a_reserved_price_stands_beside_its_providers_price_on_demand() -> None:
    values = {key: value for key, value in BASE.items() if key != "price_usd_per_gpu_hour"}
    basis = training_inputs(parse(TrainingScenario, {**values, "term": "reserved_1y"}, "run.toml")).costs.basis
    # Google is the one provider: a3-highgpu-8g 88.49 and a3-megagpu-8g 93.4007 USD an hour, 8 GPUs each.
    assert "median of gcp" in basis
    assert basis.endswith("; on demand the same providers ask 11.37")
    assert "on demand the same" not in training_inputs(parse(TrainingScenario, values, "run.toml")).costs.basis


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"gpus": 0},
            "run.toml: bad value: got gpus = 0, want a whole number of GPUs above 0 (Input should be greater than 0). "
            "Correct it.",
        ),
        (
            {"toknes": 1},
            "Did you mean 'tokens'?",
        ),
        (
            {"optimizer": "adam"},
            "unknown optimizer: got 'adam', want one of adamw, adamw-bf16, adamw-8bit, adafactor, sgd-momentum, sgd, "
            "lion, muon. Did you mean 'adamw'?",
        ),
        (
            {"mfu": 0.4, "achieved_tflops": 400.0},
            "time is given twice: got mfu 0.4 and achieved_tflops 400, want one. Remove one of the two lines.",
        ),
        (
            {"grams_per_kwh": None},
            "no grid: got neither grid nor grams_per_kwh, want where the energy comes from. "
            "Add a line 'grid = \"usa\"' or another region of data/grid.csv.",
        ),
        (
            {"owned": {"capex_usd": 30_000.0}},
            "price is given twice: got price_usd_per_gpu_hour 2 and a table [owned], want one. Remove one of the two.",
        ),
        ({"gpu": "h100-smx"}, "unknown gpu: got 'h100-smx', want a key of data/hardware.csv. Did you mean 'h100-sxm'?"),
    ],
)
def test_bad_scenarios_are_refused(changes: dict[str, object], message: str) -> None:
    assert _refusal(**changes).endswith(message)


def test_an_impossible_layout_ends_with_code_2(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["plan", "train", str(_file(tmp_path, tp=3))])
    assert isinstance(result.exception, SizebookError)
    assert "GPUs are not the product of the layout: got 64 GPUs" in str(result.exception)
