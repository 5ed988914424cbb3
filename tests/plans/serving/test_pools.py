"""Prefill and decode in pools of their own: Little's law, no work lost, what is searched and what is refused."""

from dataclasses import replace
from typing import Any

import pytest

from sizebook.core.errors import InputError, TargetError
from sizebook.core.sections import put_together
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.plans.serving.replica import MOST_IN_FLIGHT
from sizebook.serving.case import case_of
from sizebook.serving.estimate import estimate
from sizebook.serving.memory import engine_constants, engine_memory, physical_bytes
from sizebook.serving.pools import Pool, Pools, pooled, prefill_rate
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.time import decode_step_seconds, prefill_seconds
from sizebook.tables.hardware import accelerator
from tests.refused import message_of

CASE = case_of("llama-3.1-70b", "h200-sxm", Replica(tp=4, weight_dtype="fp8"))
ASKED = Demand(input_tokens=4000, output_tokens=400)
NETWORK = 50e9  # bytes a second a GPU of an H200, data/hardware.csv


def pools(reading: int, decoding: int, capacity: int = 100_000) -> Pools:
    return Pools(Pool(CASE, reading), Pool(CASE, decoding), capacity, NETWORK)


@pytest.mark.parametrize("in_flight", [1, 8, 64, 512, 4096])
@pytest.mark.parametrize(("reading", "decoding"), [(1, 1), (1, 8), (8, 1)])
def test_requests_in_flight_are_the_rate_times_what_each_takes(reading: int, decoding: int, in_flight: int) -> None:
    """Little's law over both pools, whichever of them is too small; no prompt faster than the pool passes it."""
    demand = replace(ASKED, concurrency=in_flight)
    found, rate = pooled(pools(reading, decoding), demand), prefill_rate(CASE, ASKED) * reading
    requests = found.tokens_per_second / 400
    assert requests * (found.ttft_seconds + found.tpot_seconds * 399) == pytest.approx(in_flight)
    assert requests <= rate * (1 + 1e-6)


def test_a_prefill_pool_that_is_too_small_shows_in_the_time_to_the_first_token() -> None:
    """At 4 096 in flight one prefill worker passes prompts one after the other: all but a few requests wait there."""
    small, large = (pooled(pools(n, 8), replace(ASKED, concurrency=4096)) for n in (1, 64))
    assert small.tokens_per_second == pytest.approx(400 * prefill_rate(CASE, ASKED), rel=1e-6)
    assert small.ttft_seconds > 100 * large.ttft_seconds
    assert small.tpot_seconds < large.tpot_seconds


def test_no_prompt_interrupts_decoding() -> None:
    """The time per token is one step of as many requests as decode on a worker, however long the prompts of others."""
    found = pooled(pools(64, 1), replace(ASKED, concurrency=100))
    decoding = 100 - found.tokens_per_second / 400 * found.ttft_seconds
    step = float(decode_step_seconds(CASE, replace(ASKED, concurrency=decoding)))  # type: ignore[arg-type]
    assert found.tpot_seconds == pytest.approx(step, rel=1e-6)
    memory = engine_memory(CASE, physical_bytes(accelerator("h200-sxm")), engine_constants("vllm"))
    assert found.tpot_seconds < 0.7 * estimate(CASE, memory, replace(ASKED, concurrency=100)).tpot_seconds


def test_one_request_waits_for_its_prompt_its_cache_and_nobody() -> None:
    """Llama 3.1 70B keeps 2 x 80 layers x 8 heads x 128 x 2 bytes a token: 327 680 bytes, a fourth on each GPU."""
    one = pools(1, 1)
    sent = 4000 * 327_680 / 4 / NETWORK
    assert one.transfer_seconds(4000) == pytest.approx(sent)
    alone = CASE.rates["first_token_seconds"] + prefill_seconds(CASE, 4000.0) + sent
    assert pooled(one, replace(ASKED, concurrency=1)).ttft_seconds == pytest.approx(alone, rel=1e-6)


