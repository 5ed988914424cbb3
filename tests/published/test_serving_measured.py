"""The shipped rates against the measured rows that they were fitted on, through the sweep that users run.

These are errors of a fit on rows it saw; those on groups left out are in docs/serving_accuracy.md.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from sizebook.sweeping import sweep

NAMES = {"model_path": "model", "isl": "input_tokens", "osl": "output_tokens", "tp_size": "tp", "moe_ep_size": "ep"}


@pytest.fixture(scope="module")
def measured(shared: Path) -> pl.DataFrame:
    rows = pl.read_csv(shared / "truth" / "serving_measured.csv", infer_schema_length=None)
    rows = rows.filter(pl.col("mode") == "agg")
    dp = pl.max_horizontal(pl.col("attention_dp_size").fill_null(1), 1)
    cases = rows.select(
        *(pl.col(old).alias(new) for old, new in NAMES.items()),
        pl.col("system").str.replace("_", "-").alias("gpu"),
        pl.col("backend").alias("engine"),
        pl.coalesce("moe_quant_mode", "gemm_quant_mode").alias("weight_dtype"),
        dp.alias("dp"),
        (pl.col("batch_size") * dp).alias("concurrency"),
        (pl.col("silicon_ttft_ms") / 1e3).alias("measured_ttft"),
        (pl.col("silicon_tpot_ms") / 1e3).alias("measured_tpot"),
    )
    return sweep(cases)


def test_every_measured_row_can_be_estimated(measured: pl.DataFrame) -> None:
    assert measured.height == 2000
    assert measured["tpot_seconds"].null_count() == 0
    assert measured["fits"].sum() > 1900


def test_errors_on_rows_within_the_cache(measured: pl.DataFrame) -> None:
    within = measured.filter(pl.col("fits"))
    token = np.abs((within["tpot_seconds"] / within["measured_tpot"]).to_numpy() - 1)
    first = np.abs((within["ttft_seconds"] / within["measured_ttft"]).to_numpy() - 1)
    assert token.mean() < 0.14
    assert np.median(token) < 0.10
    assert np.median(first) < 0.21


def test_eight_of_ten_measurements_lie_within_the_band(measured: pl.DataFrame) -> None:
    within = measured.filter(pl.col("fits"))
    off = within["measured_tpot"] / within["tpot_seconds"] - 1
    inside = ((off >= within["error_low"]) & (off <= within["error_high"])).mean()
    assert inside is not None and inside > 0.8
