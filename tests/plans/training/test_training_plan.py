"""The training plan: figures that follow from one another, refusals that say how far off, the layout search."""

from dataclasses import replace
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.models import catalog
from sizebook.plans.training.inputs import Training, capacity_bytes
from sizebook.plans.training.plan import TrainingPlan, plan_training, unchecked_plan
from sizebook.plans.training.search import HEADROOM, Search, search
from sizebook.plans.training.steps import derivations
from sizebook.training.quantities import Batches, Operations
from tests.plans.training.training_runs import run_of
from tests.refused import message_of
from tests.row_lists import listed

GIVEN: dict[str, Any] = {
    "gpus": 64, "tokens": 1e12, "batch": 512, "mfu": 0.4, "gpu_mtbf_hours": 1e12, "checkpoint_seconds": 1,
    "price_usd_per_gpu_hour": 2, "watts": 700, "pue": 1.1, "host_share": 0.2, "grams_per_kwh": 400,
    "covered_share": 0.5,
}  # fmt: skip


def _run(gpu: str = "h100-sxm", **changes: Any) -> Training:
    return run_of("llama-3.1-8b", gpu, **{**GIVEN, **changes})


def _plan(**changes: Any) -> TrainingPlan:
    return plan_training(_run(**changes))


def _searched(model: str, gpus: int, batch: int, seq: int) -> Search:
    architecture, batches = catalog.architecture(model), Batches(batch=batch, seq=seq)
    return search(replace(_run(), architecture=architecture, gpus=gpus, batches=batches))


def test_a_given_mfu_fixes_everything_that_follows() -> None:
    case = _plan(recompute="full").middle
    per_token = 6 * (8_030_261_248 - 128_256 * 4096 - 65 * 4096) + 6 * 32 * 32 * 128 * 4096
    seconds = 1e12 * per_token / (64 * 989.4e12 * 0.4)
    assert case.train_seconds == pytest.approx(seconds, rel=1e-5)
    assert case.gpu_hours == pytest.approx(64 * seconds / 3600, rel=1e-5)
    assert case.cost_usd == pytest.approx(2 * case.gpu_hours)
    assert case.programme_gpu_hours == pytest.approx(case.whole_run_factor * case.gpu_hours)
    assert case.energy_kwh == pytest.approx(case.programme_gpu_hours * 0.7 * 1.2 * 1.1)
    assert case.co2e_kg == pytest.approx(0.4 * case.energy_kwh)
    assert case.co2e_market_kg == pytest.approx(0.2 * case.energy_kwh)
    assert case.mfu == pytest.approx(0.4)


def test_a_given_mfu_has_no_band_and_a_predicted_step_has_one() -> None:
    given = _plan(recompute="full")
    assert len({case.train_seconds for case in given.cases}) == 1
    predicted = _plan(recompute="full", mfu=None)
    low, middle, high = (case.cost_usd for case in predicted.cases)
    assert low < middle < high
    assert predicted.step is not None and predicted.step.total == predicted.middle.step_seconds


def test_hardware_utilisation_counts_what_is_recomputed() -> None:
    plain, full = (unchecked_plan(_run(recompute=kind)).middle for kind in ("none", "full"))
    assert plain.mfu == pytest.approx(full.mfu) == pytest.approx(0.4)
    assert full.hfu / plain.hfu == pytest.approx(4 / 3, rel=0.03)


def test_failures_and_the_start_lengthen_the_run() -> None:
    calm = _plan(recompute="full")
    rough = plan_training(replace(calm.inputs, operations=Operations(checkpoint_seconds=60, start_hours=1)))
    gained = rough.middle.train_seconds - calm.middle.train_seconds / rough.middle.goodput * calm.middle.goodput
    assert gained == pytest.approx(3600)
    assert rough.middle.goodput < calm.middle.goodput


def test_a_run_that_does_not_fit_says_by_how_much_and_what_would_help() -> None:
    stated = {"recompute": "none", "gradient_dtype": "fp32", "optimizer_dtype": "fp32"}
    shown = message_of(SizebookError, _plan, micro_batch=8, **stated).replace("\u00a0", " ")
    assert shown.startswith(
        "does not fit: got 200 GiB a GPU, want at most 79.2 GiB (h100-sxm), 120 GiB too much. Cheapest change: "
    )
    assert _plan(tp=4, micro_batch=8, **stated).fits


