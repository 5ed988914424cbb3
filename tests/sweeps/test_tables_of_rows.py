"""Sweeps in one cell: the figures of `sizebook sweep`, errors in their place, heads that are told when wrong."""

import random
from typing import Any

import polars as pl
import pytest

from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.functions import load
from sizebook.sweeps import serving, training
from tests.refused import message_of
from tests.row_lists import listed

MODELS = ("llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b", "qwen3-32b", "no-such-model")
GPUS = ("h100-sxm", "h200-sxm", "a100-sxm-80gb")


def same_as_sweep(name: str, sweep: Any, heads: list[str], rows: list[list[Any]]) -> None:
    """Compare every cell of a table with the columns of a sweep: figures, reasons, and what is missing."""
    shown = call(name, [heads, *rows])
    frame = sweep(pl.DataFrame(rows, schema=dict.fromkeys(heads, pl.String), orient="row", strict=False))
    for head, *cells in zip(*shown, strict=True):
        for cell, want in zip(cells, frame[head].to_list(), strict=True):
            if head == "rates_basis" and getattr(cell, "code", "") == "#N/A":
                continue  # a sweep names the rates of rows that it refuses, too
            if want is None or (head == "reason" and not want):
                assert cell == "" if head == "reason" else cell.code == "#N/A", (head, cell)
            else:
                assert cell == (pytest.approx(want, rel=1e-9) if isinstance(want, float) else want), head


def test_serving_rows_are_those_of_a_sweep() -> None:
    load()
    pick = random.Random(5)
    choices = ((1, 2, 4, 3), ("", "fp8"), (128, 4000, 90_000), (16, 900), (1, 64, 4000), ("", 0.5))
    heads = ["model", "gpu", "tp", "weight_dtype", "input_tokens", "output_tokens", "concurrency", "cache_hit_ratio"]
    rows = [
        [str(pick.choice(each)) for each in (MODELS, GPUS, *choices)]
        for _ in range(300)
    ]  # fmt: skip
    same_as_sweep("SERVING_TABLE", serving.sweep, heads, rows)


def test_training_rows_are_those_of_a_sweep() -> None:
    load()
    pick = random.Random(6)
    choices = ((8, 64, 100), ("1e12", "15T"), (512, 1024), (1, 2, 8), ("", 3))
    heads = ["model", "gpu", "gpus", "tokens", "batch", "tp", "zero_stage"]
    rows = [
        [str(pick.choice(each)) for each in (MODELS, GPUS, *choices)]
        for _ in range(200)
    ]  # fmt: skip
    same_as_sweep("TRAINING_TABLE", training.sweep, heads, rows)


def test_a_bad_row_spoils_only_itself_and_a_blank_one_stays_blank() -> None:
    load()
    shown = call(
        "SIZING_TABLE", [["model", "dtype"], ["nope", None], [None, " "], ["llama-3.1-8b", "fp8"], [None, None]]
    )
    reason = (
        "unknown model: got 'nope', want a key that 'sizebook models' lists, or the name of a Hugging Face repository "
        "in it. Correct it."
    )
    assert [[getattr(cell, "code", cell) for cell in row] for row in shown] == [
        ["parameters", "active_parameters", "weight_bytes", "reason"],
        ["#N/A", "#N/A", "#N/A", reason],
        ["", "", "", ""],
        [8_030_261_248, 8_030_261_248, 8_030_261_248, ""],
    ]


@pytest.mark.parametrize(*listed("sweeps", "test_wrong_heads_are_refused"))
def test_wrong_heads_are_refused(heads: list[Any], message: str) -> None:
    load()
    assert message_of(SizebookError, lambda: call("SIZING_TABLE", [heads, ["fp8"] * len(heads)])) == message


def test_a_table_too_long_for_a_cell_is_refused() -> None:
    load()
    assert message_of(SizebookError, call, "SIZING_TABLE", [["model"], *[["llama-3.1-8b"]] * 100_001]) == (
        "too many rows: got 100001, want at most 100000 in one cell. Use 'sizebook sweep' for the table."
    )
