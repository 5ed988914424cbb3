"""The serving plan: traffic, knee, fleet and money hold together, and a missed target says which limit binds."""

from __future__ import annotations

import json
import math
import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from sizebook.cli import app
from sizebook.errors import InputError, RangeError, TargetError
from sizebook.formulas.serving_case import case_of
from sizebook.formulas.serving_estimate import estimate
from sizebook.formulas.serving_time import decode_step_seconds, latency
from sizebook.plans.serving import Prices, ServingPlan, Setup, Target, latency_curve, plan_serving
from sizebook.plans.serving_choice import choose
from sizebook.plans.traffic import SHAPES, Traffic, arrivals_by_hour, hours_of, lognormal_p95
from sizebook.serving_scenario import ServingScenario, answer

SETUP = Setup("h100-sxm", "vllm", "fp8")
PRICES = Prices(on_demand_usd=4.0, reserved_usd=2.0)
TRAFFIC = Traffic(2_000_000, SHAPES["office"], 1.5, 0.1, 3, input_tokens=1500, output_tokens=300)
TARGET = Target(ttft_seconds=1.0, tpot_seconds=0.02)


@pytest.fixture(scope="module")
def plan() -> ServingPlan:
    return plan_serving("llama-3.1-8b", SETUP, TRAFFIC, TARGET, PRICES)


def test_arrivals_of_a_day_sum_to_its_requests_times_the_peak_factor() -> None:
    assert sum(arrivals_by_hour(TRAFFIC)) * 3600 == pytest.approx(2_000_000 * 1.5)
    assert sum(arrivals_by_hour(TRAFFIC, 2)) * 3600 == pytest.approx(2_000_000 * 1.5 * 1.21)


def test_the_load_planned_for_meets_the_target_and_one_request_more_does_not(plan: ServingPlan) -> None:
    replica = plan.replica
    load = (replica.case, replica.memory, 1500.0, 300.0)
    at, above = (estimate(*load, float(replica.concurrency + more)) for more in (0, 1))
    assert at.tpot_seconds <= 0.02 and at.ttft_seconds <= 1.0
    assert above.tpot_seconds > 0.02
    assert replica.binding == "tpot"


def test_littles_law_at_the_planned_load(plan: ServingPlan) -> None:
    knee = plan.replica.at_knee
    stays = knee.ttft_seconds + knee.tpot_seconds * 299
    assert plan.replica.requests_per_second * stays == pytest.approx(plan.replica.concurrency)


def test_every_hour_is_within_the_load_with_the_spare_down(plan: ServingPlan) -> None:
    for month in plan.months:
        arrivals = arrivals_by_hour(TRAFFIC, month.month)
        for replicas, arriving in zip(month.replicas_by_hour, arrivals, strict=True):
            working = replicas - TARGET.spare
            assert arriving <= working * plan.replica.requests_per_second * 0.8 * (1 + 1e-9)
            assert arriving > (working - 1) * plan.replica.requests_per_second * 0.8


def test_money_is_reserved_hours_and_burst_hours_at_their_prices(plan: ServingPlan) -> None:
    month = plan.months[0]
    reserved = min(month.replicas_by_hour) * 730
    burst = sum(count - min(month.replicas_by_hour) for count in month.replicas_by_hour) * 730 / 24
    assert month.gpu_hours == pytest.approx(reserved + burst)
    assert month.usd == pytest.approx(reserved * 2 + burst * 4)
    tokens = 2_000_000 * 730 / 24 * 300
    assert month.usd_per_mtok_output == pytest.approx(month.usd / tokens * 1e6)


def test_the_error_band_makes_a_target_at_p90_harder(plan: ServingPlan) -> None:
    sure = plan_serving("llama-3.1-8b", SETUP, TRAFFIC, Target(1.0, 0.02, "p90"), PRICES)
    assert sure.replica.concurrency < plan.replica.concurrency
    assert sure.replica.at_knee.tpot_seconds * sure.replica.bands["tpot"].high <= 0.02


def _tpot(draft_tokens: int | None = None, tokens_per_step: float | None = None) -> float:
    drafts = {"draft_tokens": draft_tokens, "tokens_per_step": tokens_per_step}
    case = case_of("deepseek-r1", "b200-sxm", Replica(engine="tensorrt-llm", tp=8, **drafts))  # type: ignore[arg-type]
    return float(latency(case, asked(1000, 500, 16)).tpot_seconds)


