"""Drafted tokens of a serving plan: what a step yields, what candidates draft, and what is refused."""

import re
import tomllib

import pytest

from sizebook.core.errors import InputError, RangeError
from sizebook.plans.serving.plan import plan_serving
from sizebook.scenarios.scenario_files import parse
from sizebook.scenarios.serving import ServingScenario, plan_serving_scenario
from sizebook.serving.case import case_of
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.time import decode_step_seconds, latency
from tests.plans.asking import serving_inputs
from tests.refused import message_of
from tests.row_lists import listed

SIXTEEN = Demand(input_tokens=1000, output_tokens=500, concurrency=16)


def _tpot(draft_tokens: int | None = None, tokens_per_step: float | None = None) -> float:
    drafts = {"draft_tokens": draft_tokens, "tokens_per_step": tokens_per_step}
    case = case_of("deepseek-r1", "b200-sxm", Replica(engine="tensorrt-llm", tp=8, **drafts))  # type: ignore[arg-type]
    return float(latency(case, SIXTEEN).tpot_seconds)


def test_a_step_with_drafts_is_shared_by_the_tokens_that_it_yields() -> None:
    engine = case_of("deepseek-r1", "b200-sxm", Replica(engine="tensorrt-llm", tp=8, draft_tokens=3))
    step = float(decode_step_seconds(engine, SIXTEEN))
    assert _tpot(3, 2) - _tpot(3, 4) == pytest.approx(step / 2 - step / 4)
    assert _tpot(0) == _tpot(None, 1) == _tpot(0, 1)
    assert _tpot(3, 1) > 1.05 * _tpot(0)  # three layers of 61 draft, four times the tokens are checked
    assert _tpot(3) < _tpot() == _tpot(0)  # unstated: none


def test_a_yield_alone_is_drafted_by_the_fewest_that_reach_it() -> None:
    assert _tpot(None, 1.8) == _tpot(1, 1.8)
    assert _tpot(None, 2.5) == _tpot(2, 2.5)


@pytest.mark.parametrize(*listed("plans/serving", "test_speculation_out_of_range_is_refused"))
def test_speculation_out_of_range_is_refused(drafts: int | None, yielded: float | None, message: str) -> None:
    assert message_of(RangeError, _tpot, drafts, yielded) == message


@pytest.mark.parametrize(*listed("plans/serving", "test_a_plan_says_what_it_takes_of_drafts"))
def test_a_plan_says_what_it_takes_of_drafts(stated: dict[str, float], words: str) -> None:
    asked = {"requests_per_day": 2e6, "input_tokens": 1500, "output_tokens": 300, "tpot_target_seconds": 0.1}
    inputs = serving_inputs(engine="tensorrt-llm", tp=8, **asked, **stated)
    planned = plan_serving("deepseek-r1", "h200-sxm", inputs)
    assert re.fullmatch(words, planned.replica.drafts)


def scenario_of(text: str) -> ServingScenario:
    return parse(ServingScenario, tomllib.loads(text), "s.toml")


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
tpot_target_seconds = 0.05
"""


@pytest.mark.parametrize(
    ("stated", "taken"), [("", (0, None)), ("draft_tokens = 3", (3, None)), ("tokens_per_step = 1.8", (None, 1.8))]
)
def test_candidates_draft_what_the_scenario_says_or_nothing(
    stated: str, taken: tuple[int | None, float | None]
) -> None:
    choices = plan_serving_scenario(scenario_of(COMPETING.format(stated + '\nkv_dtype = "bf16"'))).choices
    assert choices is not None
    replicas = {choice.plan.replica.setup.replica for choice in choices.ranked}
    assert {(replica.draft_tokens, replica.tokens_per_step) for replica in replicas} == {taken}
    assert {replica.kv_dtype for replica in replicas} == {"bf16"}


def test_a_layout_without_an_accelerator_is_refused() -> None:
    assert message_of(InputError, lambda: plan_serving_scenario(scenario_of(COMPETING.format("tp = 4\nep = 1")))) == (
        "layout without an accelerator: got tp, ep, want gpu with it. Name the gpu, or leave the layout to the search."
    )
