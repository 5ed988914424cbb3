"""What holds of every serving plan, whatever is asked: parts sum, shares are shares, more never costs less."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sizebook.core.errors import TargetError
from sizebook.core.sections import flat
from sizebook.core.tables import table
from sizebook.functions import load
from sizebook.plans.commitments import Portfolio
from sizebook.plans.serving.figures import figures
from sizebook.plans.serving.months import Month, purchase_of_months
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from tests.plans.asking import serving_inputs

load()
few = settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
Values = dict[str, Any]
# Floating point: sums of a day's hours differ in the last digits with their order.
WITHIN = 1e-9

SETUPS: st.SearchStrategy[tuple[str, str, Values]] = st.sampled_from([
    ("llama-3.1-8b", "h100-sxm", {}),
    ("llama-3.1-8b", "b200-sxm", {"tp": 2, "weight_dtype": "fp8", "engine": "sglang"}),
    ("llama-3.1-70b", "h200-sxm", {"tp": 4, "engine": "tensorrt-llm"}),
    ("gemma-4-31b", "h200-sxm", {"tp": 2, "weight_dtype": "fp8"}),
    ("gpt-oss-120b", "h200-sxm", {"tp": 2}),
    ("deepseek-r1", "b200-sxm", {"tp": 8, "engine": "tensorrt-llm", "draft_tokens": 3}),
    ("mixtral-8x7b", "a100-sxm-80gb", {"tp": 2, "dp": 2, "ep": 4, "weight_dtype": "int8"}),
])  # fmt: skip
DAYS = st.one_of(
    st.sampled_from(["flat", "office", "consumer"]),
    st.lists(st.integers(0, 20), min_size=24, max_size=24).filter(any).map(tuple),
)
TARGETS: st.SearchStrategy[Values] = st.one_of(
    st.just({}),
    st.fixed_dictionaries({"ttft_target_seconds": st.floats(0.2, 10)}),
    st.fixed_dictionaries({"tpot_target_seconds": st.floats(0.005, 0.2)}),
    st.fixed_dictionaries({
        "ttft_target_seconds": st.floats(0.2, 10), "tpot_target_seconds": st.floats(0.005, 0.2),
        "band_quantile": st.sampled_from(["p50", "p90"]),
    }),
    st.fixed_dictionaries({"concurrency": st.integers(1, 20)}),
)  # fmt: skip
OTHERS = st.fixed_dictionaries({
    "requests_per_day": st.floats(1e-3, 1e8), "input_tokens": st.integers(1, 20_000),
    "output_tokens": st.integers(1, 4000), "growth_per_month": st.floats(0, 0.5), "months": st.integers(1, 4),
    "shape": DAYS, "burst_factor": st.floats(1, 4), "target_load": st.floats(0.1, 1), "spare": st.integers(0, 3),
    "failure_domain": st.sampled_from(["replica", "node"]), "whole_nodes": st.booleans(),
    "gpus_per_node": st.sampled_from([None, 1, 4, 8, 72]),
    "on_demand_usd_per_gpu_hour": st.floats(0, 10), "reserved_usd_per_gpu_hour": st.floats(0, 10),
    "pue": st.floats(1, 3), "grams_per_kwh": st.floats(0, 1000), "sign_terms": st.sampled_from(["none", "1y"]),
})  # fmt: skip
Asked = tuple[str, str, Values]


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    """A model, an accelerator and inputs by name."""
    model, gpu, replica = draw(SETUPS)
    return model, gpu, {**draw(OTHERS), **draw(TARGETS), **replica}


def planned(given_: Asked, **changes: Any) -> ServingPlan:
    """Return a plan with some inputs changed; what no replica can serve is not looked at."""
    model, gpu, values = given_
    try:
        return plan_serving(model, gpu, serving_inputs(**{**values, **changes}))
    except TargetError:
        assume(False)
        raise


def ends_by_month(plan: ServingPlan) -> list[list[Month]]:
    """Return each month of a plan with the ends of its band: fewest GPUs, the estimate, most."""
    return [list(each) for each in zip(plan.fewest, plan.months, plan.most, strict=True)]


def bought(plan: ServingPlan) -> float:
    """Return what the plan costs with what follows it: of contracts only the whole is the least there is."""
    return purchase_of_months(plan.replica, plan.inputs, plan.rates).usd(plan.portfolio)


def never_less(less: ServingPlan, more: ServingPlan, *names: str) -> None:
    """Hold that no month has less of a figure, nor an end of an equal band, and that the whole costs no less.

    Contracts tie months together: where none may be signed, each month alone takes no fewer GPUs and no less money.
    """
    assert bought(more) >= bought(less) * (1 - WITHIN) - WITHIN  # a billionth of a dollar is none
    if less.inputs.commitments.sign_terms == "none":
        names = (*names, "peak_gpus", "gpu_hours", "usd")
    alike = less.replica.bands == more.replica.bands
    for fewer, greater in zip(ends_by_month(less), ends_by_month(more), strict=True):
        for a, b in list(zip(fewer, greater, strict=True)) if alike else [(fewer[1], greater[1])]:
            for name in names:
                assert getattr(b, name) >= getattr(a, name) * (1 - WITHIN), (name, a.month)


@few
@given(asked())
def test_parts_sum_to_totals(given_: Asked) -> None:
    plan = planned(given_)
    found = figures(plan)
    parts = ("weight_bytes", "cache_bytes", "activation_bytes", "non_torch_bytes", "left_bytes")
    assert sum(getattr(found, part) for part in parts) == pytest.approx(found.physical_bytes)
    assert all(getattr(found, part) >= 0 for part in parts)
    for month in plan.months:
        assert month.usd == pytest.approx(month.reserved_usd + month.on_demand_usd)
        assert month.reserved_usd == pytest.approx(month.reserved_gpus * 730 * plan.rates.reserved_usd)
        packing, whole = plan.replica.packing, plan.inputs.target.margins.whole_nodes
        paid = [packing.gpus(count, whole) for count in month.replicas_by_hour]
        assert month.gpu_hours == pytest.approx(sum(paid) * 730 / 24)
        assert month.reserved_gpus <= min(paid) and month.peak_gpus == max(paid)
        of_contracts = month.reserved_used_gpu_hours + month.reserved_idle_gpu_hours
        assert of_contracts == pytest.approx(month.reserved_gpus * 730)
        assert month.gpu_hours == pytest.approx(of_contracts + month.on_demand_gpu_hours)
        assert month.co2e_kg == pytest.approx(month.energy_kwh * plan.rates.grams_per_kwh / 1000)
    by_the_hour = purchase_of_months(plan.replica, plan.inputs, plan.rates).usd(Portfolio())
    assert bought(plan) <= by_the_hour * (1 + WITHIN) + WITHIN


@few
@given(asked())
def test_shares_are_at_most_the_whole(given_: Asked) -> None:
    plan = planned(given_)
    for month in (month for ends in ends_by_month(plan) for month in ends):
        assert 0 < month.utilization <= plan.traffic.burst_factor * plan.inputs.target.margins.target_load + WITHIN
        assert month.utilization <= 1 + WITHIN
        assert all(0 <= share <= 1 + WITHIN for share in month.utilization_by_hour)
        assert month.reserved_gpus <= month.peak_gpus
        assert month.energy_kwh <= month.gpu_hours * plan.rates.tdp_watts * 1.3 * plan.rates.pue / 1000 * (1 + WITHIN)


# By how much an input grows, as a factor or as what is added, and what may not fall then beside the money.
TIMES, MORE = st.floats(1, 3), st.floats(0, 5)
GROWTH: dict[str, tuple[st.SearchStrategy[float], tuple[str, ...]]] = {
    **dict.fromkeys(("requests_per_day", "burst_factor"), (TIMES, ("peak_gpus",))),
    "input_tokens": (st.integers(1, 4000), ("peak_gpus",)),
    "spare": (st.just(1), ("peak_gpus",)),
    **dict.fromkeys(("on_demand_usd_per_gpu_hour", "reserved_usd_per_gpu_hour"), (MORE, ())),
    **dict.fromkeys(("pue", "grams_per_kwh"), (MORE, ("co2e_kg", "energy_kwh"))),
}


@pytest.mark.parametrize("name", GROWTH)
@few
@given(asked(), st.data())
def test_more_is_never_cheaper(name: str, given_: Asked, data: st.DataObject) -> None:
    growth, figures_ = GROWTH[name]
    by, before = data.draw(growth), given_[2][name]
    never_less(planned(given_), planned(given_, **{name: before * by if growth is TIMES else before + by}), *figures_)


@few
@given(asked(), st.integers(1, 1000))
def test_a_longer_answer_is_never_cheaper(given_: Asked, more: int) -> None:
    """Where a target lets more in flight, as prompts of others come less often, at the same load.

    Each token waits less for them then, and so does each prompt: a replica may carry so many more requests that it
    takes more a second, such as 8 of 5 tokens where 6 of 4 tokens met the same target.
    """
    longer = given_[2]["output_tokens"] + more
    short, long = planned(given_), planned(given_, output_tokens=longer)
    if short.replica.binding in ("ttft", "tpot") and long.replica.concurrency > short.replica.concurrency:
        load_of = {"ttft_target_seconds": None, "tpot_target_seconds": None, "concurrency": short.replica.concurrency}
        long = planned(given_, output_tokens=longer, **load_of)
    never_less(short, long, "peak_gpus")


@few
@given(asked(), st.floats(0.3, 1))
def test_a_tighter_target_is_never_cheaper(given_: Asked, factor: float) -> None:
    names = [name for name in given_[2] if name.endswith("_target_seconds")]
    assume(names)
    loose = planned(given_)
    never_less(loose, planned(given_, **{name: given_[2][name] * factor for name in names}), "peak_gpus")
    never_less(loose, planned(given_, band_quantile="p90"), "peak_gpus")


@few
@given(asked())
def test_bands_contain_their_middle(given_: Asked) -> None:
    plan = planned(given_)
    for fewest, middle, most in ends_by_month(plan):
        for name in ("peak_gpus", "gpu_hours", "usd"):
            assert getattr(fewest, name) <= getattr(middle, name) * (1 + WITHIN)
            assert getattr(middle, name) <= getattr(most, name) * (1 + WITHIN)
    found = flat(figures(plan))
    for name in ("ttft_seconds", "tpot_seconds", "tokens_per_second"):
        assert found[f"{name}_p10"] < found[name] < found[f"{name}_p90"]


def test_every_band_contains_its_prediction() -> None:
    """The figure that is printed is the prediction, 1 in units of the band: a range without it would contradict it."""
    for row in table("calibration_serving_error"):
        assert float(row["p10"]) < 1 < float(row["p90"]), row


@few
@given(asked())
def test_months_grow_with_growth(given_: Asked) -> None:
    """Money of a band's end may fall: contracts signed for the estimate may replace dearer hours of it."""
    plan = planned(given_)
    alone = plan.inputs.commitments.sign_terms == "none"
    for months in (plan.fewest, plan.months, plan.most):
        for name in ("requests", "peak_gpus", "gpu_hours", *(["usd"] if alone or months is plan.months else [])):
            values = [getattr(month, name) for month in months]
            assert all(b >= a * (1 - WITHIN) for a, b in pairwise(values)), name
    assert [month.month for month in plan.months] == list(range(1, len(plan.months) + 1))


@few
@given(asked())
def test_whole_nodes_are_never_fewer_gpus(given_: Asked) -> None:
    """Without contracts all nodes paid for are in use; those that cost nothing are signed before they are needed."""
    never_less(planned(given_, whole_nodes=False), planned(given_, whole_nodes=True), "peak_gpus")
    unsigned = planned(given_, whole_nodes=True, sign_terms="none")
    size = unsigned.replica.packing.gpus_per_node
    assert all(month.peak_gpus == month.peak_nodes * size for month in unsigned.months)
