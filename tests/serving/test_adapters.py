"""Low-rank adapters beside the weights: their memory, what a pass reads of them, and the kernels that they launch."""

import pytest

from sizebook.serving.band import NOTHING, replica_band
from sizebook.serving.case import Case, case_of
from sizebook.serving.memory import weight_bytes_per_gpu
from sizebook.serving.quantities import Replica
from sizebook.serving.time import Pass, pass_parts

# Both sides of q and o (8,192 each), k and v (5,120 each), gate, up and down (18,432 each), in 32 layers.
WIDTH = 32 * (2 * 8192 + 2 * 5120 + 3 * 18_432)
ONE = 16 * WIDTH * 2  # bytes of rank 16


def case(adapters: int, tp: int = 1) -> Case:
    return case_of("llama-3.1-8b", "h100-sxm", Replica(tp=tp, weight_dtype="fp8", adapters=adapters))


@pytest.mark.parametrize("tp", [1, 2])
def test_adapters_lie_beside_the_weights(tp: int) -> None:
    """83,886,080 bytes each, split over tensor parallelism."""
    assert ONE == 83_886_080
    added = weight_bytes_per_gpu(case(16, tp)) - weight_bytes_per_gpu(case(0, tp))
    assert added == pytest.approx(16 * ONE / tp)


def test_a_pass_reads_the_adapters_that_its_sequences_ask_for() -> None:
    """Eight sequences ask for 16 (1 - (15 / 16)^8) = 6.45 of 16 adapters; all of them for the only one."""
    work = Pass(8.0, 8.0, 1000.0, prefill=False)
    some, one, none = (pass_parts(case(n), work) for n in (16, 1, 0))
    rate = case(0).bandwidth * case(0).rates["product_bandwidth"]
    assert some.weights - none.weights == pytest.approx(6.4525 * ONE / rate, rel=1e-4)
    assert one.weights - none.weights == pytest.approx(ONE / rate)


def test_each_product_launches_two_thin_ones_more_and_multiplies_a_little() -> None:
    """Four products in each of 32 layers; two FLOPs of each parameter and token at the peak of sixteen bits."""
    work, without, found = Pass(8.0, 8.0, 1000.0, prefill=False), case(0), case(16)
    some, none = pass_parts(found, work), pass_parts(without, work)
    assert some.launches - none.launches == pytest.approx(2 * 32 * 4 * without.rates["product_launch_seconds"])
    flops = 8 * 2 * 16 * WIDTH
    assert some.products - none.products == pytest.approx(
        flops / (without.half_peak * without.rates["product_compute"])
    )


def test_nothing_was_measured_with_adapters() -> None:
    replica = Replica(weight_dtype="fp8", adapters=1)
    assert replica_band("tpot", "h100-sxm", replica, case(1)).basis == NOTHING


def test_experts_and_routers_carry_none() -> None:
    """Qwen3 30B-A3B: q and o 6,144 each, k and v 2,560 each, in 48 layers."""
    shape = case_of("qwen3-30b-a3b", "h100-sxm", Replica()).shape
    assert shape.adapted_width == 48 * (2 * 6144 + 2 * 2560)
