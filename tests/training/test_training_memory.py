"""Closed forms of training memory against the papers that state them."""

from typing import Any

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.formulas.training_memory import (
    GptLayout,
    activation_bytes,
    logits_bytes,
    model_state_bytes,
    optimizer_bytes,
    state_bytes_gpt,
)
from sizebook.functions import load

load()
GIB = 2**30
# Layers, width, heads and tokens of a sequence, and the layout.
SMALL = (48, 6144, 64, 2048), {"tp": 8, "micro_batch": 4}
LARGE = (96, 12288, 96, 2048), {"tp": 8, "pp": 8, "interleave": 3}
Case = tuple[tuple[int, int, int, int], dict[str, int]]


def _kept(case: Case, **changes: Any) -> float:
    dimensions, layout = case
    return activation_bytes(*dimensions, layout=GptLayout(**{**layout, **changes}))


@pytest.mark.parametrize(
    ("case", "without", "with_both"), [(SMALL, 59.25, 9.5625), (LARGE, 66.84375, 12.3515625)], ids=("22B", "175B")
)
def test_activations_of_korthikanti_figure_1(case: Case, without: float, with_both: float) -> None:
    assert _kept(case, sequence_parallel=False) == without * GIB
    assert _kept(case, recompute="selective") == with_both * GIB


def test_states_of_korthikanti_figure_1() -> None:
    assert state_bytes_gpt(48, 6144, tp=8) == 45.5625 * GIB
    assert state_bytes_gpt(96, 12288, tp=8, pp=8) == 45.5625 * GIB


def test_full_recomputation_keeps_the_input_of_each_layer() -> None:
    assert _kept(SMALL, tp=1, recompute="full") == 2 * 2048 * 4 * 6144 * 48


def test_zero_on_the_example_of_its_paper() -> None:
    # Rajbhandari et al. 2020, figure 1: 7.5 B parameters on 64 GPUs: 120, 31.4, 16.6 and 1.9 GB.
    published = {0: 120.0, 1: 31.4, 2: 16.6, 3: 1.9}
    for stage, gigabytes in published.items():
        assert model_state_bytes(7_500_000_000, 64, stage) / 1e9 == pytest.approx(gigabytes, abs=0.05)


@pytest.mark.parametrize(
    ("optimizer", "each"),
    [("adamw", 8), ("adamw-bf16", 4), ("sgd-momentum", 4), ("lion", 4), ("muon", 4), ("sgd", 0), ("adafactor", 0)],
)
def test_states_of_each_optimizer(optimizer: str, each: float) -> None:
    assert optimizer_bytes(1000, optimizer) == 1000 * each


def test_eight_bit_adam_carries_a_scale_per_block() -> None:
    assert optimizer_bytes(2048, "adamw-8bit") == 2 * (2048 + 4)


def test_an_unknown_optimizer_is_refused_with_the_nearest() -> None:
    with pytest.raises(SizebookError) as refused:
        call("OPTIMIZER_BYTES", 1000, "adamm")
    assert str(refused.value) == (
        "unknown optimizer: got 'adamm', want one of adamw, adamw-bf16, adamw-8bit, adafactor, sgd-momentum, sgd, "
        "lion, "
        "muon. Did you mean 'adamw'?"
    )


def test_interleaving_without_a_pipeline_is_refused() -> None:
    with pytest.raises(SizebookError) as refused:
        _kept(SMALL, interleave=2)
    assert str(refused.value) == (
        "interleave needs a pipeline: got interleave 2 and pp 1, want pp above 1. Set interleave to 1."
    )


def test_logits_of_llama_3_by_hand() -> None:
    # 128 256 entries x 2 sequences x 8192 tokens x 4 bytes, split over four tensor-parallel ranks.
    assert logits_bytes(128_256, 8192, tp=4, micro_batch=2) == 128_256 * 2 * 8192 * 4 / 4
