"""Tables of training plans: the same figures as a single plan, bad rows kept with their reason."""

from typing import Any

import pytest

from sizebook.plans.training.plan import unchecked_plan
from sizebook.plans.training.rows import INPUTS, OUTPUTS
from tests.plans.training.training_runs import run_of, training_row
from tests.row_lists import listed

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


# Every input that a row may state, with a value that is not its default.
STATED: dict[str, Any] = {
    "seq": 2048, "flops_convention": "palm", "pp": 2, "zero_stage": 0, "micro_batch": 2, "recompute": "full",
    "sequence_parallel": False, "compute_dtype": "fp8", "power_limit_watts": 600, "optimizer": "sgd",
    "stack": "fsdp", "flash_attention": False, "fused_loss": True, "fp8_activation_inputs": True, "dropout": True,
    "gpu_mtbf_hours": 1000,
    "checkpoint_seconds": 60, "restart_seconds": 900, "start_hours": 3, "other_usd": 500, "watts": 650, "pue": 1.4,
    "host_share": 0.1,
}  # fmt: skip


@pytest.mark.parametrize("changes", [{}, *({name: value} for name, value in STATED.items()), STATED,
                                     {"lora_rank": 16, "lora_on": "all", "frozen_weight_bytes": 0.5},
                                     {"pp": 2, "interleave": 2}, {"dp": 32}, {"mfu": 0.4}, {"achieved_tflops": 300}],
                         ids=lambda changes: ", ".join(changes) if len(changes) < 4 else "all")  # fmt: skip
def test_a_row_gives_what_a_plan_gives(changes: dict[str, Any]) -> None:
    row = {**ROW, **changes}
    given = {name: value for name, value in row.items() if name not in ("model", "gpu")}
    plan = unchecked_plan(run_of(row["model"], row["gpu"], **given))
    result, middle = training_row(row), plan.middle
    assert tuple(result) == OUTPUTS
    assert result["memory_bytes"] == plan.fullest.total
    assert result["fits"] is plan.fits is (result["reason"] == "")
    pairs = {
        "step_seconds": middle.step_seconds,
        "tokens_per_s_per_gpu": middle.tokens_per_s_per_gpu,
        "mfu_reached": middle.mfu,
        "train_days": middle.train_days,
        "gpu_hours": middle.gpu_hours,
        "cost_usd": middle.cost_usd,
        "energy_kwh": middle.energy_kwh,
        "co2e_kg": middle.co2e_kg,
        "programme_gpu_hours": middle.programme_gpu_hours,
        "programme_days": middle.programme_days,
        "programme_cost_usd": middle.programme_cost_usd,
    }
    assert {name: result[name] for name in pairs} == pairs
    assert (1 + result["error_low"]) * middle.step_seconds == pytest.approx(plan.cases[0].step_seconds)


def test_a_given_mfu_is_reached_and_has_no_band() -> None:
    result = training_row({**ROW, "mfu": 0.35})
    assert result["mfu_reached"] == pytest.approx(0.35)
    assert (result["error_low"], result["error_high"]) == (0, 0)


@pytest.mark.parametrize(*listed("plans/training", "test_a_bad_row_holds_its_reason_and_no_figures"))
def test_a_bad_row_holds_its_reason_and_no_figures(changes: dict[str, object], reason: str) -> None:
    result = training_row({**ROW, **changes})
    assert result["reason"] == reason
    assert all(value is None for name, value in result.items() if name != "reason")


def test_cells_of_a_text_file_are_read_as_numbers() -> None:
    assert training_row({name: str(value) for name, value in ROW.items()}) == training_row(ROW)


def test_a_row_that_does_not_fit_keeps_its_figures() -> None:
    result = training_row({**ROW, "tp": 1, "micro_batch": 8, "recompute": "none", "gradient_dtype": "fp32"})
    assert result["fits"] is False and result["cost_usd"] > 0
    assert result["reason"].startswith("does not fit: ")
    assert set(ROW) <= set(INPUTS)


def test_text_means_what_it_means_in_a_cell() -> None:
    assert training_row({**ROW, "tokens": "1T"}) == training_row(ROW)
    assert training_row({**ROW, "sequence_parallel": "no", "recompute": "FULL"})["reason"] == ""


@pytest.mark.parametrize(*listed("plans/training", "test_what_is_not_known_of_price_or_power_leaves_the_rest"))
def test_what_is_not_known_of_price_or_power_leaves_the_rest(gpu: str, unknown: list[str], why: str) -> None:
    row = {"model": "llama-3.1-8b", "gpu": gpu, "gpus": 256, "batch": 256, "tokens": 1e12}
    result = training_row(row)
    assert {name for name, value in result.items() if value is None} == set(unknown)
    assert why in result["reason"]
    stated = training_row({**row, "price_usd_per_gpu_hour": 1, "watts": 300})
    assert stated["cost_usd"] == pytest.approx(stated["gpu_hours"])
    # 300 W, a host share of 0.3 and a PUE of 1.25.
    assert stated["energy_kwh"] == pytest.approx(stated["programme_gpu_hours"] * 0.3 * 1.3 * 1.25)
