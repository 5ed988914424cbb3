"""What benchmarks write is calibrated as it is: every tool gives one row, what it lacks is asked for by name."""

import json
from pathlib import Path
from typing import Any

import pytest

from sizebook.calibrating.benchmark_results import TOOLS
from sizebook.calibrating.runs import RunTable
from sizebook.core.errors import InputError
from tests.calibrating.test_calibrate import SERVED, serving_rows
from tests.commands import run
from tests.csv_files import written
from tests.refused import message_of

# 40 requests of 1000 tokens in and 200 out, 8 at a time: 120 ms to the first token, 9 ms a token, 800 tokens a second.
TOTALS = {
    "completed": 40,
    "total_input_tokens": 40_000,
    "total_output_tokens": 8_000,
    "max_concurrency": 8,
    "mean_ttft_ms": 120.0,
    "mean_tpot_ms": 9.0,
    "output_throughput": 800.0,
}
RESULTS: dict[str, Any] = {
    "vllm-bench-serve": {"model_id": "llama-3.1-8b", "request_rate": "inf", **TOTALS},
    "sglang-bench-serving": {"backend": "sglang", **TOTALS},
    "aiperf": {
        "input_config": {"endpoint": {"model_names": ["llama-3.1-8b"]}, "loadgen": {"concurrency": 8}},
        "input_sequence_length": {"unit": "tokens", "avg": 1000.2},
        "output_sequence_length": {"unit": "tokens", "avg": 199.9},
        "time_to_first_token": {"unit": "ms", "avg": 120.0},
        "inter_token_latency": {"unit": "ms", "avg": 9.0},
        "output_token_throughput": {"unit": "tokens/sec", "avg": 800.0},
    },
    "guidellm": {
        "benchmarks": [
            {
                "metrics": {
                    name: {"successful": {"mean": mean}}
                    for name, mean in (
                        ("request_concurrency", 7.8),
                        ("prompt_token_count", 1000.0),
                        ("output_token_count", 200.0),
                        ("time_to_first_token_ms", 120.0),
                        ("inter_token_latency_ms", 9.0),
                        ("output_tokens_per_second", 800.0),
                    )
                }
            }
        ]
    },
}
SERVER = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "engine": "vllm", "weight_dtype": "fp8", "tp": "1"}
ROW = {
    "input_tokens": 1000,
    "output_tokens": 200,
    "concurrency": 8,
    "measured_ttft_seconds": 0.12,
    "measured_tpot_seconds": 0.009,
    "measured_tokens_per_second": 800.0,
}


def saved(folder: Path, result: Any, name: str = "result.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(result), encoding="utf-8")
    return path


@pytest.mark.parametrize("tool", TOOLS)
def test_every_tool_gives_the_same_row(tmp_path: Path, tool: str) -> None:
    table = RunTable(saved(tmp_path, RESULTS[tool]), SERVER)
    ((line, row),) = table.rows()
    assert line == 1
    assert {name: row[name] for name in ROW} == pytest.approx(ROW)
    assert {name: row[name] for name in SERVER} == SERVER
    assert set(table.columns) == {*ROW, *SERVER}


def test_what_no_result_says_is_asked_for_by_name(tmp_path: Path) -> None:
    path = saved(tmp_path, RESULTS["vllm-bench-serve"])
    done = run("calibrate", path, "-o", tmp_path / "r.csv", "--set", "gpu=h100-sxm")
    assert str(done.exception) == (
        "result.json: settings missing: got no weight_dtype, tp, want each. Add --set weight_dtype=... --set tp=..."
    )


def test_results_give_the_rates_of_their_table(tmp_path: Path) -> None:
    """The same runs, once as a table and once as results of a benchmark, line by line."""
    rows = serving_rows(SERVED)
    lines = [
        {
            "model_id": row["model"],
            "completed": 10,
            "total_input_tokens": 10 * row["input_tokens"],
            "total_output_tokens": 10 * row["output_tokens"],
            "max_concurrency": row["concurrency"],
            "mean_ttft_ms": 1000 * row["measured_ttft_seconds"],
            "mean_tpot_ms": 1000 * row["measured_tpot_seconds"],
            "output_throughput": None,
        }
        for row in rows
    ]
    results = tmp_path / "runs.jsonl"
    results.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    stated = [word for name in ("gpu=h100-sxm", "weight_dtype=fp8", "tp=4") for word in ("--set", name)]
    said = []
    for table, more in ((results, stated), (written(tmp_path / "runs.csv", rows), [])):
        done = run("calibrate", table, "-o", tmp_path / "rates.csv", *more)
        assert done.exit_code == 0, done.exception
        said.append(done.output.partition("Rates:")[0])
    assert said[0] == said[1]


REFUSED = [
    (
        {"mean_ttft_ms": 1},
        "unknown result: got none of the keys of vllm-bench-serve, sglang-bench-serving, aiperf, guid",
    ),
    (
        RESULTS["vllm-bench-serve"] | {"completed": 0},
        "no request: got none completed in result.json, result 1, want som",
    ),
]


@pytest.mark.parametrize(("result", "message"), REFUSED)
def test_what_is_no_result_is_refused(tmp_path: Path, result: Any, message: str) -> None:
    assert message_of(InputError, lambda: list(RunTable(saved(tmp_path, result), SERVER).rows())).startswith(message)


def test_a_column_is_not_said_twice(tmp_path: Path) -> None:
    table = written(tmp_path / "runs.csv", serving_rows(SERVED)[:1])
    with pytest.raises(InputError, match=r"^runs\.csv: stated twice: got gpu as a column and by --set, want one"):
        _ = RunTable(table, {"gpu": "h100-sxm"}).columns
