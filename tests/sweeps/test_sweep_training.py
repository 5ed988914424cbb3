"""`sizebook sweep` on a table of training runs."""

import csv
from pathlib import Path

import pytest

from sizebook.core.errors import SizebookError
from sizebook.plans.training.rows import OUTPUTS
from tests.commands import run
from tests.csv_files import rows_of
from tests.plans.training.training_runs import training_row
from tests.refused import message_of

HEADS = ["name", "model", "gpu", "gpus", "batch", "tokens", "tp", "price_usd_per_gpu_hour"]
ROWS = [
    ["right", "llama-3.1-8b", "h100-sxm", "64", "512", "1e12", "2", "2.5"],
    ["wrong", "llama-3.1-8b", "h100-sxm", "sixty", "512", "1e12", "2", "2.5"],
]


def _swept(folder: Path, heads: list[str], rows: list[list[str]], kind: str = "csv") -> list[dict[str, str]]:
    table, output = folder / "runs.csv", folder / f"out.{kind}"
    with table.open("w", newline="") as lines:
        csv.writer(lines).writerows([heads, *rows])
    result = run("sweep", table, "-o", output)
    if result.exception is not None:
        raise result.exception
    assert "1 of 2 rows estimated" in result.output
    return rows_of(output)


def test_rows_keep_their_order_and_columns_and_gain_the_results(tmp_path: Path) -> None:
    right, wrong = _swept(tmp_path, HEADS, ROWS)
    assert list(right) == [*HEADS, *OUTPUTS]
    expected = training_row(dict(zip(HEADS, ROWS[0], strict=True)))
    assert float(right["cost_usd"]) == pytest.approx(expected["cost_usd"])
    assert float(right["memory_bytes"]) == expected["memory_bytes"]
    assert wrong["name"] == "wrong" and wrong["cost_usd"] == ""
    assert wrong["reason"] == (
        "gpus is not a number: got 'sixty', want a whole number (number of GPUs). "
        "Type digits, or a number with M, B or T for 10^6, 10^9 or 10^12."
    )


def test_a_column_in_the_way_of_a_result_is_refused(tmp_path: Path) -> None:
    assert "column name taken: got fits in the table" in message_of(
        SizebookError, _swept, tmp_path, [*HEADS, "fits"], []
    )


def test_tables_of_published_runs_may_say_dtype(tmp_path: Path) -> None:
    """`dtype` and `compute_dtype` give the same; text is read as in a cell."""
    table, output = tmp_path / "runs.csv", tmp_path / "out.csv"
    heads = ["model", "gpu", "gpus", "batch", "tokens", "zero_stage", "{}", "lora_rank", "power_limit_watts", "note"]
    cells = ["llama-3.1-8b", "h100-sxm", "64", "512", "2T", "0", "fp8", "16", "500", "mine"]
    steps = {}
    for name in ("dtype", "compute_dtype"):
        with table.open("w", newline="") as lines:
            csv.writer(lines).writerows([[head.format(name) for head in heads], cells])
        result = run("sweep", table, "-o", output)
        assert "columns kept but not read: note" in result.stderr
        steps[name] = rows_of(output)[0]["step_seconds"]
    assert steps["dtype"] == steps["compute_dtype"] != ""
