"""Tables of training plans: the same figures as a single plan, bad rows kept with their reason."""

from __future__ import annotations

import pytest

from sizebook.formulas.hardware import accelerator
from sizebook.models import catalog
from sizebook.plans.layout import Layout
from sizebook.plans.training import Costs, Power, TrainingInputs, plan_training
from sizebook.plans.training_rows import INPUTS, OUTPUTS, training_row

ROW = {
    "model": "llama-3.1-8b",
    "gpu": "h100-sxm",
    "gpus": 64,
    "batch": 512,
    "seq": 4096,
    "tp": 2,
    "tokens": 1e12,
    "price_usd_per_gpu_hour": 2.0,
    "grams_per_kwh": 400,
}


def test_a_row_gives_what_a_plan_gives() -> None:
    plan = plan_training(
        TrainingInputs(
            model="llama-3.1-8b",
            architecture=catalog.architecture("llama-3.1-8b"),
            gpu=accelerator("h100-sxm"),
            gpus=64,
            tokens=1e12,
            seq=4096,
            batch=512,
            layout=Layout(tp=2, dp=32),
            costs=Costs(2.0),
            power=Power(700, grams_per_kwh=400),
        )
    )
    result, middle = training_row(ROW), plan.middle
    assert tuple(result) == OUTPUTS
    assert result["memory_bytes"] == plan.fullest.total
    assert result["reason"] == "" and result["fits"] is True
    pairs = {
        "step_seconds": middle.step_seconds,
        "tokens_per_s_per_gpu": middle.tokens_per_s_per_gpu,
        "mfu_reached": middle.mfu,
        "train_days": middle.days,
        "gpu_hours": middle.gpu_hours,
        "cost_usd": middle.cost_usd,
        "energy_kwh": middle.energy_kwh,
        "co2e_kg": middle.co2e_kg,
    }
    assert {name: result[name] for name in pairs} == pytest.approx(pairs)
    assert (1 + result["error_low"]) * middle.step_seconds == pytest.approx(plan.cases[0].step_seconds)


def test_a_given_mfu_is_reached_and_has_no_band() -> None:
    result = training_row({**ROW, "mfu": 0.35})
    assert result["mfu_reached"] == pytest.approx(0.35)
    assert (result["error_low"], result["error_high"]) == (0, 0)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"gpu": "h100-smx"}, "unknown gpu: got 'h100-smx', want a key of data/hardware.csv. Did you mean 'h100-sxm'?"),
        ({"tokens": 0}, "nothing to train: got 0 tokens, want above 0. Correct tokens."),
        ({"tokens": ""}, "nothing to train: got None tokens, want above 0. Correct tokens."),
        ({"gpus": None}, "gpus is blank: got nothing, want a value. Fill the cell."),
        ({"gpus": "many"}, "gpus is not a number: got 'many', want digits. Correct the cell."),
        ({"tp": 1.5}, "tp is not whole: got 1.5, want a whole number. Correct the cell."),
    ],
)
def test_a_bad_row_holds_its_reason_and_no_figures(changes: dict[str, object], reason: str) -> None:
    result = training_row({**ROW, **changes})
    assert result["reason"] == reason
    assert all(value is None for name, value in result.items() if name != "reason")


def test_cells_of_a_text_file_are_read_as_numbers() -> None:
    assert training_row({name: str(value) for name, value in ROW.items()}) == training_row(ROW)


def test_a_row_that_does_not_fit_keeps_its_figures() -> None:
    result = training_row({**ROW, "tp": 1, "micro_batch": 8})
    assert result["fits"] is False and result["cost_usd"] > 0
    assert result["reason"].startswith("does not fit: ")
    assert set(ROW) <= set(INPUTS)
