"""`sizebook sweep`: rows in, the same rows with results out, bad ones kept with their reason."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from openpyxl import Workbook, load_workbook

from sizebook.core.cells import call
from sizebook.core.errors import InputError
from sizebook.functions import load
from sizebook.sweeps.serving import sweep
from tests.commands import run
from tests.refused import message_of

load()
HEAD = "model,gpu,engine,weight_dtype,kv_dtype,tp,pp,dp,ep,input_tokens,output_tokens,concurrency\n"
GOOD = "Qwen/Qwen3-32B,h100-sxm,vllm,,,2,1,1,1,1024,512,16\n"


def swept(folder: Path, rows: str, suffix: str = ".csv", head: str = HEAD) -> pl.DataFrame:
    (folder / "in.csv").write_text(head + rows, encoding="utf-8")
    output = folder / f"out{suffix}"
    result = run("sweep", folder / "in.csv", "-o", output)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return pl.read_csv(output) if suffix == ".csv" else pl.read_parquet(output)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_row_gives_what_the_functions_give(tmp_path: Path, suffix: str) -> None:
    row = swept(tmp_path, GOOD, suffix).row(0, named=True)
    arguments = ("Qwen/Qwen3-32B", "h100-sxm", 1024, 512, 16, "tp=2")
    assert row["ttft_seconds"] == pytest.approx(call("TTFT_SECONDS", *arguments), rel=1e-9)
    assert row["tpot_seconds"] == pytest.approx(call("TPOT_SECONDS", *arguments), rel=1e-9)
    assert row["tokens_per_second"] == pytest.approx(call("TOKENS_PER_SECOND", *arguments), rel=1e-9)
    measured = ("h100-sxm", "vllm", "tpot")
    assert row["error_low"] == pytest.approx(call("SERVING_ERROR", *measured, "p10", "qwen3-32b") - 1)
    assert row["error_high"] == pytest.approx(call("SERVING_ERROR", *measured, "p90", "qwen3-32b") - 1)
    assert row["fits"] is True
    assert row["error_basis"] == "in the fit"
    assert not row["reason"]


def test_bad_rows_keep_their_place_and_say_why(tmp_path: Path) -> None:
    rows = (
        "no/such,h100-sxm,vllm,,,1,1,1,1,1024,512,16\n" + GOOD
        + "Qwen/Qwen3-32B,h100-sxm,vllm,,,2,1,1,1,many,512,16\n"
        "Qwen/Qwen3-32B,h100-sxm,vllm,,,2,1,1,4,1024,512,16\n"
        "meta-llama/Llama-3.1-70B,h100-sxm,vllm,,,1,1,1,1,1024,512,16\n"
    )  # fmt: skip
    found = swept(tmp_path, rows)
    assert found["model"].to_list()[1] == "Qwen/Qwen3-32B"
    assert found["tpot_seconds"].is_null().to_list() == [True, False, True, True, True]
    reasons = found["reason"].to_list()
    assert reasons[0] == (
        "unknown model: got 'no/such', want a key that 'sizebook models' lists, or the name of a Hugging Face "
        "repository in it. Correct it."
    )
    assert reasons[2] == (
        "input_tokens is not a number: got 'many', want a whole number (mean tokens of a prompt). Type digits, or a "
        "number with M, B or T for 10^6, 10^9 or 10^12."
    )
    assert reasons[3] == "layout does not divide: got ep 4 over tp x dp = 2 GPUs, want a divisor. Change ep, tp or dp."
    assert reasons[4] == (
        "weights do not fit: got 65.6 GB too much on a GPU, want memory left for the cache. Raise tp, pp or ep, or "
        "choose a narrower weight_dtype."
    )


def test_more_requests_than_the_cache_holds_are_answered_and_marked(tmp_path: Path) -> None:
    row = swept(tmp_path, "Qwen/Qwen3-32B,h100-sxm,vllm,,,2,1,1,1,8192,8192,512\n").row(0, named=True)
    assert row["fits"] is False
    assert row["tpot_seconds"] > 0
    most = call("MAX_CONCURRENCY", "qwen3-32b", "h100-sxm", 8192 + 8192 // 2, 2)  # half of the answer on average
    assert row["reason"] == (
        f"cache is full: got 512 requests of 16384 tokens in flight, want at most {most}. Lower concurrency or raise "
        "tp; the rest waits, which ttft_seconds includes."
    )


def test_a_layout_that_is_read_differently_is_said(tmp_path: Path) -> None:
    rows = "".join(f"deepseek-r1,h200-sxm,sglang,,,{tp},1,1,8,1024,512,16\n" for tp in (64, 8))
    found = swept(tmp_path, rows)
    assert found["tpot_seconds"][0] == found["tpot_seconds"][1]
    assert found["reason"][0] == "tp 64 with ep 8 read as 8: more GPUs than share a link"


def test_columns_may_be_left_out_but_not_those_that_matter(tmp_path: Path) -> None:
    head = "model,gpu,input_tokens,output_tokens,concurrency\n"
    assert swept(tmp_path, "qwen3-0.6b,h100-sxm,1024,512,16\n", head=head)["fits"].to_list() == [True]
    assert message_of(InputError, swept, tmp_path, "qwen3-0.6b,h100-sxm,1024\n", head="model,gpu,input_tokens\n") == (
        "missing column: got model, gpu, input_tokens, want output_tokens, concurrency too. "
        "Add the column to the table."
    )


def test_a_workbook_in_and_out(tmp_path: Path) -> None:
    book = Workbook()
    book.active.append(HEAD.strip().split(","))  # type: ignore[union-attr]
    book.active.append(["qwen3-0.6b", "h100-sxm", "vllm", None, None, 1, 1, 1, 1, 1024, 512, 16])  # type: ignore[union-attr]
    book.save(tmp_path / "in.xlsx")
    result = run("sweep", tmp_path / "in.xlsx", "-o", tmp_path / "out.xlsx")
    assert result.exit_code == 0
    rows = list(load_workbook(tmp_path / "out.xlsx").worksheets[0].iter_rows(values_only=True))
    assert rows[0][-2:] == ("fits", "reason")
    assert rows[1][-2] is True


def test_space_around_names_and_numbers_stored_as_such_change_nothing(tmp_path: Path) -> None:
    plain = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "input_tokens": 1024, "output_tokens": 512, "concurrency": 16}
    spaced = {"model": " llama-3.1-8b", "gpu": "h100-sxm ", "input_tokens": "1024", "output_tokens": " 512",
              "concurrency": "16.0"}  # fmt: skip
    found = []
    for at, row in enumerate((plain, spaced)):
        given, output = tmp_path / f"{at}.parquet", tmp_path / "out.parquet"
        pl.DataFrame([row]).write_parquet(given)
        result = run("sweep", given, "-o", output)
        assert result.exit_code == 0, result.output
        found.append(pl.read_parquet(output).drop(plain).row(0, named=True))
    assert found[0] == found[1]
    assert found[0]["tpot_seconds"] == call("TPOT_SECONDS", "llama-3.1-8b", "h100-sxm", 1024, 512, 16)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_table_without_rows_gets_the_columns(tmp_path: Path, suffix: str) -> None:
    found = swept(tmp_path, "", suffix)
    assert found.height == 0
    assert found.columns[-1] == "reason" and "tpot_seconds" in found.columns


def test_a_point_in_a_whole_number_is_read_as_declared_and_else_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def row(tokens: str) -> dict[str, Any]:
        given = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "input_tokens": tokens, "output_tokens": "512"}
        return sweep(pl.DataFrame([{**given, "concurrency": "8"}])).row(0, named=True)

    monkeypatch.delenv("SIZEBOOK_DECIMAL", raising=False)
    assert row("4.096")["ttft_seconds"] is None
    assert row("4.096")["reason"] == (
        "input_tokens is ambiguous: got '4.096', want digits without a point, which stands between thousands in one "
        "country and before decimals in another. Write it without, or declare the sign of decimals: SIZEBOOK_DECIMAL "
        "in the environment, a point or a comma."
    )
    plain = row("4096")
    monkeypatch.setenv("SIZEBOOK_DECIMAL", ",")
    assert row("4.096")["ttft_seconds"] == plain["ttft_seconds"]