def test_a_step_with_drafts_is_shared_by_the_tokens_that_it_yields() -> None:
    engine = case_of("deepseek-r1", "b200-sxm", Replica(engine="tensorrt-llm", tp=8, draft_tokens=3))
    step = float(decode_step_seconds(engine, asked(1000, 500, 16)))
    assert _tpot(3, 2) - _tpot(3, 4) == pytest.approx(step / 2 - step / 4)
    assert _tpot(0) == _tpot(None, 1) == _tpot(0, 1)
    assert _tpot(3, 1) > 1.05 * _tpot(0)  # three layers of 61 draft, four times the tokens are checked
    assert _tpot(3) < _tpot() < _tpot(0)  # unstated: between the two


def test_a_yield_alone_is_drafted_by_the_fewest_that_reach_it() -> None:
    assert _tpot(None, 1.8) == _tpot(1, 1.8)
    assert _tpot(None, 2.5) == _tpot(2, 2.5)


@pytest.mark.parametrize(
    ("drafts", "yielded", "message"),
    [
        (None, 0.5, "tokens_per_step is out of range: got 0.5, want 1 or more. Give 1 for no speculation."),
        (-1, None, "draft_tokens is out of range: got -1, want 0 or more. Give 0 for no speculation."),
        (
            1, 2.5,
            "tokens_per_step is out of range: got 2.5 of 1 drafted, want at most 2. "
            "Raise draft_tokens or lower tokens_per_step.",
        ),
    ],
)  # fmt: skip
def test_speculation_out_of_range_is_refused(drafts: int | None, yielded: float | None, message: str) -> None:
    with pytest.raises(RangeError) as refused:
        _tpot(drafts, yielded)
    assert str(refused.value) == message


def test_the_latency_curve_rises_within_the_cache(plan: ServingPlan) -> None:
    curve = latency_curve(plan.replica, TRAFFIC)
    assert [c for c, _ in curve] == [2**i for i in range(len(curve))]
    assert 2 * curve[-1][0] > plan.replica.capacity >= curve[-1][0]
    assert all(a[1].tpot_seconds < b[1].tpot_seconds for a, b in pairwise(curve))


def test_a_target_out_of_reach_says_what_binds_and_what_would_meet_it() -> None:
    with pytest.raises(TargetError) as refused:
        plan_serving(
            "llama-3.1-70b", Setup("h100-sxm", "vllm", "fp8", tp=2), TRAFFIC, Target(tpot_seconds=0.012), PRICES
        )
    problem, _, rest = str(refused.value).partition(":")
    assert problem == "tpot_seconds binds"
    assert "want 0.012 s. Raise tp to 4, or accept" in rest
    with pytest.raises(TargetError) as full:
        plan_serving("llama-3.1-70b", Setup("h100-sxm", "vllm", "bf16"), TRAFFIC, Target(), PRICES)
    assert str(full.value) == (
        "memory binds: got 67.5 GB too much on each h100-sxm for llama-3.1-70b at tp1, want room for one request. "
        "Raise tp to 2 or choose a narrower weight_dtype."
    )


def test_the_choice_is_sorted_by_cost_and_its_front_is_not_beaten() -> None:
    found = choose("llama-3.1-8b", TRAFFIC, TARGET, lambda gpu: PRICES, ["h100-sxm", "h200-sxm"], ["vllm"])
    costs = [choice.usd_per_month for choice in found.ranked]
    assert costs == sorted(costs)
    for choice in found.ranked:
        beaten = any(
            other.usd_per_month <= choice.usd_per_month and other.tpot_seconds < choice.tpot_seconds
            for other in found.ranked[: found.ranked.index(choice)]
        )
        assert not (choice.on_front and beaten)
    with pytest.raises(TargetError, match="no candidate meets the target: got tpot_seconds binds"):
        choose("llama-3.1-70b", TRAFFIC, Target(tpot_seconds=1e-4), lambda gpu: PRICES, ["h200-sxm"], ["vllm"])


def test_a_log_normal_length() -> None:
    assert lognormal_p95(100, 100) == 100
    assert lognormal_p95(1000, 500) == pytest.approx(500 * math.exp(1.6448536 * math.sqrt(2 * math.log(2))))
    with pytest.raises(RangeError) as refused:
        lognormal_p95(100, 200)
    assert str(refused.value) == (
        "not a log-normal length: got mean 100 under median 200, want the mean at or above it. "
        "Give the 95th percentile itself."
    )


