"""Spreadsheet functions over training plans: they agree with the plan and with one another."""

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.functions import load
from tests.refused import message_of

load()
STATED = "recompute=none; gradient_dtype=fp32; optimizer_dtype=fp32; fused_loss=no"
LAYOUT = (None, 4096, 2, 2, 4, 1, 1, 1, 1)  # batch seq tp pp dp cp ep zero_stage micro_batch


def _memory(component: str) -> float:
    return float(call("TRAIN_MEMORY_BYTES", "llama-3.1-8b", *LAYOUT, f"component={component}"))


def test_fits_compares_the_total_with_the_memory_that_the_driver_leaves() -> None:
    for gpu in ("h100-sxm", "a100-sxm-40gb", "b200-sxm"):
        usable = {"h100-sxm": 85_029_615_043, "a100-sxm-40gb": 0.99 * 40 * 2**30, "b200-sxm": 0.99 * 180 * 2**30}[gpu]
        assert call("FITS", "llama-3.1-8b", gpu, *LAYOUT, STATED) is (_memory("total") <= usable)
    # Left open, a run may keep gradients in bf16 and fuse the loss, and recompute what then still does not fit.
    assert call("FITS", "llama-3.1-8b", "a100-sxm-40gb", *LAYOUT) is True


def test_the_fewest_gpus_fit_and_half_of_them_do_not() -> None:
    gpus = call("MIN_GPUS_TRAIN", "llama-3.1-70b", "h100-sxm")
    # 12 bytes a parameter however they are spread, moments and gradients in bf16: at least 70.6e9 x 12 / 85e9 = 10.
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
    seconds = call("STEP_SECONDS", "gpt-2-small", "a100-sxm-80gb", 8, 1024, "zero_stage=0; micro_batch=8")
    assert row[2] == pytest.approx(seconds, abs=5e-5)


def test_a_band_has_two_ends() -> None:
    assert call("TRAIN_ERROR", 10) < 1 < call("TRAIN_ERROR", 90)
    assert (
        message_of(SizebookError, call, "TRAIN_ERROR", 50)
        == "no such end of the band: got percentile 50, want 10 or 90. Choose one of the two."
    )


def test_options_of_a_range_move_memory_and_time() -> None:
    options = [["dp", 8], ["power_limit_watts", 500], ["optimizer", "sgd"], ["", ""]]
    plain = call("STEP_SECONDS", "llama-3.1-8b", "h100-sxm", 128, "dp=8")
    assert call("STEP_SECONDS", "llama-3.1-8b", "h100-sxm", 128, options) > plain
    adamw = call("TRAIN_MEMORY_BYTES", "llama-3.1-8b", None, 4096, "dp=8")
    # AdamW keeps 8 bytes a parameter, divided by ZeRO-1 over 8 ranks: a byte a parameter.
    sgd = call("TRAIN_MEMORY_BYTES", "llama-3.1-8b", None, 4096, "dp=8; optimizer=sgd")
    assert adamw - sgd == pytest.approx(8_030_261_248, rel=1e-6)


def test_a_batch_of_fewer_micro_batches_than_stages_needs_less() -> None:
    few, many = (call("TRAIN_MEMORY_BYTES", "llama-3.1-8b", batch, 4096, "pp=4") for batch in (1, 64))
    assert few < many
    assert call("FITS", "llama-3.1-8b", "h100-sxm", 64, 4096, "pp=4") is (many <= 85_029_615_043)
