"""The training plan: figures that follow from one another, refusals that say how far off, the layout search."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sizebook.errors import SizebookError
from sizebook.formulas.hardware import accelerator
from sizebook.models import catalog
from sizebook.plans.layout import Layout
from sizebook.plans.training import (
    Costs,
    Operations,
    Power,
    TrainingInputs,
    capacity_bytes,
    plan_training,
    unchecked_plan,
)
from sizebook.plans.training_memory import Recipe
from sizebook.plans.training_search import search

H100 = accelerator("h100-sxm")
INPUTS = TrainingInputs(
    model="llama-3.1-8b",
    architecture=catalog.architecture("llama-3.1-8b"),
    gpu=H100,
    gpus=64,
    tokens=1e12,
    seq=4096,
    batch=512,
    layout=Layout(dp=64),
    costs=Costs(2.0),
    power=Power(700, pue=1.1, host_share=0.2, grams_per_kwh=400, covered_share=0.5),
    utilization=0.4,
    operations=Operations(gpu_mtbf_hours=1e12, checkpoint_seconds=1),
)


def test_a_given_mfu_fixes_everything_that_follows() -> None:
    case = plan_training(replace(INPUTS, layout=Layout(dp=64, recompute="full"))).middle
    per_token = 6 * (8_030_261_248 - 128_256 * 4096 - 65 * 4096) + 6 * 32 * 32 * 128 * 4096
    seconds = 1e12 * per_token / (64 * 989.4e12 * 0.4)
    assert case.train_seconds == pytest.approx(seconds, rel=1e-5)
    assert case.gpu_hours == pytest.approx(64 * seconds / 3600, rel=1e-5)
    assert case.cost_usd == pytest.approx(2 * case.gpu_hours)
    assert case.energy_kwh == pytest.approx(case.gpu_hours * 0.7 * 1.2 * 1.1)
    assert case.co2e_kg == pytest.approx(0.4 * case.energy_kwh)
    assert case.co2e_market_kg == pytest.approx(0.2 * case.energy_kwh)
    assert case.mfu == pytest.approx(0.4)


def test_a_given_mfu_has_no_band_and_a_predicted_step_has_one() -> None:
    given = plan_training(replace(INPUTS, layout=Layout(dp=64, recompute="full")))
    assert len({case.train_seconds for case in given.cases}) == 1
    predicted = plan_training(replace(given.inputs, utilization=None))
    low, middle, high = (case.cost_usd for case in predicted.cases)
    assert low < middle < high
    assert predicted.step is not None and predicted.step.total == predicted.middle.step_seconds


def test_hardware_utilisation_counts_what_is_recomputed() -> None:
    plain = unchecked_plan(replace(INPUTS, layout=Layout(dp=64), recipe=Recipe(flash_attention=True)))
    full = unchecked_plan(replace(INPUTS, layout=Layout(dp=64, recompute="full")))
    assert full.hfu / plain.hfu == pytest.approx(4 / 3, rel=0.03)


def test_failures_and_the_start_lengthen_the_run() -> None:
    calm = plan_training(replace(INPUTS, layout=Layout(dp=64, recompute="full")))
    rough = plan_training(replace(calm.inputs, operations=Operations(50_000, 60, 600, start_seconds=3600)))
    gained = rough.middle.train_seconds - calm.middle.train_seconds / rough.goodput * calm.goodput
    assert gained == pytest.approx(3600)
    assert rough.goodput < calm.goodput


def test_a_run_that_does_not_fit_says_by_how_much_and_what_would_help() -> None:
    with pytest.raises(SizebookError) as refused:
        plan_training(replace(INPUTS, layout=Layout(dp=64, micro_batch=8)))
    assert str(refused.value).replace("\u00a0", " ") == (
        "does not fit: got 223 GiB a GPU, want at most 79.2 GiB (h100-sxm), 144 GiB too much. "
        "Cheapest change: tp 4 with dp 16."
    )
    assert plan_training(replace(INPUTS, layout=Layout(dp=16, tp=4, micro_batch=8))).fits


def test_a_model_that_no_change_helps_says_so() -> None:
    tiny = replace(INPUTS, gpu=accelerator("a10"), gpus=1, layout=Layout(), batch=1)
    with pytest.raises(SizebookError) as refused:
        plan_training(tiny)
    assert str(refused.value).endswith(
        "No single or double change of the layout makes it fit: use more GPUs, or GPUs with more memory."
    )


@pytest.mark.parametrize(("tokens", "shown"), [(0, "0"), (-1e9, "-1e+09")])
def test_zero_and_negative_tokens_are_refused(tokens: float, shown: str) -> None:
    with pytest.raises(SizebookError) as refused:
        plan_training(replace(INPUTS, tokens=tokens))
    assert str(refused.value) == f"nothing to train: got {shown} tokens, want above 0. Correct tokens."


def test_every_figure_carries_formula_numbers_and_source() -> None:
    plan = plan_training(replace(INPUTS, layout=Layout(dp=64, recompute="full"), utilization=None))
    labels = [step.label for step in plan.figures]
    assert labels[0] == "Parameters" and "Cost" in labels and "Emissions, market-based" in labels
    assert all(step.formula and step.source and step.shown for step in plan.figures)


def test_the_search_ranks_by_time_and_keeps_what_fits() -> None:
    found = search(catalog.architecture("llama-3.1-70b"), H100, 256, 8192, 1024, capacity_bytes(H100))
    seconds = [each.step_seconds for each in found.best]
    assert seconds == sorted(seconds) and len(seconds) == 10
    assert all(each.memory_bytes <= capacity_bytes(H100) and not each.reason for each in found.best)
    assert all(each.memory_bytes > capacity_bytes(H100) and each.reason for each in found.failing)
    fastest = found.best[0]
    again = unchecked_plan(
        replace(
            INPUTS, architecture=catalog.architecture("llama-3.1-70b"), gpus=256, seq=8192, batch=1024,
            layout=fastest.layout, utilization=None,
        )
    )  # fmt: skip
    assert again.middle.step_seconds == pytest.approx(fastest.step_seconds)
    assert again.fullest.total == pytest.approx(fastest.memory_bytes)


def test_the_search_refuses_a_model_that_fits_nowhere_and_says_how_far_off() -> None:
    with pytest.raises(SizebookError) as refused:
        search(catalog.architecture("llama-3.1-70b"), H100, 8, 8192, 64, capacity_bytes(H100))
    assert str(refused.value).startswith("fits in no layout: got ")
    assert str(refused.value).endswith("times the GPUs, or GPUs with more memory.")


def test_a_batch_that_nothing_divides_is_refused() -> None:
    with pytest.raises(SizebookError) as refused:
        search(catalog.architecture("gpt-2-small"), H100, 64, 1024, 1, capacity_bytes(H100))
    assert str(refused.value) == (
        "no layout divides: got 64 GPUs and a batch of 1, want a batch that dp divides. "
        "Use a batch that is a multiple of 64, or fewer GPUs."
    )
