"""What holds for every training plan: parts sum to totals, shares are shares, more never costs less."""

from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.core.sections import Argument, leaves
from sizebook.plans.training.breakdown import cost_parts, step_parts, time_parts
from sizebook.plans.training.inputs import TrainingInputs
from sizebook.plans.training.plan import TrainingPlan, plan_training, unchecked_plan
from sizebook.plans.training.tables import components, ledger
from sizebook.training.memory import COMPONENTS
from tests.plans.training.training_runs import run_of

MODELS = ("gpt-2-small", "llama-3.1-8b", "mixtral-8x7b", "jamba-1.5-large")
WITH_EXPERTS = ("mixtral-8x7b", "jamba-1.5-large")
GPUS = ("h100-sxm", "a100-sxm-80gb", "b200-sxm")
# Where a draw out of the declared range would mostly be refused, or would say nothing.
DRAWN: dict[str, st.SearchStrategy[Any]] = {
    "gpus": st.just(1),  # `_spoken_of` takes those of the layout
    "tokens": st.floats(1e6, 1e14),
    "batch": st.sampled_from((256, 512, 1024)),
    "seq": st.sampled_from((1024, 4096, 16_384)),
    "mfu": st.none() | st.floats(0.05, 1),
    "achieved_tflops": st.none(),
    **{name: st.sampled_from((1, 2, 4, 8)) for name in ("tp", "pp", "cp", "dp", "ep", "micro_batch")},
    "interleave": st.sampled_from((1, 2)),
    "etp": st.sampled_from((1, 2)),
    "lora_rank": st.sampled_from((0, 0, 8, 64)),
    "fsdp": st.none() | st.sampled_from((1, 8)),
    "recompute_modules": st.sampled_from(("", "layernorm", "moe_act mla_up_proj", "mlp moe")),
    "offload": st.sampled_from(("", "optimizer", "activations", "activations of 2 layers")),
    "frozen_bits": st.none() | st.sampled_from((4, 8, 16)),
    "flops_convention": st.sampled_from(("matmul", "hardware")),
    "provider": st.none(),
    "region": st.none(),
    "term": st.just("on_demand"),
    "grid": st.sampled_from(("usa", "fra", "gcp:europe-west1")),
    "gpu_mtbf_hours": st.floats(1e3, 1e9),
    "checkpoint_seconds": st.floats(1, 600),
    "restart_seconds": st.floats(0, 3600),
    "start_hours": st.floats(0, 1000),
    "price_usd_per_gpu_hour": st.floats(0, 100),
    "other_usd": st.floats(0, 1e9),
    "power_limit_watts": st.none() | st.floats(100, 700),
    "rates_file": st.just(""),
    "price_book": st.just(""),
    "compute_dtype": st.sampled_from(("bf16", "fp16")),
}


DEFAULTS = {leaf.name: leaf.default for leaf in leaves(TrainingInputs)}


def _values(leaf: Argument) -> st.SearchStrategy[Any]:
    """Return what to draw for an input: its own strategy, or whatever its declaration admits."""
    quantity = leaf.quantity
    if leaf.name in DRAWN:
        return DRAWN[leaf.name]
    if quantity.kind == "flag":
        return st.booleans()
    if quantity.allowed:
        return st.sampled_from(quantity.allowed)
    assert quantity.maximum is not None, f"{leaf.name} declares no bound: name a strategy for it here"
    if quantity.kind == "integer":
        return st.integers(int(quantity.minimum or 0), int(quantity.maximum))
    least = quantity.minimum if quantity.minimum is not None else (quantity.above or 0) + 1e-3
    numbers = st.floats(float(least), float(quantity.maximum))
    return st.none() | numbers if leaf.default is None else numbers


_INPUTS = st.fixed_dictionaries(
    {"kg_per_gpu": st.floats(0, 1e4)}
    | {leaf.name: _values(leaf) for leaf in leaves(TrainingInputs) if leaf.name != "kg_per_gpu"}
)


def _spoken_of(run: tuple[str, str, dict[str, Any]]) -> tuple[str, str, dict[str, Any]]:
    """Return a draw on the GPUs of its layout, without what contradicts itself or speaks of what is not there."""
    model, gpu, inputs = run
    idle: set[str] = set()
    if inputs["tuning"] is not None:
        idle |= {"lora_rank", "frozen_weight_bytes"}
    if not inputs["lora_rank"] or "lora_rank" in idle:
        idle |= {"frozen_weight_bytes"}
        if inputs["tuning"] in (None, "full"):
            idle |= {"frozen_bits"}
    if model not in WITH_EXPERTS:
        idle |= {"expert_imbalance", "ep", "etp"}
    if inputs["example_tokens"] is None:
        idle |= {"packed"}
    if inputs["pp"] == 1 or inputs["interleave"] > 1:
        idle |= {"schedule"}
    if inputs["pp"] == 1:
        idle |= {"interleave"}
    gpus = inputs["tp"] * inputs["pp"] * inputs["cp"] * inputs["dp"]
    return model, gpu, inputs | {"gpus": gpus} | {name: DEFAULTS[name] for name in idle}


RUNS = st.tuples(st.sampled_from(MODELS), st.sampled_from(GPUS), _INPUTS).map(_spoken_of)
few = settings(max_examples=60)


