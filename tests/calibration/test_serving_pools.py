"""Separate pools that were measured: what the lists of the runs say where the table is blank."""

import re
from types import ModuleType
from typing import Any

import pytest

from tests.conftest import ROOT, calibration

BLANK = {
    "mode": "disagg",
    "backend": "sglang",
    "model_path": "deepseek-ai/DeepSeek-R1",
    "system": "h100_sxm",
    "precision": "fp8",
    "isl": "1024",
    "osl": "8192",
    "decode_batch_size": "",
    "silicon_ttft_ms": "413.24",
    "silicon_tpot_ms": "18.668",
    **{f"{side}_num_workers": "" for side in ("prefill", "decode")},
    **{f"{side}_tp_size": "16" for side in ("prefill", "decode")},
    **{f"{side}_attention_dp_size": "1" for side in ("prefill", "decode")},
}
RUN = "2026-02-13T03:10:06Z"
TRTLLM = {"backend": "trtllm", "osl": "1024", "measured": "2026-02-08T01:24:15Z"}


@pytest.fixture(scope="module")
def pools() -> ModuleType:
    return calibration("serving_pools")


def stated(pools: ModuleType, measured: str = RUN, concurrency: int = 4, **changed: str) -> Any:
    said = f"silicon_concurrency={concurrency}; measured={measured}"
    return pools.stated({**BLANK, **changed, "silicon_data_source": said})


def test_a_list_says_the_workers_and_the_drafts_of_a_run(pools: ModuleType) -> None:
    row = stated(pools)
    assert [row[name] for name in ("prefill_num_workers", "decode_num_workers", "draft_tokens")] == ["1", "2", "0"]


def test_a_list_says_how_many_requests_run_at_once(pools: ModuleType) -> None:
    """ctx1_gen3_dep16_batch16: 16 on each of 16 ranks of a worker, which the table calls tp 16."""
    row = stated(pools, concurrency=924, **TRTLLM)
    names = ("decode_num_workers", "decode_tp_size", "decode_attention_dp_size", "max_running", "concurrency")
    assert [row[name] for name in names] == ["3", "1", "16", "256", "924"]


@pytest.mark.parametrize(
    "changed",
    [
        {"measured": "2026-02-13T00:00:00.000Z"},  # the same run listed again, mixed with one that drafted
        {"osl": "1024"},  # with drafts by its times, of how many tokens no row says
        {**TRTLLM, "concurrency": 30},  # both ways
        {**TRTLLM, "concurrency": 924, "decode_tp_size": "8"},  # listed for 16 GPUs
        {"mode": "agg"},
    ],
)
def test_a_run_in_doubt_is_left_out(pools: ModuleType, changed: dict[str, Any]) -> None:
    assert stated(pools, **changed) == {}


def test_a_list_of_other_workers_than_a_row_states_is_another_runs(pools: ModuleType) -> None:
    for workers, known in (("3", True), ("5", False)):
        row = stated(pools, concurrency=924, **TRTLLM, decode_num_workers=workers, prefill_num_workers="1")
        assert row["decode_num_workers"] == workers
        assert ("max_running" in row) is known


def test_a_run_listed_twice_counts_once_as_its_workers_are_stated(pools: ModuleType) -> None:
    copy = {"silicon_ttft_ms": "413.3", "silicon_tpot_ms": "18.67", "decode_batch_size": "2", "decode_num_workers": "2"}
    rows = [stated(pools), stated(pools, **copy, prefill_num_workers="1"), stated(pools, silicon_ttft_ms="500"), {}]
    assert [row["silicon_ttft_ms"] for row in pools.once(rows)] == ["413.3", "500"]


def test_every_list_names_its_source_and_its_workers(pools: ModuleType) -> None:
    assert all(each["source"] and each["prefill_num_workers"] and each["decode_num_workers"] for each in pools.LISTED)


def test_the_page_says_what_the_table_says() -> None:
    table = (ROOT / "docs" / "serving_pools_table.md").read_text(encoding="utf-8").splitlines()
    rows = {
        cells[0]: cells[1:] for line in table if len(cells := [cell.strip() for cell in line.split("|")[1:-1]]) == 6
    }
    bands = {
        cells[1]: cells[3] for line in table if (cells := [c.strip() for c in line.split("|")[1:-1]])[:1] == ["ttft"]
    }
    page = " ".join((ROOT / "docs" / "serving_accuracy.md").read_text(encoding="utf-8").split())
    runs, first, token, _, rate = rows["all rows"]
    assert f"Of {runs} runs the load and the workers are known" in page
    assert f"off by {float(token):.0f} % in the mean, throughput by {float(rate):.0f} %" in page
    assert f"time to first token by {first} % at the median" in page
    count, _, off, _, _ = rows["deepseek-ai/DeepSeek-V3 h100_sxm sglang fp8"]
    assert f"its {count} rows are off by {float(off):.0f} %." in page
    assert f"{float(bands['one']):.0f} times wide with one decode worker and {float(bands['several']):.0f}" in page


def test_the_page_of_accuracy_is_its_template_filled() -> None:
    """The fit writes the page from the template: a sentence changed in one of them alone is lost with the next fit."""
    said = (ROOT / "calibration" / "serving_accuracy.template.md").read_text(encoding="utf-8").split()
    page = " ".join((ROOT / "docs" / "serving_accuracy.md").read_text(encoding="utf-8").split())
    pattern = re.sub(r"\\\{\w+\\\}", ".+?", " ".join(map(re.escape, said)))
    assert re.fullmatch(pattern, page)
