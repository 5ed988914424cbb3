"""Rates fitted to runs whose factors are known, what the command says of them, and what it refuses."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sizebook.calibrating import calibration, serving, training
from sizebook.cli import app
from sizebook.core.errors import SizebookError
from sizebook.tables.own_rates import Setup, own_rates
from tests.csv_files import written
from tests.refused import message_of
from tests.row_lists import listed

Row = dict[str, Any]
MODELS = ("llama-3.1-8b", "mistral-7b-v0.1", "qwen3-32b", "llama-3.1-70b")
# Runs scatter around what the factors give, in turn, by so much.
SCATTER = (1.02, 0.98, 1.01, 0.99)
TRAINED = {"compute": 1.2, "network": 1.5, "launch": 1.0}
SERVED = {"compute": 1.3, "network": 1.0, "launch": 0.7, "first_token": 2.0}
HIDDEN_TRAINING = {"measured_step_seconds": 1e6}
HIDDEN_SERVING = {"measured_tpot_seconds": 1.0}


def training_rows(factors: dict[str, float], models: Sequence[str] = MODELS) -> list[Row]:
    rows: list[Row] = []
    for model in models:
        for gpus in (8, 64, 256):
            row: Row = {"model": model, "gpu": "h100-sxm", "gpus": gpus, "batch": 8 * gpus, "seq": 4096,
                        "zero_stage": 3, "tp": 1 if model in MODELS[:2] else 8, "recompute": "full",
                        "stack": "fsdp"}  # fmt: skip
            run = training.reader(list(row))(2, {**row, **HIDDEN_TRAINING})
            seconds = run.predicted(factors)["step"] * SCATTER[len(rows) % 4]
            rows.append({**row, "measured_step_seconds": seconds})
    return rows


def serving_rows(factors: dict[str, float]) -> list[Row]:
    rows: list[Row] = []
    for model in MODELS:
        for concurrency in (1, 16, 64):
            row: Row = {"model": model, "gpu": "h100-sxm", "tp": 4, "weight_dtype": "fp8", "input_tokens": 1000,
                        "output_tokens": 200, "concurrency": concurrency}  # fmt: skip
            run = serving.reader(list(row))(2, {**row, **HIDDEN_SERVING})
            found, off = run.predicted(factors), SCATTER[len(rows) % 4]
            measured = {"measured_tpot_seconds": found["tpot"] * off, "measured_ttft_seconds": found["ttft"] / off}
            rows.append({**row, **measured})
    return rows


def calibrate(*tables: Path, output: Path) -> str:
    arguments = ["calibrate", *map(str, tables), "-o", str(output)]
    return CliRunner().invoke(app, arguments, catch_exceptions=False).output


def refusal(*tables: Path, output: Path) -> str:
    with pytest.raises(SizebookError) as refused:
        calibrate(*tables, output=output)
    assert not output.exists()
    return str(refused.value)


def test_factors_that_runs_were_made_with_are_found(tmp_path: Path) -> None:
    """Within what a prior that holds them near 1 and a scatter of 2 % leave; the error falls to that scatter."""
    runs = written(tmp_path / "runs.csv", training_rows(TRAINED))
    said = calibrate(runs, output=tmp_path / "rates.csv")
    setup = Setup("training", "h100-sxm", "fsdp")
    found = own_rates(str(tmp_path / "rates.csv")).setups[setup]
    assert found.runs == 12
    assert dict(found.factors) == pytest.approx(TRAINED, rel=0.1)
    first, error, *_ = said.splitlines()
    assert first == "training on h100-sxm with fsdp: 12 runs of 4 groups"
    before, own = map(float, re.findall(r"([\d.]+)\W% with", error))
    assert before > 15 and own < 4
    assert error.endswith("with own (each group left out)")
    spread = found.spreads["dense", "step"]
    assert spread.low < 1 < spread.high < 1.15
    digest = hashlib.sha256((tmp_path / "rates.csv").read_bytes()).hexdigest()[:12]
    assert said.splitlines()[-1] == f"Rates: {(tmp_path / 'rates.csv').resolve()}, sha256 {digest}"


def test_serving_and_training_runs_give_one_file(tmp_path: Path) -> None:
    served = written(tmp_path / "served.csv", serving_rows(SERVED))
    trained = written(tmp_path / "trained.csv", training_rows(TRAINED))
    calibrate(served, trained, output=tmp_path / "rates.csv")
    setups = own_rates(str(tmp_path / "rates.csv")).setups
    assert [setup.words for setup in setups] == ["serving on h100-sxm with vllm", "training on h100-sxm with fsdp"]
    factors = setups[Setup("serving", "h100-sxm", "vllm")].factors
    assert factors["first_token"] == pytest.approx(2, rel=0.1) and factors["compute"] == pytest.approx(1.3, rel=0.1)


def test_single_runs_are_left_out_where_there_is_one_model(tmp_path: Path) -> None:
    runs = written(tmp_path / "runs.csv", training_rows(TRAINED, ["llama-3.1-8b", "mistral-7b-v0.1"]))
    said = calibrate(runs, output=tmp_path / "rates.csv")
    assert "(single runs left out: other models may lie further off)" in said
    assert "too few runs for a band of their own: the band of the shipped rates applies" in said
    assert own_rates(str(tmp_path / "rates.csv")).setups[Setup("training", "h100-sxm", "fsdp")].spreads == {}


def test_a_group_is_what_the_table_names(tmp_path: Path) -> None:
    rows = [{**row, "group": f"week {index % 3}"} for index, row in enumerate(training_rows(TRAINED))]
    said = calibrate(written(tmp_path / "runs.csv", rows), output=tmp_path / "rates.csv")
    assert said.startswith("training on h100-sxm with fsdp: 12 runs of 3 groups\n")


def test_too_few_runs_of_a_setup_are_said(tmp_path: Path) -> None:
    rows = training_rows(TRAINED)
    rows += [{**row, "gpu": "a100-sxm-80gb"} for row in rows[:2]]
    said = calibrate(written(tmp_path / "runs.csv", rows), output=tmp_path / "rates.csv")
    assert (
        "sizebook: note: too few runs: training on a100-sxm-80gb with fsdp: 2 runs, want at least 4; the shipped rates "
        "hold\n" in said
    )
    assert refusal(written(tmp_path / "few.csv", rows[:3]), output=tmp_path / "none.csv") == (
        "too few runs: got training on h100-sxm with fsdp: 3 runs, want at least 4; the shipped rates hold. Measure "
        "more."
    )


def test_runs_that_the_shipped_rates_predict_give_no_file(tmp_path: Path) -> None:
    runs = written(tmp_path / "runs.csv", training_rows(dict.fromkeys(TRAINED, 1.0)))
    assert refusal(runs, output=tmp_path / "none.csv") == (
        "own rates are no better: got runs that the shipped rates predict as well, want an error that falls. Nothing "
        "was written: plan with the shipped rates."
    )


def test_bad_rows_are_refused_by_line_and_nothing_is_written(tmp_path: Path) -> None:
    rows = training_rows(TRAINED)
    rows[1] |= {"measured_step_seconds": "fast"}
    rows[3] |= {"gpu": "h100-smx"}
    rows[5] |= {"measured_step_seconds": ""}
    assert refusal(written(tmp_path / "runs.csv", rows), output=tmp_path / "none.csv") == (
        "runs.csv: 3 bad rows, nothing was fitted\n"
        "  line 3: measured_step_seconds is not a number: got 'fast', want a number (as measured). Type digits, or a "
        "number with M, B or T for 10^6, 10^9 or 10^12.\n"
        "  line 5: unknown gpu: got 'h100-smx', want a key of data/hardware.csv. Did you mean 'h100-sxm'?\n"
        "  line 7: nothing measured: got no measured_step_seconds or measured_tokens_per_s_per_gpu, want one of them. "
        "Fill it in."
    )
    # 6 x 8e9 parameters x 4 096 tokens and more take a GPU of 989 TFLOP/s longer than a millisecond, whatever it is.
    fast = [{**training_rows(TRAINED)[0], "measured_step_seconds": "0.001"}, *training_rows(TRAINED)[1:]]
    said = refusal(written(tmp_path / "runs.csv", fast), output=tmp_path / "none.csv")
    assert said.startswith(
        "runs.csv: 1 bad row, nothing was fitted\n  line 2: faster than the peak: got a step of 0.001 s"
    )
    assert said.endswith("Correct what was measured, or compute_dtype.")
    one = [*training_rows(TRAINED)[1:], {**training_rows(TRAINED)[0], "measured_step_seconds": "fast"}]
    said = refusal(written(tmp_path / "runs.csv", one), output=tmp_path / "none.csv")
    assert said.startswith("runs.csv: 1 bad row, nothing was fitted\n")


def test_what_lies_beyond_every_rate_is_a_slip(tmp_path: Path) -> None:
    """Milliseconds typed as seconds, a step of 1e9 s: factors go from a fiftieth to fifty times the shipped rates."""
    rows = training_rows(TRAINED)
    rows[1]["measured_step_seconds"] = 1e9
    assert re.fullmatch(
        r"runs\.csv: 1 bad row, nothing was fitted\n  line 3: implausible rate: got a step of 1e\+09 s, "
        r"[\d.e+]+ times the [\d.]+ s of the shipped rates, want 0\.02 to 50 times\. Correct its unit, or what the row "
        r"says of the run\.",
        refusal(written(tmp_path / "runs.csv", rows), output=tmp_path / "none.csv"),
    )
    served = serving_rows(SERVED)
    served[0]["measured_tpot_seconds"] *= 1000
    said = refusal(written(tmp_path / "served.csv", served), output=tmp_path / "none.csv")
    assert "  line 2: implausible rate: got a tpot of " in said


@pytest.mark.parametrize(("ends", "kept"), [((1.2, 1.5, 2.0), (1.0, 1.5, 2.0)), ((0.5, 0.7, 0.9), (0.5, 0.7, 1.0))])
def test_a_band_of_own_runs_holds_what_is_predicted(
    ends: tuple[float, ...], kept: tuple[float, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Runs left out may all be slower than predicted; the prediction stays the middle case, low is not above it."""
    monkeypatch.setattr(calibration, "band", lambda *_: ends)
    calibrate(written(tmp_path / "runs.csv", training_rows(TRAINED)), output=tmp_path / "rates.csv")
    found = (
        own_rates(str(tmp_path / "rates.csv")).setups[Setup("training", "h100-sxm", "fsdp")].spreads["dense", "step"]
    )
    assert (found.low, found.middle, found.high) == kept


