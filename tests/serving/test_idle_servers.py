"""A server with nobody else on it: no queue, no steps of others, and its prompt's kernels launched one by one."""

from dataclasses import replace

import pytest

from sizebook.core.cells import call
from sizebook.functions import load
from sizebook.serving.case import case_of
from sizebook.serving.kernels import NETWORK_SECONDS
from sizebook.serving.quantities import ENGINES, Demand, Replica
from sizebook.serving.time import (
    Pass,
    decode_step_seconds,
    latency,
    pass_parts,
    pass_seconds,
    prefill_seconds,
    steps_waited,
)

load()


def asked(input_tokens: int, output_tokens: int, concurrency: int) -> Demand:
    return Demand(input_tokens=input_tokens, output_tokens=output_tokens, concurrency=concurrency)


@pytest.mark.parametrize("engine", ENGINES)
def test_one_request_waits_for_its_own_pass_and_a_fixed_time_alone(engine: str) -> None:
    case = case_of("qwen3-14b", "a100-sxm-80gb", Replica(engine=engine))
    found = latency(case, asked(128, 1024, 1))
    assert found.ttft_seconds == case.rates["first_token_seconds"] + prefill_seconds(case, 128)


@pytest.mark.parametrize("engine", ENGINES)
def test_sixteen_tokens_on_an_idle_server_take_tens_of_milliseconds(engine: str) -> None:
    """Before, 178 ms with SGLang, 101 with TensorRT-LLM and 49 with vLLM: settings of benchmarks, not of engines."""
    first = call("TTFT_SECONDS", "llama-3.1-8b", "h100-sxm", 16, 128, 1, f"engine={engine}; weight_dtype=fp8")
    assert 0.010 < first < 0.040


def test_the_length_of_the_answer_is_none_of_an_idle_servers_business() -> None:
    case = case_of("llama-3.1-70b", "h200-sxm", Replica(tp=8, weight_dtype="fp8"))
    firsts = {latency(case, asked(2000, answer, 1)).ttft_seconds for answer in (1, 16, 4096)}
    assert len(firsts) == 1


@pytest.mark.parametrize(("in_flight", "share"), [(1, 0.0), (2, 0.5), (4, 0.75), (64, 63 / 64)])
def test_steps_are_waited_for_as_far_as_there_are_others(in_flight: int, share: float) -> None:
    """Eight steps held back by settings, as --scheduler-recv-interval 17 does: (17 - 1) / 2."""
    case = replace(case_of("llama-3.1-70b", "h200-sxm", Replica(tp=8, weight_dtype="fp8")), held_steps=8.0)
    known = case.rates["first_token_steps"] + 8
    assert steps_waited(case, in_flight) == pytest.approx(share * known)


def test_settings_that_hold_requests_back_change_the_first_token_alone() -> None:
    plain = case_of("deepseek-r1", "b200-sxm", Replica(engine="sglang", tp=8))
    demand = asked(1024, 1024, 16)
    free, held = latency(plain, demand), latency(replace(plain, held_steps=14.5), demand)
    step = decode_step_seconds(plain, demand)
    assert held.ttft_seconds - free.ttft_seconds == pytest.approx(15 / 16 * 14.5 * step)
    assert held.tpot_seconds == free.tpot_seconds


def test_a_host_launches_the_kernels_of_a_prompt_while_the_gpu_works() -> None:
    """DeepSeek-R1: 61 layers and 58 of them with experts, 119 times; with decode steps graphs do it."""
    case = case_of("deepseek-r1", "h200-sxm", Replica(engine="sglang", tp=8))
    parts = pass_parts(case, Pass(1024.0, 1.0, 1024.0, prefill=True))
    assert parts.eager == pytest.approx(119 * case.rates["eager_seconds"])
    gpu = parts.moved + parts.fixed
    assert sum(pass_seconds(case, Pass(1024.0, 1.0, 1024.0, prefill=True))) == pytest.approx(
        (gpu**2 + parts.eager**2) ** 0.5
    )
    assert pass_parts(case, Pass(1.0, 1.0, 1024.0, prefill=False)).eager == 0


def test_no_rank_reads_more_than_all_of_its_experts() -> None:
    """Mixtral's eight experts, two a token, on eight ranks: one token visits a quarter of them, 64 tokens all."""
    case = case_of("mixtral-8x7b", "h100-sxm", Replica(tp=8, ep=8))
    one, many = (pass_parts(case, Pass(n, n, 1024.0, prefill=False)).experts for n in (1.0, 64.0))
    at_once = case.shape.n_experts * case.shape.expert_parameters / 8 * case.expert_bytes
    every = at_once / (case.bandwidth * case.rates["experts_bandwidth"])
    assert one == pytest.approx(every / 4)
    assert many == pytest.approx(every, rel=1.1e-8)  # (3/4)^64 is 1.0e-8
    assert many < every


def test_sixteen_ranks_on_two_nodes_are_not_faster_than_eight_on_one() -> None:
    """DeepSeek-R1 on 16 H100 took 23 to 31 ms a token, on two nodes: 2 x 61 all-reduces of 75 us more than on one."""
    one, two = (case_of("deepseek-r1", "h100-sxm", Replica(tp=tp, weight_dtype="fp8_block")) for tp in (8, 16))
    steps = [decode_step_seconds(case, asked(128, 1024, 1)) for case in (one, two)]
    assert steps[1] > steps[0]
    two = replace(two, network=two.link, overlapped=0.0)  # nothing of a longer step hides in its scheduling
    joined = decode_step_seconds(replace(two, node_gpus=16.0), asked(128, 1024, 1))
    assert decode_step_seconds(two, asked(128, 1024, 1)) - joined == pytest.approx(2 * 61 * NETWORK_SECONDS)


def test_a_rack_that_shares_a_link_is_one_domain() -> None:
    """NVL72: 16 GPUs of four trays are joined by NVLink, and no network."""
    case = case_of("deepseek-r1", "gb200", Replica(tp=16, weight_dtype="fp8_block"))
    assert case.node_gpus == 72 and case.host_gpus == 4
    joined = replace(case, network=1.0)
    assert decode_step_seconds(joined, asked(128, 1024, 1)) == decode_step_seconds(case, asked(128, 1024, 1))


@pytest.mark.parametrize("gpu", ["h100-sxm", "h200-sxm", "a100-sxm-80gb"])
def test_four_bits_are_not_slower_than_eight_at_one_request(gpu: str) -> None:
    four, eight = (
        decode_step_seconds(case_of("llama-3.1-8b", gpu, Replica(weight_dtype=dtype)), asked(1024, 1024, 1))
        for dtype in ("int4_wo", "fp8")
    )
    assert four < eight


@pytest.mark.parametrize("word", ["int4", "AWQ", "gptq", "marlin", "w4a16", "Q4_K_M"])
def test_words_that_people_use_mean_their_format(word: str) -> None:
    asked_for = "llama-3.1-8b", "h100-sxm", 1024, 1024, 8
    assert call("TPOT_SECONDS", *asked_for, f"weight_dtype={word}") == call(
        "TPOT_SECONDS", *asked_for, "weight_dtype=int4_wo"
    )
