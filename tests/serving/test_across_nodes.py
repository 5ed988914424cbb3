"""Servers over two nodes, against what was measured of them: none of these figures entered the fit."""

from dataclasses import replace

import pytest

from sizebook.core.cells import call
from sizebook.functions import load
from sizebook.serving.band import replica_band
from sizebook.serving.case import case_of
from sizebook.serving.estimate import Estimate
from sizebook.serving.memory import memory_of, requests_that_fit
from sizebook.serving.pools import Pool, Pools, pooled
from sizebook.serving.quantities import Demand, Replica

load()

INFINIBAND = 50e9  # bytes a second and GPU: 400 Gbit/s


def deepseek(input_tokens: int, output_tokens: int, decode_workers: int, in_flight: int) -> Estimate:
    """DeepSeek-R1 in SGLang 0.5.8 on H100: a server that reads prompts and others that decode, tp 16 over two nodes."""
    reads = Replica(engine="sglang", weight_dtype="fp8_block", tp=16, draft_tokens=0)
    decodes = replace(reads, max_running=128, memory_utilization=0.9)
    prefill, decode = (case_of("deepseek-r1", "h100-sxm", each) for each in (reads, decodes))
    room = int(requests_that_fit(decode, memory_of(decode, "h100-sxm", decodes), input_tokens, output_tokens))
    pools = Pools(Pool(prefill, 1), Pool(decode, decode_workers), decode_workers * room, INFINIBAND)
    return pooled(pools, Demand(input_tokens=input_tokens, output_tokens=output_tokens, concurrency=in_flight))


@pytest.mark.parametrize(
    ("lengths", "decode_workers", "in_flight", "milliseconds"),
    [  # InferenceX, dsr1-fp8-h100-dynamo-sglang, run of 2026-02-13 without drafts
        ((8192, 1024), 1, 1, 17.80),
        ((8192, 1024), 1, 4, 19.67),
        ((8192, 1024), 1, 16, 25.95),
        ((1024, 8192), 2, 1, 17.01),
        ((1024, 8192), 2, 4, 18.67),
        ((1024, 8192), 2, 16, 23.32),
    ],
)
def test_a_token_over_two_nodes_takes_what_was_measured(
    lengths: tuple[int, int], decode_workers: int, in_flight: int, milliseconds: float
) -> None:
    found = deepseek(*lengths, decode_workers=decode_workers, in_flight=in_flight)
    assert found.tpot_seconds * 1e3 == pytest.approx(milliseconds, rel=0.15)


def test_requests_wait_for_the_cache_of_the_server_that_decodes() -> None:
    """128 in flight: 71.2 s to the first token and 46.0 ms a token were measured. 52 fit, as one of them holds 8,704
    tokens of 61 x 576 x 2 bytes on each GPU; so 76 wait, 1.5 lives of a request."""
    found = deepseek(8192, 1024, decode_workers=1, in_flight=128)
    assert found.capacity == 52
    assert found.ttft_seconds == pytest.approx(71.2, rel=0.15)
    assert found.ttft_seconds == pytest.approx(76 / 52 * 1023 * found.tpot_seconds, rel=0.01)


@pytest.mark.parametrize("model", ["llama-3.1-8b", "llama-3.1-70b", "qwen3-235b-a22b", "deepseek-r1"])
def test_one_request_is_served_faster_in_one_node_than_over_two(model: str) -> None:
    one, two = (call("TPOT_SECONDS", model, "h200-sxm", 1024, 1024, 1, f"tp={tp}; engine=sglang") for tp in (8, 16))
    assert one < two


@pytest.mark.parametrize(("engine", "milliseconds"), [("vllm", 31.3), ("sglang", 23.2)])
def test_engines_of_early_2025_stand_in_the_band_of_two_nodes(engine: str, milliseconds: float) -> None:
    """tenstorrent/tt-inference-server issues: DeepSeek-R1, tp 16 on H100, one request of 128 and 1,024 tokens."""
    replica = Replica(engine=engine, weight_dtype="fp8_block", tp=16)
    case = case_of("deepseek-r1", "h100-sxm", replica)
    band = replica_band("tpot", "h100-sxm", replica, case, Demand(input_tokens=128, output_tokens=1024, concurrency=1))
    lengths = ("deepseek-r1", "h100-sxm", 128, 1024, 1)
    token = call("TPOT_SECONDS", *lengths, f"tp=16; engine={engine}; weight_dtype=fp8_block") * 1e3
    assert token < milliseconds
    assert token * band.low < milliseconds < token * band.high
