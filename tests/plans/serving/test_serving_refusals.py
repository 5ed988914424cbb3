"""What a serving plan refuses or points out: layouts, requests too long, scenarios of another plan, absurd traffic."""

from pathlib import Path
from typing import Any

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import InputError, RangeError, SizebookError, TargetError, UnknownKeyError
from sizebook.functions import load
from sizebook.plans.serving.choice import choose
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.plans.serving.remarks import warnings
from sizebook.scenarios.scenario_files import parse
from sizebook.scenarios.serving import ServingScenario
from sizebook.serving.quantities import Replica
from tests.commands import run
from tests.plans.asking import serving_inputs
from tests.refused import message_of
from tests.row_lists import listed

load()


def inputs_of(**values: Any) -> ServingInputs:
    """Return the inputs of a month of office traffic, with what is given in place of its own."""
    traffic = {"requests_per_day": 2_000_000, "shape": "office", "input_tokens": 1500, "output_tokens": 300}
    prices = {"on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.0}
    return serving_inputs(**{**traffic, **prices, "months": 1, **values})


def planned(model: str, gpu: str, **values: Any) -> ServingPlan:
    return plan_serving(model, gpu, inputs_of(**values))


@pytest.mark.parametrize(*listed("plans/serving", "test_a_layout_that_no_engine_starts_is_refused"))
def test_a_layout_that_no_engine_starts_is_refused(layout: dict[str, int], message: str) -> None:
    assert message_of(RangeError, planned, "llama-3.1-70b", "h200-sxm", **layout) == message


def test_requests_longer_than_the_model_states_are_told() -> None:
    plan = planned("llama-3.1-70b", "h200-sxm", weight_dtype="fp8", tp=8, input_tokens=150_000, output_tokens=400)
    assert plan.beyond_context == "150\u202f400 tokens a request are more than the 131\u202f072 that the model states"


def test_a_scenario_of_another_plan_is_one_problem(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('plan = "training"\ngpus = 8\n', encoding="utf-8")
    result = run("plan", "serve", tmp_path / "s.toml")
    assert str(result.exception) == (
        "s.toml: another plan: got plan = 'training', want 'serving' for this command. "
        "Use 'sizebook plan train' for it."
    )


def test_keys_of_another_plan_are_one_problem_and_name_its_command(tmp_path: Path) -> None:
    """They were six unknown keys, and `months` was told to be `colocation_usd_per_kw_month`."""
    stated = 'model = "llama-3.1-8b"\ngpu = "h100-sxm"\nrequests_per_day = 2000000\nmonths = 12\n'
    (tmp_path / "s.toml").write_text(stated, encoding="utf-8")
    assert str(run("plan", "train", tmp_path / "s.toml").exception) == (
        "s.toml: keys of another plan: got requests_per_day, months, want keys of a plan of training for "
        "'sizebook plan train'. Use 'sizebook plan serve' for them."
    )


@pytest.mark.parametrize(
    ("first", "further", "told"),
    [(200, 50, ["200", "50"]), (2, 0.05, []), (100, 1, []), (None, None, []), (2, 50, ["50"])],
)
def test_targets_typed_in_milliseconds_are_told(first: float | None, further: float | None, told: list[str]) -> None:
    """A target of 200 s for 200 ms leaves every load in, and nothing said so."""
    plan = planned("llama-3.1-8b", "h100-sxm", ttft_target_seconds=first, tpot_target_seconds=further)
    said = [str(each) for each in warnings(plan) if "in seconds" in str(each)]
    assert said == [
        f"A latency target of {each} s is unusually long. Targets are in seconds: write 0.05 for 50 ms."
        for each in told
    ]


def test_a_price_of_a_month_typed_for_an_hour_is_told() -> None:
    plan = planned("llama-3.1-8b", "h100-sxm", on_demand_usd_per_gpu_hour=2555, reserved_usd_per_gpu_hour=2)
    assert "A price of 2555 USD a GPU-hour is unusually high. Such a GPU costs 25 USD at most." in warnings(plan)


def test_a_region_beside_given_prices_is_told() -> None:
    given = {"on_demand_usd_per_gpu_hour": 4, "provider": "aws", "region": "Frankfurt"}
    told = "Without effect: provider, region, because all prices are given."
    assert told in warnings(planned("llama-3.1-8b", "h100-sxm", **given, reserved_usd_per_gpu_hour=2))
    plan = planned("llama-3.1-8b", "h100-sxm", provider="aws", on_demand_usd_per_gpu_hour=None)
    assert not any("Without effect" in each for each in warnings(plan))


@pytest.mark.parametrize(*listed("plans/serving", "test_traffic_beyond_any_fleet_is_refused"))
def test_traffic_beyond_any_fleet_is_refused(key: str, value: float, said: str) -> None:
    given = {"requests_per_day": 1e6, "input_tokens": 9, "output_tokens": 9} | {key: value}
    assert (
        message_of(InputError, parse, ServingScenario, {"model": "llama-3.1-8b", "traffic": given}, "s.toml")
        == f"s.toml: traffic: {key} is out of range: {said}"
    )


GIVEN_TWICE = (
    "load given twice: got concurrency and a target of seconds, want one of them. The load follows from the target: "
    "remove concurrency, or keep it and remove the target."
)


@pytest.mark.parametrize("target", [{"ttft_target_seconds": 1.0}, {"tpot_target_seconds": 0.05}])
def test_a_load_beside_a_target_is_refused(target: dict[str, float]) -> None:
    assert message_of(InputError, planned, "llama-3.1-8b", "h100-sxm", concurrency=8, **target) == GIVEN_TWICE
    assert (
        message_of(InputError, lambda: choose("llama-3.1-8b", inputs_of(concurrency=8, **target), ["h100-sxm"]))
        == GIVEN_TWICE
    )


def test_a_load_is_planned_for_as_it_is_given() -> None:
    replica = planned("llama-3.1-8b", "h100-sxm", concurrency=8).replica
    assert (replica.concurrency, replica.binding) == (8, "given")


def test_a_search_says_what_is_wrong_with_the_traffic_itself() -> None:
    """It is no failure of a candidate: no other accelerator would do."""
    assert message_of(
        UnknownKeyError, lambda: choose("llama-3.1-8b", inputs_of(shape="offce"), ["h100-sxm", "h200-sxm"])
    ) == ("unknown shape: got 'offce', want 'office', or one of flat, consumer, or 24 numbers. Correct it.")


@pytest.mark.parametrize(
    ("hours", "message"),
    [
        ((1, 2, "x"), "not a day: got 'x' among the hours, want 24 numbers. Correct that one."),
        ((1,) * 23, "not a day: got 23 hours that sum to 23, want 24 numbers of 0 or more, not all 0. Give one number "
         "an hour, from midnight."),
    ],
)  # fmt: skip
def test_hours_that_are_no_day_are_refused(hours: tuple[Any, ...], message: str) -> None:
    assert message_of(SizebookError, planned, "llama-3.1-8b", "h100-sxm", shape=hours) == message


# What drafts and expert parallelism cost at tp 2 and spare at tp 4: the refusal works the wider layout out with them.
WITH_DRAFTS = {"tp": 2, "engine": "tensorrt-llm", "weight_dtype": "fp8", "draft_tokens": 3, "tokens_per_step": 3.0}
WITH_EP = {"tp": 2, "dp": 2, "ep": 4, "weight_dtype": "fp8"}


@pytest.mark.parametrize(
    ("model", "replica"),
    [("llama-3.1-70b", WITH_DRAFTS), ("mixtral-8x7b", WITH_EP), ("llama-3.1-70b", {"tp": 2, "weight_dtype": "fp8"})],
    ids=["drafts", "ep", "plain"],
)
def test_a_wider_layout_is_tried_with_everything_else_as_it_is(model: str, replica: dict[str, Any]) -> None:
    """The target lies between what one request takes at tp 2 and at tp 4: tp 4 is the smallest that meets it."""
    demand = {"input_tokens": 1500, "output_tokens": 300, "concurrency": 1}
    two, four = (
        call("TPOT_SECONDS", model, "h200-sxm", options(demand | replica | {"tp": tp})) for tp in (2, 4)
    )  # fmt: skip
    assert four < two
    want = (two + four) / 2
    with pytest.raises(TargetError) as refused:
        planned(model, "h200-sxm", **replica, tpot_target_seconds=want)
    layout = Replica(**replica).layout
    assert str(refused.value) == (
        f"tpot_target_seconds binds: got {two:.4g} s with one request in flight at {layout}, want {want:.4g} s. Raise "
        f"tp to 4, or accept {two:.4g} s."
    )
    wider = planned(model, "h200-sxm", **replica | {"tp": 4}, tpot_target_seconds=want)
    assert wider.replica.at_knee.tpot_seconds <= want


def options(values: dict[str, Any]) -> str:
    return "; ".join(f"{name}={value}" for name, value in values.items())


def test_where_no_layout_of_a_node_meets_the_target_that_is_said() -> None:
    with pytest.raises(TargetError) as refused:
        planned("llama-3.1-70b", "h200-sxm", **WITH_DRAFTS, tpot_target_seconds=1e-5)
    demand = {"input_tokens": 1500, "output_tokens": 300, "concurrency": 1}
    got = call("TPOT_SECONDS", "llama-3.1-70b", "h200-sxm", options(demand | WITH_DRAFTS))
    assert str(refused.value) == (
        f"tpot_target_seconds binds: got {got:.4g} s with one request in flight at tp2, want 1e-05 s. No tp up to 8 "
        f"meets it; accept {got:.4g} s or choose a faster gpu or a narrower weight_dtype."
    )