def test_a_run_that_states_no_recipe_takes_the_lightest_that_fits() -> None:
    plan = _plan(micro_batch=8)
    assert plan.fits and plan.inputs.layout.recompute == "full"
    assert plan.work.recipe == "full recomputation, gradients in bf16, fused loss"
    # A plan of what was settled is the same plan.
    assert plan_training(plan.inputs) == plan


def test_a_model_that_no_change_helps_says_so() -> None:
    tiny = _run("a10", gpus=1, batch=1)
    assert message_of(SizebookError, plan_training, tiny).endswith(
        "No single or double change of the layout makes it fit: use more GPUs, or GPUs with more memory."
    )


@pytest.mark.parametrize(("tokens", "shown"), [(0, "0"), (-1e9, "-1e+09")])
def test_zero_and_negative_tokens_are_refused(tokens: float, shown: str) -> None:
    assert (
        message_of(SizebookError, _plan, tokens=tokens)
        == f"nothing to train: got {shown} tokens, want above 0. Correct tokens."
    )


def test_every_figure_carries_formula_numbers_and_source() -> None:
    plan = _plan(recompute="full", mfu=None)
    labels = [step.label for step in derivations(plan)]
    assert labels[0] == "Parameters" and "Cost of the whole run" in labels and "Emissions, market-based" in labels
    assert all(step.formula and step.source and step.shown for step in derivations(plan))


def test_the_search_ranks_by_time_and_keeps_what_fits() -> None:
    found = _searched("llama-3.1-70b", 256, 1024, 8192)
    capacity = capacity_bytes(_run().gpu)
    seconds = [each.step_seconds for each in found.best]
    assert seconds == sorted(seconds) and len(seconds) == 10
    assert all(each.memory_bytes <= capacity and not each.reason for each in found.best)
    assert all(each.memory_bytes > capacity and each.reason for each in found.failing)
    fastest = found.best[0]
    found_again = run_of("llama-3.1-70b", "h100-sxm", gpus=256, tokens=1e12, batch=1024, seq=8192)
    again = unchecked_plan(replace(found_again, layout=fastest.layout))
    assert again.middle.step_seconds == pytest.approx(fastest.step_seconds)
    assert again.fullest.total == pytest.approx(fastest.memory_bytes)


def test_the_search_refuses_a_model_that_fits_nowhere_and_says_how_far_off() -> None:
    with pytest.raises(SizebookError) as refused:
        _searched("llama-3.1-70b", 8, 64, 8192)
    assert str(refused.value).startswith("fits in no layout: got ")
    assert str(refused.value).endswith("times the GPUs, or GPUs with more memory.")


def test_a_batch_that_nothing_divides_is_refused() -> None:
    assert message_of(SizebookError, _searched, "gpt-2-small", 64, 1, 1024) == (
        "no layout divides: got 64 GPUs and a batch of 1, want a batch that dp divides. "
        "Use a batch that is a multiple of 64, or fewer GPUs."
    )


@pytest.mark.parametrize(*listed("plans/training", "test_a_micro_batch_that_nothing_divides_is_named"))
def test_a_micro_batch_that_nothing_divides_is_named(gpus: int, batch: int, want: str) -> None:
    run = run_of("gpt-2-small", "h100-sxm", gpus=gpus, tokens=1e12, batch=batch, seq=1024)
    assert message_of(SizebookError, search, run, {"micro_batch": 7}) == (
        f"no layout divides: got {gpus} GPUs and a batch of {batch} with micro_batch 7, want a batch that dp x "
        f"micro_batch divides. {want}"
    )


@pytest.mark.parametrize(*listed("plans/training", "test_a_search_names_what_stands_against_what_is_held"))
def test_a_search_names_what_stands_against_what_is_held(held: dict[str, Any], said: str) -> None:
    run = run_of("llama-3.1-8b", "h100-sxm", gpus=64, tokens=1e12, batch=512, seq=4096)
    assert message_of(SizebookError, search, run, held) == f"no layout runs: got 64 GPUs and a batch of 512 with {said}"


def test_frameworks_without_pipelines_are_given_none() -> None:
    """torchtune shards, copies and splits tensors; FSDP as torchtitan sets it has pipelines too."""
    found = {
        stack: search(run_of("llama-3.1-70b", "h100-sxm", gpus=16, tokens=1e9, batch=64, seq=4096, stack=stack,
                             tuning="lora", lora_on="all"))
        for stack in ("torchtune", "fsdp")
    }  # fmt: skip
    stages = {stack: {each.layout.pp for each in (*one.best, *one.failing)} for stack, one in found.items()}
    assert stages["torchtune"] == {1}
    assert max(stages["fsdp"]) > 1