def test_rates_take_the_place_of_no_runs_and_no_run_counts_twice(tmp_path: Path) -> None:
    runs = written(tmp_path / "runs.csv", training_rows(TRAINED))
    before = runs.read_bytes()
    assert message_of(SizebookError, calibrate, runs, output=tmp_path / "." / "runs.csv") == (
        "output over input: got -o runs.csv, a table of runs, want another file. Name another."
    )
    assert runs.read_bytes() == before
    assert refusal(runs, tmp_path / "." / "runs.csv", output=tmp_path / "none.csv") == (
        "table given twice: got runs.csv again, want each once. Remove one."
    )


def test_a_table_in_utf_16_says_so(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("model,gpu,measured_step_seconds\n", encoding="utf-16")
    assert refusal(tmp_path / "runs.csv", output=tmp_path / "none.csv") == (
        "not UTF-8: got UTF-16 in runs.csv, want a table in UTF-8. Save it as xlsx, as Parquet, or as CSV in UTF-8."
    )


@pytest.mark.parametrize(*listed("calibrating", "test_tables_that_are_none_of_runs_are_refused"))
def test_tables_that_are_none_of_runs_are_refused(change: Row, message: str, tmp_path: Path) -> None:
    rows = [{key: value for key, value in {**row, **change}.items() if value is not None} for row in training_rows({})]
    assert refusal(written(tmp_path / "runs.csv", rows), output=tmp_path / "none.csv") == message


def test_columns_that_are_not_read_are_named(tmp_path: Path) -> None:
    rows = [{**row, "micro_bath": 2} for row in training_rows(TRAINED)]
    said = calibrate(written(tmp_path / "runs.csv", rows), output=tmp_path / "rates.csv")
    assert "columns kept but not read: micro_bath (Did you mean 'micro_batch'?)" in said