def test_what_the_caches_do_not_hold_waits() -> None:
    """With room for 32 no more decode at once: the time per token is that of 32, and the others wait."""
    found = pooled(pools(64, 1, capacity=32), replace(ASKED, concurrency=1000))
    assert found.tpot_seconds == pytest.approx(float(decode_step_seconds(CASE, replace(ASKED, concurrency=32))))
    assert not found.fits
    assert found.tokens_per_second * (found.ttft_seconds + 399 * found.tpot_seconds) / 400 == pytest.approx(1000)


def test_a_link_bounds_what_is_fed() -> None:
    """At 100 MB/s a GPU a prompt's cache of 328 MB takes 3.28 s, and one is sent after the other."""
    slow = replace(pools(1, 4), transfer_bytes_per_second=1e8)
    assert slow.transfer_seconds(4000) == pytest.approx(3.2768)
    found = pooled(slow, replace(ASKED, concurrency=500))
    assert found.tokens_per_second / 400 == pytest.approx(1 / 3.2768)


def test_a_cap_of_the_decode_workers_holds() -> None:
    """Capped at 16 each, no more than 32 decode on two workers, however many their caches hold."""
    capped = case_of("llama-3.1-70b", "h200-sxm", Replica(tp=4, weight_dtype="fp8", max_running=16))
    found = pooled(Pools(Pool(CASE, 64), Pool(capped, 2), 100_000, NETWORK), replace(ASKED, concurrency=1000))
    assert found.tpot_seconds == pytest.approx(float(decode_step_seconds(CASE, replace(ASKED, concurrency=16))))


def test_every_server_of_a_wide_replica_streams_tokens() -> None:
    """64 ranks of GB200 stand on 16 servers of 4 GPUs: the ceiling of one server is no ceiling of all."""
    wide = case_of("deepseek-r1", "gb200", Replica(dp=64, ep=64, weight_dtype="nvfp4", draft_tokens=0))
    demand = Demand(input_tokens=1000, output_tokens=1000, concurrency=64 * 256)
    found = estimate(wide, engine_memory(wide, 2e11, engine_constants("vllm")), demand)
    one_server = wide.rates["host_tokens_per_second"]
    assert one_server < found.tokens_per_second < 16 * one_server


SCENARIO = {
    "requests_per_day": 2e6, "input_tokens": 4000, "output_tokens": 400, "months": 1, "tp": 4, "weight_dtype": "fp8",
    "ttft_target_seconds": 1.5, "tpot_target_seconds": 0.025, "separate_prefill": True,
}  # fmt: skip


def plan(**given: Any) -> ServingPlan:
    return plan_serving("llama-3.1-70b", "h200-sxm", put_together(ServingInputs, SCENARIO | given))


def test_both_pools_are_searched_together_for_the_least_cost() -> None:
    """No stated pair of workers is cheaper than the one found, and the targets hold."""
    found = plan()
    assert found.replica.pools is not None
    assert found.replica.at_knee.ttft_seconds <= 1.5
    assert found.replica.at_knee.tpot_seconds <= 0.025
    assert found.replica.gpus == found.replica.pools.prefill.gpus + found.replica.pools.decode.gpus
    for reading in (1, 2, 3):
        stated = plan(prefill_tp=4, prefill_workers=reading, decode_workers=2)
        assert stated.replica.layout == f"{reading} x tp4 to read, 2 x tp4 to decode"
        assert stated.months[0].usd >= found.months[0].usd
    assert {band.basis for band in found.replica.bands.values()} == {"separate pools"}


def test_a_slower_link_costs_time_to_the_first_token() -> None:
    layout = {"prefill_tp": 4, "prefill_workers": 2, "decode_workers": 2, "concurrency": 8}
    layout |= {"ttft_target_seconds": None, "tpot_target_seconds": None}
    fast, slow = (plan(**layout, transfer_bytes_per_second=rate) for rate in (50e9, 5e9))
    more = slow.replica.at_knee.ttft_seconds - fast.replica.at_knee.ttft_seconds
    assert slow.replica.transfer_seconds == pytest.approx(10 * fast.replica.transfer_seconds)
    assert more == pytest.approx(9 * fast.replica.transfer_seconds, rel=0.2)


