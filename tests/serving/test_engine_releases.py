"""Facts of releases of engines: which row holds where, what was read, and what judging them showed."""

from itertools import pairwise

import pytest

from sizebook.core.tables import table
from sizebook.serving.case import CHUNK_TOKENS, case_of
from sizebook.serving.costs import costs_of
from sizebook.serving.quantities import Replica
from sizebook.serving.releases import place_of
from tests.conftest import ROOT


# As read in each release: vLLM's arg_utils.py, SGLang's server_args.py, TensorRT-LLM's release notes.
@pytest.mark.parametrize(
    ("engine", "release", "gpu", "at_once", "chunk"),
    [
        ("vllm", "0.7.3", "h100-sxm", 256, CHUNK_TOKENS),  # V0: its chunk follows from the context, none is known
        ("vllm", "0.8.3", "b200-sxm", 1024, 2048),  # larger chunks for devices called H100 or H200 alone
        ("vllm", "0.8.3", "h200-sxm", 1024, 8192),
        ("vllm", "0.8.4", "b200-sxm", 256, 2048),
        ("vllm", "v0.8.4", "gh200-96gb", 1024, 8192),  # whose name holds H200
        ("vllm", "0.8.5.post1", "b200-sxm", 1024, 8192),  # from 70 GiB on
        ("vllm", "0.8.5", "a100-sxm-80gb", 1024, 8192),
        ("vllm", "0.9.0", "a100-sxm-80gb", 256, 2048),
        ("vllm", "0.19.0", "a800-sxm-80gb", 1024, 8192),
        ("vllm", "0.19.0", "l40s", 256, 2048),
        ("vllm", "0.27.1", "b200-sxm", 1024, 8192),
        ("vllm", "0.28.0", "b200-sxm", 1024, 16384),  # from 160 GiB on
        ("sglang", "0.5.2", "l40s", 2048, 8192),
        ("sglang", "0.5.3", "l40s", 2048, 4096),
        ("sglang", "0.5.9", "h200-sxm", 2048, 8192),
        ("sglang", "0.5.9", "b200-sxm", 2048, 16384),
        ("sglang", "0.5.19", "l4", 2048, 2048),
        ("sglang", "0.5.20", "l4", 2048, 4096),
        ("tensorrt-llm", "0.13.0", "h100-sxm", 256, 8192),
        ("tensorrt-llm", "1.1.0rc2.post2", "h100-sxm", 2048, 8192),
    ],
)
def test_defaults_are_those_of_the_release(engine: str, release: str, gpu: str, at_once: int, chunk: float) -> None:
    found = costs_of(case_of("llama-3.1-8b", gpu, Replica(weight_dtype="fp8", engine=engine, release=release)))
    assert (found.max_running, found.chunk_tokens) == (at_once, chunk)


def test_releases_stand_in_the_order_of_their_making() -> None:
    order = ["0.8.5", "0.8.5.post1", "0.10.0", "1.0.0a1", "1.0.0b1", "1.0.0rc3", "1.0.0rc10", "1.0.0", "1.0.0.post1"]
    places = [place_of(each) for each in order]
    assert None not in places
    assert places == sorted(places, key=lambda place: place or ())


def test_every_row_was_read_in_releases_that_it_holds_for() -> None:
    for engine in ("vllm", "sglang", "tensorrt-llm"):
        rows = [row for row in table("engine_releases") if row["engine"] == engine]
        since = sorted({place_of(row["release"]) or () for row in rows})
        until = dict(pairwise([*since, (99,)]))
        for row in rows:
            first = place_of(row["release"]) or ()
            read = [place_of(each) or () for each in row["releases_read"].split()]
            assert read[0] == first, "the release at which it changed was read itself"
            assert all(first <= each < until[first] for each in read), row
            assert row["source"] and row["retrieved"] and float(row["max_running"]) > 0
        last = [row for row in rows if not row["gpus"] and not row["memory_from_gib"]]
        assert len(last) == len(since), "each release has a row for every accelerator"


def test_the_documentation_quotes_the_table_of_judged_defaults() -> None:
    """Errors of the time per token, without and with what the releases do by default."""
    lines = (ROOT / "docs" / "serving_releases_table.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| ")]
    off = {(row[0], row[1]): row[4] for row in cells}
    rows = {row[0]: row[2] for row in cells}
    every = "all that state a release, as the rows ran"
    page = " ".join((ROOT / "docs" / "serving_accuracy.md").read_text(encoding="utf-8").split())
    n_rows = f"{int(rows[every]):,}".replace(",", " ")
    off_by = f"off by {off[every, 'applied']} % with its defaults and {off[every, 'not applied']} without"
    assert f"The {n_rows} rows that state one are {off_by}" in page
    spans = {row["engine"]: f"{row['first']} to {row['last']}" for row in table("calibration_serving_releases")}
    assert f"vLLM {spans['vllm']}, SGLang {spans['sglang']} and TensorRT-LLM {spans['tensorrt-llm']}" in page
