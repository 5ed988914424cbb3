"""Separate pools that were measured: what the lists of the runs say where the table is blank."""

from types import ModuleType
from typing import Any

import pytest

from tests.conftest import calibration

BLANK = {
    "mode": "disagg",
    "backend": "sglang",
    "model_path": "deepseek-ai/DeepSeek-R1",
    "system": "h100_sxm",
    "isl": "1024",
    "osl": "8192",
    "decode_batch_size": "",
    "decode_num_workers": "",
    "prefill_num_workers": "",
}
RUN = "2026-02-13T03:10:06Z"


@pytest.fixture(scope="module")
def pools() -> ModuleType:
    return calibration("serving_pools")


def stated(pools: ModuleType, measured: str = RUN, concurrency: int = 4, **changed: str) -> Any:
    said = f"silicon_concurrency={concurrency}; measured={measured}"
    return pools.stated({**BLANK, **changed, "silicon_data_source": said})


def test_a_list_says_the_workers_and_the_drafts_of_a_run(pools: ModuleType) -> None:
    row = stated(pools)
    assert [row[name] for name in ("prefill_num_workers", "decode_num_workers", "draft_tokens")] == ["1", "2", "0"]
    run = {"backend": "trtllm", "osl": "1024", "measured": "2026-02-08T01:24:15Z"}
    row = stated(pools, concurrency=924, **run)
    assert [row[name] for name in ("decode_num_workers", "decode_attention_dp_size", "max_running")] == [
        "3",
        "16",
        "256",
    ]


@pytest.mark.parametrize(
    "changed",
    [
        {"measured": "2026-02-13T00:00:00.000Z"},  # the same run listed again, mixed with one that drafted
        {"osl": "1024"},  # with drafts by its times, of how many tokens no row says
        {"backend": "trtllm", "osl": "1024", "measured": "2026-02-08T01:24:15Z", "concurrency": 30},  # both ways
        {"mode": "agg"},
    ],
)
def test_a_run_in_doubt_is_left_out(pools: ModuleType, changed: dict[str, Any]) -> None:
    assert stated(pools, **changed) == {}


def test_what_the_table_states_is_taken(pools: ModuleType) -> None:
    row = stated(pools, decode_num_workers="5", prefill_num_workers="3")
    assert (row["decode_num_workers"], row["prefill_num_workers"], row["concurrency"]) == ("5", "3", "4")
    assert "draft_tokens" not in row


def test_every_list_names_its_source(pools: ModuleType) -> None:
    assert pools.LISTED and all(
        each["source"] and each["measured_from"] <= each["measured_to"] for each in pools.LISTED
    )
