"""Kernels with numbers of their own: AMD's, links that join GPUs pair by pair, heads that no flash kernel takes."""

from dataclasses import replace

import pytest

from sizebook.serving.band import (
    BUSY,
    CONTEXT,
    FITTED,
    LOADED,
    NOTHING,
    STRAINS,
    Band,
    Setting,
    error_band,
    replica_band,
    strain_of,
)
from sizebook.serving.case import case_of
from sizebook.serving.kernels import NETWORK_SECONDS, collectives, products
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.shape import shape_of
from sizebook.serving.time import Pass, pass_parts


def test_an_accelerator_of_amd_multiplies_at_its_own_share_of_the_peak() -> None:
    """Of 2,614.9 TFLOP/s in eight bits MI300X reaches 32 % in the products that aiter tuned, NVIDIA's median 78 %.

    68.5 billion weights of layers over 8 GPUs: 2 x 68.5e9 / 8 / (0.3221 x 2614.9e12) = 20.3 us a token.
    """
    case = case_of("llama-3.1-70b", "mi300x", Replica(tp=8, weight_dtype="fp8"))
    weights = case.shape.attention_parameters + case.shape.dense_parameters
    assert case.rates["product_compute"] == pytest.approx(0.3221)
    assert products(case).token == pytest.approx(2 * weights / 8 / (0.3221 * 2614.9e12))
    mi325x = case_of("llama-3.1-70b", "mi325x", Replica(tp=8, weight_dtype="fp8"))
    assert mi325x.rates["product_compute"] == case.rates["product_compute"], "both have 304 compute units"


def test_what_nobody_measured_of_it_keeps_the_widest_band() -> None:
    """Its attention in decode steps is the median accelerator's, and no server of it is in the fit."""
    assert error_band("tpot", "vllm", "mi300x").basis == NOTHING


def test_gpus_joined_pair_by_pair_use_the_links_between_them_alone() -> None:
    """Of seven links of MI300X four GPUs use three. A token's 16,384 bytes twice a layer, 80 layers, all-reduced:

    (2 x 3 / 4 / 0.6416 + 0.3034) / (448e9 x 3 / 7) x 16,384 x 160 = 36.1 us, and at tp 8 over all seven links 17.7 us.
    """
    four, eight = (case_of("llama-3.1-70b", "mi300x", Replica(tp=tp, weight_dtype="fp8")) for tp in (4, 8))
    assert collectives(four).token == pytest.approx((1.5 / 0.6416 + 0.3034) / (448e9 * 3 / 7) * 16_384 * 160)
    assert collectives(eight).token == pytest.approx((1.75 / 0.6416 + 0.3034) / 448e9 * 16_384 * 160)
    assert collectives(four).token == pytest.approx(36.1e-6, rel=0.01)


def test_a_switch_gives_every_gpu_its_whole_link() -> None:
    two, eight = (case_of("llama-3.1-70b", "h200-sxm", Replica(tp=tp, weight_dtype="fp8")) for tp in (2, 8))
    r, link = two.rates, two.link
    both = [(2 * (n - 1) / n / r["reduce_bandwidth"] + r["reduce_passes"]) / link * 16_384 * 160 for n in (2, 8)]
    assert [collectives(each).token for each in (two, eight)] == pytest.approx(both)


def test_heads_wider_than_256_run_in_triton_but_on_blackwell_of_data_centres() -> None:
    """Gemma 4 has heads of 512 in seven of 42 layers, and all of its attention then reads at 39 % of the bandwidth."""
    assert shape_of("gemma-4-e4b").widest_head == 512
    assert shape_of("gemma-3-27b").widest_head == 128
    slow, fast = (case_of("gemma-4-e4b", gpu, Replica(weight_dtype="bf16")) for gpu in ("h200-sxm", "b200-sxm"))
    assert slow.rates["decode_attention_bandwidth"] == 0.39
    assert fast.rates["decode_attention_bandwidth"] == pytest.approx(0.9307)
    read = slow.shape.kinds[0].read_width * 2 * 512 + slow.shape.kinds[1].read_width * 2 * 2000
    step = pass_parts(slow, Pass(1.0, 1.0, 2000.0, prefill=False))
    assert step.cache == pytest.approx(2 * read / (0.39 * slow.bandwidth)), "two key-value heads, windows of 512"


