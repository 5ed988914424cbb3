"""The release of an engine on every surface: one figure, and the same words of what it decides."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

from sizebook.cli.functions import call_function
from sizebook.core.cells import call
from sizebook.core.errors import InputError
from sizebook.functions import load
from sizebook.plans.serving.choice import choose
from sizebook.sweeps.serving import sweep
from tests.commands import plan_printed
from tests.plans.asking import serving_inputs
from tests.refused import message_of
from tests.row_lists import listed

load()
MODEL, GPU = "llama-3.1-8b", "a100-sxm-80gb"
ROW = {"model": MODEL, "gpu": GPU, "input_tokens": 500, "output_tokens": 101, "concurrency": 400, "engine": "vllm"}
SAID = (
    "vLLM 0.11.0: at most 256 requests at once, its default; up to 2\u202f048 tokens of prompts in a step; outside "
    "0.12.0 to 0.19.0 of the fit"
)
SCENARIO = """
plan = "serving"
model = "llama-3.1-8b"
gpu = "a100-sxm-80gb"
engine = "vllm"
release = "0.11.0"
requests_per_day = 2000000
input_tokens = 500
output_tokens = 101
concurrency = 300
"""


def of_cell(function: str, row: dict[str, Any]) -> Any:
    told = {name: value for name, value in row.items() if name not in ("model", "gpu")}
    return call(function, MODEL, GPU, "; ".join(f"{name}={value}" for name, value in told.items()))


def test_a_sweep_has_the_figures_of_cells_and_says_what_each_release_decides() -> None:
    rows = [
        {**ROW, "release": "0.11.0", "max_running": 0},
        {**ROW, "release": "0.11.0", "max_running": 64},
        {**ROW, "release": "", "max_running": 0},
        {**ROW, "release": "0.1.0", "max_running": 0},
    ]
    found = sweep(pl.DataFrame(rows))
    for at, row in enumerate(rows[:3]):
        for name in ("ttft_seconds", "tpot_seconds", "tokens_per_second"):
            assert found[name][at] == pytest.approx(of_cell(name.upper(), row), rel=1e-12), (at, name)
    assert found["release_basis"].to_list() == [
        SAID, SAID.replace("at most 256 requests at once, its default", "at most 64 requests at once, as stated"),
        "not stated", None,
    ]  # fmt: skip
    assert found["reason"][3] == (
        "unknown release: got '0.1.0' of vllm, want 0.6.0 to 0.33.0, or a newer one of the same major version. Leave "
        "release out and state max_running."
    )
    heads = list(rows[0])
    table = call("SERVING_TABLE", [heads, *([row[name] for name in heads] for row in rows[:3])])
    at = table[0].index("release_basis")
    assert [line[at] for line in table[1:]] == found["release_basis"].to_list()[:3]
    assert [line[0] for line in table[1:]] == pytest.approx(found["ttft_seconds"].to_list()[:3], rel=1e-12)


def test_a_table_without_releases_has_no_column_of_them() -> None:
    assert "release_basis" not in sweep(pl.DataFrame([ROW])).columns


def test_drafting_changes_the_cap_of_a_row() -> None:
    row = {**ROW, "gpu": "b200-sxm", "engine": "sglang", "release": "0.5.9"}
    rows = [{**row, "draft_tokens": drafts, "dp": dp} for drafts, dp in ((None, 1), (3, 1), (3, 2))]
    capped = [{**each, "release": "", "max_running": cap} for each, cap in zip(rows, (2048, 48, 48), strict=True)]
    found, stated = sweep(pl.DataFrame(rows)), sweep(pl.DataFrame(capped))
    assert found["ttft_seconds"][1] > 2 * found["ttft_seconds"][0]
    assert found["ttft_seconds"].to_list() == pytest.approx(stated["ttft_seconds"].to_list(), rel=0.04), "chunks apart"
    assert [said.partition(";")[0] for said in found["release_basis"]] == [
        "SGLang 0.5.9: at most 2\u202f048 requests at once, its default",
        *["SGLang 0.5.9: at most 48 requests at once, its default where it drafts"] * 2,
    ]


def test_a_plan_says_it(tmp_path: Path) -> None:
    data, text = plan_printed(SCENARIO, tmp_path)
    assert f"Engine release     {SAID}\n" in text
    assert data["release_basis"] == data["figures"]["release_basis"] == SAID
    assert data["setup"]["release"] == "0.11.0"
    row = {**ROW, "concurrency": 300, "release": "0.11.0"}
    assert data["figures"]["ttft_seconds"] == pytest.approx(of_cell("TTFT_SECONDS", row), rel=1e-12)


@pytest.mark.parametrize(*listed("surfaces", "test_a_plan_without_a_target_loads_a_replica_with_as_many_as_run"))
def test_a_plan_without_a_target_loads_a_replica_with_as_many_as_run(
    stated: str, in_flight: int, binding: str, tmp_path: Path
) -> None:
    """Those beyond the cap would wait, and no more be served; the cache holds 841 of 553 tokens on this GPU."""
    given = SCENARIO.replace('release = "0.11.0"', stated).replace("concurrency = 300", "")
    found = plan_printed(given, tmp_path)[0]["replica"]
    assert (found["concurrency"], found["binding"]) == (in_flight, binding)


def test_a_plan_without_one_says_nothing_of_it(tmp_path: Path) -> None:
    _, text = plan_printed(SCENARIO.replace('release = "0.11.0"\n', ""), tmp_path)
    assert "Engine release" not in text


def test_a_release_of_no_engine_is_refused(tmp_path: Path) -> None:
    said = "release without an engine: got release '0.11.0', want engine with it. Name the engine that it is of."
    assert message_of(InputError, plan_printed, SCENARIO.replace('engine = "vllm"\n', ""), tmp_path) == said
    assert (
        message_of(InputError, lambda: choose(MODEL, serving_inputs(release="0.11.0", requests_per_day=1000.0))) == said
    )


def test_a_latency_names_the_default_that_its_wait_rests_on() -> None:
    arguments = ["TTFT_SECONDS", MODEL, GPU, "concurrency=400", "release=0.11.0", "input_tokens=200", "--explain"]
    lines = CliRunner().invoke(call_function, [*arguments, "output_tokens=50"]).output.splitlines()
    waiting = next(line for line in lines if "for a place" in line)
    assert waiting.endswith("assumed: 256 at once, the default of the release")


def test_an_estimate_has_the_band_of_its_release() -> None:
    """Of TensorRT-LLM on H100 1.0.0rc3 is in the fit, which gave Llama-3.1-8B a band of its own, and 0.21.0 is not."""
    arguments = ["TPOT_SECONDS", MODEL, "h100-sxm", "engine=tensorrt-llm", "--explain"]
    for release, basis in (("", "in the fit"), ("1.0.0rc3", "in the fit"), ("0.21.0", "unseen combination")):
        lines = CliRunner().invoke(call_function, [*arguments, f"release={release}"]).output.splitlines()
        assert next(line for line in lines if line.startswith("band")).endswith(basis), release


def test_its_facts_have_their_sources_in_cells() -> None:
    found = call("SIZEBOOK_SOURCE", "engine_releases", "vllm", "max_running")
    assert found[0][:5] == ["engine", "release", "gpus", "memory_from_gib", "max_running"]
    assert [line[4] for line in found[1:] if line[1] == "0.9.0"] == [256.0, 1024.0, 256.0]