def test_a_day_has_24_hours() -> None:
    with pytest.raises(RangeError) as refused:
        hours_of((1.0, 2.0))
    assert str(refused.value) == (
        "not a day: got 2 hours that sum to 3, want 24 numbers of 0 or more, not all 0. Give one number an hour, from "
        "midnight."
    )


SCENARIO = """plan = "serving"
model = "llama-3.1-8b"
gpu = "h100-sxm"
weight_dtype = "fp8"
[traffic]
requests_per_day = 2_000_000
hours_csv = "day.csv"
months = 2
input_tokens = 1500
output_tokens = 300
[target]
tpot_seconds = 0.02
"""


def test_plan_serve_prints_text_and_json(tmp_path: Path) -> None:
    (tmp_path / "day.csv").write_text("requests\n" + "\n".join(map(str, range(1, 25))), encoding="utf-8")
    (tmp_path / "s.toml").write_text(SCENARIO, encoding="utf-8")
    text = CliRunner().invoke(app, ["plan", "serve", str(tmp_path / "s.toml")])
    assert text.exit_code == 0 and "the TPOT target binds" in text.output
    data = json.loads(CliRunner().invoke(app, ["plan", "serve", str(tmp_path / "s.toml"), "--json"]).output)
    assert data["replica"]["tpot_seconds"]["value"] <= 0.02
    assert len(data["months"][0]["replicas_by_hour"]) == 24
    busiest = data["months"][0]["replicas_by_hour"]
    assert busiest[0] < busiest[23]


def test_a_scenario_with_an_unknown_key_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(SCENARIO.replace("gpu =", "gpus ="), encoding="utf-8")
    result = CliRunner().invoke(app, ["plan", "serve", str(tmp_path / "s.toml")])
    assert isinstance(result.exception, InputError)
    assert str(result.exception).startswith("s.toml: unknown key: got 'gpus', want one of ")


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({}, r"not stated: a factor of 0\.\d+ on TPOT stands for servers with and without"),
        ({"draft_tokens": 0}, "none"),
        ({"draft_tokens": 3}, r"3 a step, which yields 2\.\d\d tokens, as measured"),
        ({"draft_tokens": 2, "tokens_per_step": 2.2}, r"2 a step, which yields 2\.20 tokens"),
    ],
)
def test_a_plan_says_what_it_takes_of_drafts(stated: dict[str, float], words: str) -> None:
    setup = Setup("h200-sxm", "tensorrt-llm", tp=8, **stated)  # type: ignore[arg-type]
    planned = plan_serving("deepseek-r1", setup, TRAFFIC, Target(5.0, 0.1), PRICES)
    assert re.fullmatch(words, planned.replica.drafts(TRAFFIC.output_tokens))


def parse(text: str) -> ServingScenario:
    return ServingScenario.model_validate(tomllib.loads(text))


COMPETING = """
plan = "serving"
model = "deepseek-r1"
gpus_compared = ["b200-sxm"]
engine = "tensorrt-llm"
weight_dtype = "fp8"
{}
[traffic]
requests_per_day = 100_000
input_tokens = 1000
output_tokens = 1000
[target]
tpot_seconds = 0.05
"""


@pytest.mark.parametrize(
    ("stated", "taken"), [("", (0, None)), ("draft_tokens = 3", (3, None)), ("tokens_per_step = 1.8", (None, 1.8))]
)
def test_candidates_draft_what_the_scenario_says_or_nothing(
    tmp_path: Path, stated: str, taken: tuple[int | None, float | None]
) -> None:
    scenario = parse(COMPETING.format(stated + '\nkv_dtype = "bf16"'))
    choices = answer(scenario, tmp_path).choices
    assert choices is not None
    setups = {choice.plan.replica.setup for choice in choices.ranked}
    assert {(setup.draft_tokens, setup.tokens_per_step) for setup in setups} == {taken}
    assert {setup.kv_dtype for setup in setups} == {"bf16"}


def test_a_layout_without_an_accelerator_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        answer(parse(COMPETING.format("tp = 4\nep = 1")), tmp_path)
    assert str(refused.value) == (
        "layout without an accelerator: got tp, ep, want gpu with it. Name the gpu, or leave the layout to the search."
    )