def test_what_is_held_is_not_searched() -> None:
    found = search(_run(mfu=None), {"micro_batch": 2, "recompute": "full", "zero_stage": 1, "sequence_parallel": False})
    every = [each.layout for each in (*found.best, *found.failing)]
    assert {(one.micro_batch, one.recompute, one.zero_stage, one.sequence_parallel) for one in every} == {
        (2, "full", 1, False)
    }


def test_the_search_knows_the_power_limit_of_the_plan() -> None:
    run = _run(mfu=None, power_limit_watts=350)
    fastest = search(run).best[0]
    assert plan_training(replace(run, layout=fastest.layout)).middle.step_seconds == pytest.approx(fastest.step_seconds)
    # At half the power the clock is the cube root of a half, and what is bound by compute takes 1.26 times as long.
    assert 1.05 < fastest.step_seconds / search(_run(mfu=None)).best[0].step_seconds <= 2 ** (1 / 3)


def test_a_searched_layout_is_one_that_the_plan_holds_to_fit() -> None:
    """Layers differ in this model: a stage in the middle is the fullest of some layouts."""
    run = run_of("jamba-1.5-large", "b200-sxm", gpus=256, tokens=1e12, batch=256, price_usd_per_gpu_hour=4)
    for ranked in search(run).best:
        plan = unchecked_plan(replace(run, layout=ranked.layout))
        assert plan.fits and max(stage.total for stage in plan.work.stages) == plan.fullest.total == ranked.memory_bytes


def test_the_search_leaves_room_where_anything_does() -> None:
    run = _run(mfu=None, gpus=8, batch=64, seq=8192)
    assert max(each.memory_bytes for each in search(run).best) <= (1 - HEADROOM) * run.capacity_bytes
    # 70 B in four bits on 48 GB: nothing leaves room, and what fits is found all the same.
    tight = run_of("llama-3.1-70b", "rtx-a6000", gpus=1, tokens=1e9, batch=4, seq=2048, price_usd_per_gpu_hour=1,
                   tuning="qlora", lora_on="all", stack="torchtune")  # fmt: skip
    found = search(tight).best
    assert found and min(each.memory_bytes for each in found) > (1 - HEADROOM) * tight.capacity_bytes


def test_adapters_have_one_mfu_in_one_convention() -> None:
    plan = _plan(mfu=None, lora_rank=16, tp=1)
    # 4 x parameters that multiply + 6 x adapters + 6 L H d T scores a token, as in the paper.
    matrices, adapters = 8_030_261_248 - 128_256 * 4096 - 65 * 4096, 16 * 32 * (2 * 8192 + 2 * 5120)
    assert plan.flops_per_token == 4 * matrices + 6 * adapters + 6 * 32 * 4096 * 4096
    assert plan.work.flops_per_token["matmul"] == plan.flops_per_token
    # Full-square scores double the causal ones; nothing is recomputed.
    assert plan.work.flops_per_token["hardware"] == plan.flops_per_token + 6 * 32 * 4096 * 4096
    assert list(plan.work.flops_per_token) == ["matmul", "hardware"]
    assert plan.middle.mfu < plan.middle.hfu < 1


def test_the_hardware_convention_counts_what_this_plan_recomputes() -> None:
    plan = _plan(mfu=None, recompute="full", flops_convention="hardware")
    assert plan.middle.mfu == plan.middle.hfu
    half = _plan(mfu=None, recompute="every-other-matmul").work.flops_per_token["hardware"]
    none, full = (_plan(mfu=None, tp=4, recompute=kind).work.flops_per_token["hardware"] for kind in ("none", "full"))
    assert none < half < full


def test_market_based_carbon_is_stated_where_contracts_are() -> None:
    assert _plan(recompute="full", covered_share=None).middle.co2e_market_kg is None
    none_covered = _plan(recompute="full", covered_share=0).middle
    assert none_covered.co2e_market_kg == none_covered.co2e_kg
    residual = _plan(recompute="full", residual_grams_per_kwh=0).middle
    assert residual.co2e_market_kg == 0


def test_a_stated_data_parallel_degree_must_fill_the_cluster() -> None:
    assert message_of(SizebookError, _plan, tp=2, dp=16) == (
        "GPUs are not the product of the layout: got 64 GPUs and tp 2 x pp 1 x dp 16 x cp 1 = 32, want the same. "
        "Set dp to 32."
    )
    assert _plan(tp=2, dp=32) == _plan(tp=2)
