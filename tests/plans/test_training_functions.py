"""Spreadsheet functions over training plans: they agree with the plan and with one another."""

from __future__ import annotations

import pytest

from sizebook.cells import call
from sizebook.errors import SizebookError
from sizebook.functions import load
from sizebook.plans.training_memory import COMPONENTS

load()
LAYOUT = (4096, 2, 2, 4, 1, 1, 1, 1)  # seq tp pp dp cp ep zero_stage micro_batch


def _memory(component: str) -> float:
    return float(call("TRAIN_MEMORY_BYTES", "llama-3.1-8b", *LAYOUT, "none", 1, "adamw", "megatron", component))


def test_components_add_up_to_the_total() -> None:
    assert sum(_memory(name) for name in COMPONENTS) == pytest.approx(_memory("total"))
    assert _memory("allocated") == pytest.approx(_memory("total") - _memory("fragmentation") - _memory("context"))


def test_fits_compares_the_total_with_the_memory_that_the_driver_leaves() -> None:
    for gpu in ("h100-sxm", "a100-sxm-40gb", "b200-sxm"):
        usable = {"h100-sxm": 85_029_615_043, "a100-sxm-40gb": 0.99 * 40 * 2**30, "b200-sxm": 0.99 * 180 * 2**30}[gpu]
        assert call("FITS", "llama-3.1-8b", gpu, *LAYOUT) is (_memory("total") <= usable)


def test_the_fewest_gpus_fit_and_half_of_them_do_not() -> None:
    gpus = call("MIN_GPUS_TRAIN", "llama-3.1-70b", "h100-sxm")
    # 18 bytes a parameter without sharding gradients, 2 + 4 + 12 / dp with ZeRO-1: at least 70.6e9 x 16 / 85e9 = 14.
    assert gpus == 16
    with pytest.raises(SizebookError):
        call("PLAN_TRAINING", "llama-3.1-70b", "h100-sxm", gpus // 2, gpus // 2)
    assert call("PLAN_TRAINING", "llama-3.1-70b", "h100-sxm", gpus, gpus)[1][0]


def test_the_table_is_ranked_and_says_why_others_fail() -> None:
    head, *rows = call("PLAN_TRAINING", "llama-3.1-70b", "h100-sxm", 64, 512, 8192)
    fits = [row for row in rows if not row[head.index("reason")]]
    seconds = [row[head.index("step_seconds")] for row in fits]
    assert len(fits) == 10 and seconds == sorted(seconds)
    assert all("more than a GPU has" in row[-1] for row in rows[10:]) and len(rows) > 10


def test_the_fastest_row_of_the_table_is_what_step_seconds_gives() -> None:
    row = call("PLAN_TRAINING", "gpt-2-small", "a100-sxm-80gb", 1, 8, 1024)[1]
    assert row[0] == "TP1 PP1 DP1 ZeRO-0 mb8"
    seconds = call("STEP_SECONDS", "gpt-2-small", "a100-sxm-80gb", 8, 1024, 1, 1, 1, 1, 1, 0, 8)
    assert row[2] == pytest.approx(seconds, abs=5e-5)


def test_adapters_on_llama_by_hand() -> None:
    matrices = 8_030_261_248 - 128_256 * 4096 - 65 * 4096
    scores = 6 * 32 * 4096 * 4096
    adapters = 16 * 32 * (2 * (4096 + 4096) + 2 * (4096 + 1024))
    assert call("FLOPS_PER_TOKEN_LORA", "llama-3.1-8b", 4096, 16) == 4 * matrices + scores + 6 * adapters


def test_a_band_has_two_ends() -> None:
    assert call("TRAIN_ERROR", 10) < 1 < call("TRAIN_ERROR", 90)
    with pytest.raises(SizebookError) as refused:
        call("TRAIN_ERROR", 50)
    assert str(refused.value) == "no such end of the band: got percentile 50, want 10 or 90. Choose one of the two."


def test_an_impossible_layout_is_refused_in_a_cell() -> None:
    with pytest.raises(SizebookError) as refused:
        call("TRAIN_MEMORY_BYTES", "llama-3.1-8b", 4096, 3)
    assert str(refused.value) == (
        "tensor parallelism does not divide the heads: got tp 3 and n_heads 32, want tp to divide n_heads. Use tp 2."
    )
