"""Closed forms of training memory against the papers that state them."""

from __future__ import annotations

import pytest

from sizebook.cells import call
from sizebook.errors import SizebookError
from sizebook.formulas.training_memory import activation_bytes, model_state_bytes, optimizer_bytes, state_bytes_gpt
from sizebook.functions import load

load()
GIB = 2**30
SMALL = {"seq": 2048, "micro_batch": 4, "d_model": 6144, "n_heads": 64, "n_layers": 48, "tp": 8}
LARGE = {
    "seq": 2048,
    "micro_batch": 1,
    "d_model": 12288,
    "n_heads": 96,
    "n_layers": 96,
    "tp": 8,
    "pp": 8,
    "interleave": 3,
}


@pytest.mark.parametrize(
    ("shape", "without", "with_both"), [(SMALL, 59.25, 9.5625), (LARGE, 66.84375, 12.3515625)], ids=("22B", "175B")
)
def test_activations_of_korthikanti_figure_1(shape: dict[str, int], without: float, with_both: float) -> None:
    assert activation_bytes(**shape, sequence_parallel=False) == without * GIB
    assert activation_bytes(**shape, recompute="selective") == with_both * GIB


def test_states_of_korthikanti_figure_1() -> None:
    assert state_bytes_gpt(48, 6144, tp=8) == 45.5625 * GIB
    assert state_bytes_gpt(96, 12288, tp=8, pp=8) == 45.5625 * GIB


def test_full_recomputation_keeps_the_input_of_each_layer() -> None:
    shape = {**SMALL, "tp": 1}
    assert activation_bytes(**shape, recompute="full") == 2 * 2048 * 4 * 6144 * 48


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
        activation_bytes(**{**SMALL, "interleave": 2})
    assert str(refused.value) == (
        "interleave needs a pipeline: got interleave 2 and pp 1, want pp above 1. Set interleave to 1."
    )
