"""Experts whose weights a step reads: those that its tokens visit or all; the fixed times of layers that have them."""

from typing import Any

import polars as pl
import pytest

from sizebook.core.cells import call
from sizebook.core.errors import InputError, RangeError
from sizebook.functions import load
from sizebook.serving.band import FITTED, UNSEEN, replica_band
from sizebook.serving.case import case_of
from sizebook.serving.encoding import serving_case
from sizebook.serving.quantities import Replica
from sizebook.serving.shape import shape_of
from sizebook.serving.time import Pass, pass_parts
from sizebook.sweeps.serving import sweep
from tests.refused import message_of

load()
MODEL, GPU = "qwen3-235b-a22b", "h200-sxm"  # 128 experts in each of 94 layers, of which a token visits 8


def parts(tokens: float, **how: Any) -> Any:
    case = case_of(MODEL, GPU, Replica(weight_dtype="fp8", tp=2, **how))
    return pass_parts(case, Pass(tokens, tokens, 1000.0, prefill=False))


def test_one_token_visits_eight_of_128_experts_and_a_slow_kernel_reads_them_all() -> None:
    assert parts(1, experts_read="all").experts / parts(1).experts == pytest.approx(128 / 8)


def test_all_experts_take_the_same_time_whatever_the_batch() -> None:
    read = {tokens: parts(tokens, experts_read="all").experts for tokens in (1.0, 16.0, 512.0)}
    assert len(set(read.values())) == 1
    assert parts(512.0).experts == pytest.approx(read[512.0], rel=1e-9), "so many tokens visit every one"


def test_their_bytes_go_over_the_memory() -> None:
    """94 layers x 128 experts x three matrices 4,096 by 1,536, in a byte each, over two GPUs of 4.8 TB/s."""
    assert parts(1, experts_read="all").experts > 94 * 128 * 3 * 4096 * 1536 / 2 / 4.8e12


def test_the_band_is_that_of_what_was_not_measured() -> None:
    replicas = {read: Replica(engine="vllm", weight_dtype="fp8", experts_read=read) for read in ("visited", "all")}
    bands = {
        read: replica_band("tpot", GPU, replica, case_of(MODEL, GPU, replica)) for read, replica in replicas.items()
    }
    assert bands["visited"].basis == FITTED
    assert bands["all"].basis == UNSEEN


def test_models_without_experts_refuse_it() -> None:
    said = "no experts: got experts_read 'all' for llama-3.1-8b, want a model with routed experts. Leave it out."
    assert message_of(RangeError, lambda: case_of("llama-3.1-8b", GPU, Replica(experts_read="all"))) == said
    assert message_of(InputError, lambda: serving_case("bge-m3", GPU, Replica(experts_read="all"))) == said.replace(
        "llama-3.1-8b", "bge-m3"
    )


def test_a_sweep_gives_the_figure_of_the_function() -> None:
    row = {"model": MODEL, "gpu": GPU, "tp": 2, "weight_dtype": "fp8", "input_tokens": 1000, "output_tokens": 500,
           "concurrency": 20, "experts_read": "all"}  # fmt: skip
    found = sweep(pl.DataFrame([row, {**row, "experts_read": ""}]))["tpot_seconds"].to_list()
    told = {name: value for name, value in row.items() if name not in ("model", "gpu")}
    words = "; ".join(f"{name}={value}" for name, value in told.items())
    assert found[0] == pytest.approx(call("TPOT_SECONDS", MODEL, GPU, words), rel=1e-12)
    assert found[0] > 1.2 * found[1]


@pytest.mark.parametrize(
    ("model", "times"),
    [
        ("llama-3.1-8b", 32),
        ("qwen3-235b-a22b", 94 + 94),
        ("deepseek-r1", 61 + 58),  # the first three layers are dense
        ("qwen3.5-397b-a17b", 60 + 60 + 45),  # three of four layers keep a state
        ("deepseek-v3.2", 61 + 58 + 61),  # every layer has an indexer
    ],
)
def test_a_layer_spends_its_fixed_time_again_for_experts_states_and_indexers(model: str, times: int) -> None:
    assert shape_of(model).n_fixed_times == times
