"""Conversations of several turns: lengths of their prompts, what caches hold of them, and the load that follows."""

from typing import Any

import pytest

import sizebook
from sizebook.core.sections import put_together
from sizebook.plans.ledgers import total_usd
from sizebook.plans.serving.conversation import Conversation
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import plan_serving
from sizebook.plans.serving.sensitivity import sensitivities
from sizebook.serving.quantities import Demand

ASKED: dict[str, Any] = {
    "model": "llama-3.1-70b", "gpu": "h200-sxm", "requests_per_day": 500_000, "months": 1, "tp": 2,
    "weight_dtype": "fp8",
    "input_tokens": 2000, "output_tokens": 400, "ttft_target_seconds": 1.0, "tpot_target_seconds": 0.05,
}  # fmt: skip
TURNS = {"turns": 3, "turn_tokens": 100}


def figures(**given: Any) -> dict[str, Any]:
    return dict(sizebook.serving_figures(**{**ASKED, **given}))


def test_prompts_bring_what_was_said_before() -> None:
    """2,000, then 500 more a turn: 2,500 on average; the longest of three is the 95th percentile, with its answer."""
    assert Conversation(**TURNS).prompts(Demand(input_tokens=2000, output_tokens=400)) == (2000, 2500, 3000)
    found = figures(**TURNS)
    assert (found["input_tokens"], found["longest_tokens"]) == (2500, 3400)


def test_the_hit_ratio_counts_the_tokens_of_prefixes() -> None:
    """All found: (2,400 + 2,900) of 7,500 tokens. None found, half of the first prompt shared: 1,000 of each prompt."""
    first = Demand(input_tokens=2000, output_tokens=400)
    shared = Demand(input_tokens=2000, output_tokens=400, cache_hit_ratio=0.5)
    conversation = Conversation(**TURNS)
    assert conversation.hit_ratio(first, 400, found=1.0) == pytest.approx(5300 / 7500)
    assert conversation.hit_ratio(shared, 400, found=0.0) == pytest.approx(0.4)
    assert conversation.hit_ratio(shared, 400, found=1.0) == pytest.approx((1000 + 5300) / 7500)


def test_who_comes_back_at_once_finds_nearly_all() -> None:
    """Within a second, on a replica whose cache is planned with room: the share of 5,300 of 7,500 tokens."""
    found = figures(**TURNS, think_seconds=0.5, concurrency=8, ttft_target_seconds=None, tpot_target_seconds=None)
    assert found["hit_ratio"] == pytest.approx(5300 / 7500, rel=1e-3)
    assert found["prefix_hours"] * 3600 > 5


def test_the_rate_is_that_of_a_stated_hit_ratio() -> None:
    """The plan of a conversation is the plan of its lengths with the hit ratio that it found."""
    found = figures(**TURNS, think_seconds=30)
    lengths = [[2000, 1 / 3], [2500, 1 / 3], [3000, 1 / 3]]
    same = figures(input_histogram=lengths, cache_hit_ratio=found["hit_ratio"])
    for name in ("concurrency", "requests_per_second", "ttft_seconds", "tpot_seconds", "held_tokens"):
        assert found[name] == pytest.approx(same[name]), name


def test_cache_behind_the_gpu_is_sent_back_over_its_link() -> None:
    """A prefix of 2,400 or 2,900 tokens, 2 x 80 x 8 x 128 bytes of eight bits each and half of them on a GPU: 217.1 MB
    at 20 GB/s take 10.9 ms, which the time to the first token has for the prompts that wait for it.
    """
    tier = {"host_cache_bytes": 1e12, "host_cache_bytes_per_second": 20e9}
    given = {**TURNS, "think_seconds": 600, "kv_dtype": "fp8"}
    found, without = figures(**given, **tier), figures(**given)
    assert found["restore_seconds"] == pytest.approx(2650 * 2 * 80 * 8 * 128 / 2 / 20e9)
    assert found["host_prefix_tokens"] == pytest.approx(1e12 / (2 * 80 * 8 * 128 / 2))
    assert found["hit_ratio"] > without["hit_ratio"]
    assert without["restored_ratio"] == without["host_prefix_hours"] == 0
    load = {"concurrency": 16, "ttft_target_seconds": None, "tpot_target_seconds": None}
    at = figures(**given, **tier, **load)
    lengths = [[2000, 1 / 3], [2500, 1 / 3], [3000, 1 / 3]]
    same = figures(input_histogram=lengths, cache_hit_ratio=at["hit_ratio"], kv_dtype="fp8", **load)
    waited = at["restored_ratio"] * 2 / 3 * at["restore_seconds"]
    assert at["ttft_seconds"] == pytest.approx(same["ttft_seconds"] + waited)


def test_sensitivities_know_the_lengths_of_conversations() -> None:
    """A fifth fewer tokens of a first and of a later prompt cost what a plan of so many tokens costs."""
    asked = {"months": 1, "output_tokens": 200, "concurrency": 16, "turns": 3, "requests_per_day": 5e6}
    asked |= {"on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.0}
    plan, less = (
        plan_serving("llama-3.1-8b", "h100-sxm", put_together(ServingInputs, {**asked, **tokens}))
        for tokens in ({"input_tokens": 1000, "turn_tokens": 500}, {"input_tokens": 800, "turn_tokens": 400})
    )
    found = {each.label: each for each in sensitivities(plan)}
    assert found["Tokens of a prompt, \u221220% to +20%"].low_usd == total_usd(less.months)
    assert "Tokens of an answer, \u221220% to +20%" in found
