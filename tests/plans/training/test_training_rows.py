"""Tables of training plans: the same figures as a single plan, bad rows kept with their reason."""

import pytest

from sizebook.plans.training.rows import INPUTS
from tests.plans.training.training_runs import training_row
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


def test_a_given_mfu_is_reached_and_has_no_band() -> None:
    result = training_row({**ROW, "mfu": 0.35})
    assert result["mfu_reached"] == pytest.approx(0.35)
    assert (result["error_low"], result["error_high"]) == (0, 0)


@pytest.mark.parametrize(*listed("plans/training", "test_a_bad_row_holds_its_reason_and_no_figures"))
def test_a_bad_row_holds_its_reason_and_no_figures(changes: dict[str, object], reason: str) -> None:
    result = training_row({**ROW, **changes})
    assert result["reason"] == reason
    assert all(value is None for name, value in result.items() if name != "reason")


def test_a_row_that_does_not_fit_keeps_its_figures() -> None:
    result = training_row({**ROW, "tp": 1, "micro_batch": 8, "recompute": "none", "gradient_dtype": "fp32"})
    assert result["fits"] is False and result["cost_usd"] > 0
    assert result["reason"].startswith("does not fit: ")
    assert set(ROW) <= set(INPUTS)


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