UNTARGETED = {"ttft_target_seconds": None, "tpot_target_seconds": None}
# 70.6 billion parameters in bf16 are as many bytes as an H200 has.
NO_ROOM = (
    "memory binds: got 7.1 GB too much on each h200-sxm for llama-3.1-70b at tp1, want room for one request. Raise tp "
    "to 2 or choose a narrower weight_dtype."
)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"request_percentile": "p95", "ttft_target_seconds": 0.01},
         "ttft_target_seconds binds: got 0.1484 s with one request in flight in separate pools that decode at tp4, "
         "want 0.01 s. Raise tp, accept 0.1484 s, or choose a faster gpu or a narrower weight_dtype."),
        ({"output_tokens": 1},
         "not planned in pools: got answers of 1 token, want two or more, which are decoded. Lengthen them."),
        ({"pp": 2}, "not planned in pools: got pp 2, want workers of one stage. Use tp or dp."),
        ({"separate_prefill": False, "prefill_tp": 2, "decode_workers": 1},
         "no effect: got prefill_tp, decode_workers and no separate_prefill, want separate_prefill with it. State "
         "separate_prefill, or leave out what needs it."),
        ({**UNTARGETED, "concurrency": 4000, "decode_workers": 2},
         "cache binds: got 4000 requests in flight on 2 decode workers at tp4, want at most 333 on each. Lower "
         "concurrency, state 13 decode_workers, or raise tp."),
        ({"tp": 1, "weight_dtype": "bf16"}, NO_ROOM),
        ({**UNTARGETED, "tp": 1, "weight_dtype": "bf16", "concurrency": 4}, NO_ROOM),
        ({"tp": 8, "weight_dtype": "bf16", "prefill_tp": 1},
         "memory binds: got no prefill layout on h200-sxm that holds one request of llama-3.1-70b, want room for one. "
         "Raise prefill_tp, shorten the requests or choose a narrower weight_dtype."),
    ],
)  # fmt: skip
def test_what_pools_do_not_plan_is_refused(given: dict[str, Any], said: str) -> None:
    assert message_of((InputError, TargetError), plan, **given) == said


def test_a_target_that_no_pools_meet_names_the_limit() -> None:
    with pytest.raises(TargetError) as refused:
        plan(tpot_target_seconds=0.001)
    assert str(refused.value).startswith("tpot_target_seconds binds: got 0.0")
    assert "with one request in flight in separate pools that decode at tp4, want 0.001 s." in str(refused.value)


def test_a_stated_load_is_planned_on_as_many_decode_workers_as_hold_it() -> None:
    """One worker holds 312 requests: 400 take two or more, though nothing but the load is asked for."""
    found = plan(**UNTARGETED, concurrency=400).replica
    assert found.pools is not None and found.pools.decode.workers >= 2
    assert found.at_knee.fits


def test_the_cache_of_several_decode_workers_binds_by_their_places_together() -> None:
    """Short requests of a small model: two workers hold more than one batches, and less than both do."""
    short = {"input_tokens": 210, "output_tokens": 60, "tp": 1, "prefill_tp": 1, "decode_workers": 2}
    given = {**SCENARIO, **short, "ttft_target_seconds": 1e3, "tpot_target_seconds": 10}
    found = plan_serving("llama-3.1-8b", "h200-sxm", put_together(ServingInputs, given)).replica
    assert found.pools is not None and found.concurrency == found.capacity
    assert MOST_IN_FLIGHT < found.capacity < 2 * MOST_IN_FLIGHT
    assert found.binding == "cache"


def test_the_search_knows_the_cap_of_decode_workers() -> None:
    """Capped at one, a decode worker ends 1 request in 4 seconds: one prefill worker is more than enough."""
    found, stated = plan(max_running=1), plan(max_running=1, prefill_tp=1, prefill_workers=1, decode_workers=1)
    assert found.months[0].usd <= stated.months[0].usd