def _plan(run: tuple[str, str, dict[str, Any]], **changes: Any) -> TrainingPlan:
    """Return the plan of a drawn run; one that no cluster could run is not drawn."""
    model, gpu, inputs = run
    try:
        return unchecked_plan(run_of(model, gpu, **{**inputs, **changes}))
    except SizebookError:
        assume(False)
        raise


@few
@given(run=RUNS)
def test_what_holds_of_every_plan(run: tuple[str, str, dict[str, Any]]) -> None:
    plan = _plan(run)
    assert_parts_sum_to_totals(plan)
    assert_shares_are_shares_and_bands_contain_their_middle(plan)
    assert_it_fits_where_its_total_is_within_the_capacity(plan)
    model, gpu, inputs = run
    options = [[name, value] for name, value in inputs.items()]
    assert call("TRAINING_LEDGER", model, gpu, options) == ledger(plan)
    assert call("TRAINING_MEMORY", model, gpu, options) == components(plan)


def test_what_holds_of_experts_that_keep_all_there_is() -> None:
    """A draw whose memory traffic was -7 s: adapters and 8-bit inputs spare more than a stage keeps outside experts."""
    asked = {"gpus": 8, "dp": 8, "fsdp": 8, "tokens": 1e9, "batch": 256, "seq": 4096, "stack": "fsdp", "lora_rank": 8}
    drawn = {"frozen_bits": 8, "expert_imbalance": 74, "fp8_activation_inputs": True}
    assert_parts_sum_to_totals(unchecked_plan(run_of("mixtral-8x7b", "h100-sxm", **asked, **drawn)))


def assert_parts_sum_to_totals(plan: TrainingPlan) -> None:
    for case in plan.cases:
        usd = case.productive_usd + case.lost_usd + case.start_usd + case.other_usd
        assert usd == pytest.approx(case.cost_usd, rel=1e-9, abs=1e-9)
        seconds = case.productive_seconds + case.lost_seconds + case.start_seconds
        assert seconds == pytest.approx(case.train_seconds) == pytest.approx(86_400 * case.train_days)
        assert sum(part.value for part in time_parts(case)) == pytest.approx(case.train_seconds)
        assert case.gpu_hours == pytest.approx(plan.inputs.gpus * case.train_seconds / 3600)
    assert sum(part.value for part in cost_parts(plan)) == pytest.approx(plan.middle.programme_cost_usd)
    for stage in plan.work.stages:
        assert sum(getattr(stage, name) for name in COMPONENTS) == pytest.approx(stage.total)
        assert min(getattr(stage, name) for name in COMPONENTS) >= 0
    if plan.step is not None:
        assert sum(part.value for part in step_parts(plan.step)) == pytest.approx(plan.middle.step_seconds)


def assert_shares_are_shares_and_bands_contain_their_middle(plan: TrainingPlan) -> None:
    for case in plan.cases:
        assert 0 < case.goodput <= 1
        assert case.mfu > 0 and case.hfu > 0
        assert case.lost_seconds >= 0
    if plan.inputs.utilization is not None:
        assert plan.middle.mfu == pytest.approx(plan.inputs.utilization)
    elif plan.inputs.pace.flops_convention == "matmul":
        assert plan.middle.mfu < 1
    low, middle, high = plan.cases
    for name in ("step_seconds", "train_seconds", "gpu_hours", "cost_usd", "energy_kwh", "co2e_kg", "embodied_kg"):
        assert getattr(low, name) <= getattr(middle, name) <= getattr(high, name)
    assert low.tokens_per_s_per_gpu >= middle.tokens_per_s_per_gpu >= high.tokens_per_s_per_gpu
    covered = plan.inputs.power.footprint.covered_share
    assert (middle.co2e_market_kg is None) is (covered is None)


@settings(max_examples=30)
@given(run=RUNS, more=st.floats(1, 10))
def test_more_never_costs_less(run: tuple[str, str, dict[str, Any]], more: float) -> None:
    plan, inputs = _plan(run), run[2]
    for name in ("tokens", "price_usd_per_gpu_hour", "other_usd", "start_hours", "restart_seconds"):
        dearer = _plan(run, **{name: inputs[name] * more})
        for case, before in zip(dearer.cases, plan.cases, strict=True):
            assert case.cost_usd >= before.cost_usd * (1 - 1e-12), name
            if name != "price_usd_per_gpu_hour":
                assert case.train_seconds >= before.train_seconds * (1 - 1e-12), name
    rarer = _plan(run, gpu_mtbf_hours=inputs["gpu_mtbf_hours"] * more)
    assert rarer.middle.cost_usd <= plan.middle.cost_usd * (1 + 1e-12)


def assert_it_fits_where_its_total_is_within_the_capacity(plan: TrainingPlan) -> None:
    assert plan.fullest.total == max(stage.total for stage in plan.work.stages)
    assert plan.fits is (plan.fullest.total <= plan.capacity_bytes)
    if plan.fits:
        assert plan_training(plan.inputs) == plan
    else:
        with pytest.raises(SizebookError, match=r"^does not fit: got "):
            plan_training(plan.inputs)