def test_a_context_and_a_load_beyond_the_fit_have_bands_of_their_own() -> None:
    """Of a combination in the fit: from 16,385 tokens of a request, and from 129 requests in flight on a rank."""
    replica = Replica(engine="sglang", tp=8, weight_dtype="fp8_block")
    case = case_of("deepseek-r1", "h200-sxm", replica)

    def basis(*, dp: int = 1, **demand: int) -> str:
        return replica_band("tpot", "h200-sxm", replace(replica, tp=8 // dp, dp=dp), case, Demand(**demand)).basis

    assert basis(input_tokens=16_000, output_tokens=384, concurrency=128) == FITTED
    assert basis(input_tokens=16_000, output_tokens=385, concurrency=1) == CONTEXT
    assert basis(concurrency=129) == basis(input_tokens=16_385, concurrency=129) == LOADED
    assert basis(dp=2, concurrency=256) == FITTED, "two ranks share the requests"


def test_a_busy_rank_does_not_widen_the_band_of_a_combination_in_the_fit() -> None:
    """Its own band was made of busy servers too; that of a model that no server ran grows with 64 requests."""
    replica = Replica(engine="sglang", tp=8, weight_dtype="fp8_block")
    few, busy = (Demand(input_tokens=1024, output_tokens=1024, concurrency=n) for n in (8, 64))

    def bands(model: str) -> list[Band]:
        case = case_of(model, "h200-sxm", replica)
        return [replica_band("ttft", "h200-sxm", replica, case, demand) for demand in (few, busy)]

    alone, loaded = bands("deepseek-r1")
    assert alone == loaded
    assert alone.basis == FITTED
    alone, loaded = bands("glm-4.5")
    assert loaded.high > 2 * alone.high


def test_of_two_bands_that_hold_the_wider_one_is_shown() -> None:
    """TPOT: 2.2 times wide under load, 1.9 on an A100, whose kernels were measured, 2.6 on an MI300X."""
    setting = Setting("", "", drafts=False, crosses=False, strains=(LOADED,))
    found = [error_band("tpot", "vllm", gpu, setting).basis for gpu in ("h200-sxm", "a100-sxm-80gb", "mi300x")]
    assert found == [LOADED, LOADED, NOTHING]


def test_the_load_of_a_rank_and_the_context_of_a_request_strain_an_estimate() -> None:
    """From 33 requests on a rank a band of its own holds, from 129 another; from 16,385 tokens of context a third."""
    loads = [Demand(input_tokens=1024, output_tokens=1024, concurrency=n) for n in (32, 33, 128, 129)]
    assert [STRAINS[strain_of(each, 1)] for each in loads] == [(), (BUSY,), (BUSY,), (LOADED,)]
    assert [STRAINS[strain_of(each, 2)] for each in loads] == [(), (), (BUSY,), (BUSY,)]
    far = [replace(each, input_tokens=16_384) for each in loads]
    assert [STRAINS[strain_of(each, 1)] for each in far] == [(CONTEXT,), *[(BUSY, CONTEXT)] * 2, (LOADED, CONTEXT)]


def test_the_first_token_of_a_busy_rank_is_less_sure_and_that_of_a_long_context_too() -> None:
    """Of a model that no server ran: 8 k and 128 k tokens alone, and 64 requests in flight on one GPU."""
    replica = Replica(engine="vllm", tp=8, weight_dtype="fp8")
    case = case_of("llama-3.1-405b", "h200-sxm", replica)

    def width(figure: str, tokens: int, concurrency: int) -> float:
        demand = Demand(input_tokens=tokens, output_tokens=256, concurrency=concurrency)
        band = replica_band(figure, "h200-sxm", replica, case, demand)
        return band.high / band.low

    for figure in ("ttft", "tpot", "throughput"):
        assert width(figure, 131_072, 1) > width(figure, 8192, 1)
    assert width("ttft", 8192, 64) > 2 * width("ttft", 8192, 1)


def test_prompts_attend_on_amd_as_fast_as_its_own_kernels() -> None:
    """MI300X keeps 44.47 % of 1,307.4 TFLOP/s busy, MI355X 58.64 % of 2,516.6, where heads are 128 wide.

    80 layers, 64 heads, 8,192 tokens that see half of each other, scores and values: 2 x 2 x 128 x 64 x 80 x 8,192
    x 4,096 = 87.96 TFLOP over 8 GPUs: 18.9 ms and 7.45 ms.
    """
    for gpu, seconds in (
        ("mi300x", 87.96e12 / 8 / (0.4447 * 1307.4e12)),
        ("mi355x", 87.96e12 / 8 / (0.5864 * 2516.6e12)),
    ):
        case = case_of("llama-3.1-70b", gpu, Replica(tp=8, weight_dtype="fp8"))
        parts = pass_parts(case, Pass(8192.0, 1.0, 8192.0, prefill=True))
        assert parts.scores == pytest.approx(seconds, rel=1e-3)


def test_experts_on_mi300x_are_read_as_published_servers_read_them() -> None:
    """MiniMax-M2.7 in eight bits on four MI300X, 64 in flight: 43 ms a token (SGLang pull 31044), 21 ms with aiter's.

    57 billion bytes of experts a GPU at 0.23 of 5.3 TB/s take 47 ms, of which 64 tokens to 8 of 256 visit 87 %.
    """
    case = case_of("minimax-m2.7", "mi300x", Replica(tp=4, ep=4, weight_dtype="fp8_block", engine="sglang"))
    assert case.rates["experts_bandwidth"] == 0.23
    routed = case.shape.n_experts * case.shape.expert_parameters / 4
    visited = 1 - (1 - 8 / 256) ** 64
    read = routed * visited / (0.23 * 5.3e12)
    assert read == pytest.approx(0.0403, rel=0.02)
    tuned = case_of("minimax-m2.7", "mi355x", Replica(tp=4, ep=4, weight_dtype="fp8_block", engine="sglang"))
    assert tuned.rates["experts_bandwidth"] == 0.874, "no server of it was published"


def test_all_ports_of_a_node_carry_an_all_reduce_together() -> None:
    """Sixteen H100 on two nodes, link 450 GB/s, eight ports of 50 GB/s a node, shares 0.7753 and 0.3076. A byte takes

    (2 x 7 / 8 / 0.7753 + 0.3076) / 450e9 + 2 x 1 / 2 / 0.7753 / (8 x 50e9) = 5.70 + 3.22 = 8.92 ps.

    On ports of 25 GB/s, as A3 Mega's, 134 MB take 5.70 + 6.45 ps a byte and 81 us, 1.71 ms; published are 1.65 ms.
    """
    case = case_of("deepseek-r1", "h100-sxm", Replica(tp=16))
    message, times = 7168 * 2, 2 * 61
    assert collectives(case).token == pytest.approx(8.92e-12 * message * times, rel=1e-3)
    slower = collectives(replace(case, network=25e9))
    assert (slower.fixed + slower.token * 134_217_728 / message) / times == pytest.approx(1.71e-3, rel=0.01)


def test_an_all_reduce_within_a_node_waits_for_no_network() -> None:
    """Of tp 8 and dp 2 on two nodes attention is reduced over the eight GPUs of one; only experts cross the network."""
    one, two = (case_of("deepseek-r1", "h100-sxm", Replica(tp=8, dp=dp)) for dp in (1, 2))
    r = one.rates
    started = r["reduce_launch_seconds"] + r["reduce_growth_seconds"] * 6
    assert collectives(one).fixed == pytest.approx(2 * 61 * started)
    across = r["reduce_launch_seconds"] + r["reduce_growth_seconds"] * 14 + NETWORK_SECONDS
    assert collectives(two).fixed == pytest.approx(61 * started + 58 * 2 * across)
