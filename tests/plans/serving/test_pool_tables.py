"""Pools in tables: a row is the replica of a plan at that load, whichever surface answers it; nothing is dropped."""

import itertools
from typing import Any

import polars as pl
import pytest

from sizebook.calibrating.serving import READ
from sizebook.core.cells import call
from sizebook.core.sections import put_together
from sizebook.functions import load
from sizebook.plans.serving.curves import terms_of
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import plan_serving
from sizebook.plans.serving.tables import POOLS
from sizebook.sweeps.kinds import kind_of
from sizebook.sweeps.serving import sweep
from tests.sweeps.test_tables_of_rows import same_as_sweep

load()
MODEL, GPU = "llama-3.1-70b", "h200-sxm"
ASKED = {"input_tokens": 4000, "output_tokens": 400, "concurrency": 256, "tp": 4, "weight_dtype": "fp8"}
STATED = {"separate_prefill": True, "prefill_tp": 2, "prefill_workers": 3, "decode_workers": 2}


def row(**given: Any) -> dict[str, Any]:
    heads, (results, found) = {"model": MODEL, "gpu": GPU} | ASKED | given, ([], [])
    results, found = call("SERVING_TABLE", [[*heads], [*heads.values()]])
    return dict(zip(results, found, strict=True))


def test_a_row_is_the_replica_of_a_plan_at_that_load() -> None:
    found, given = row(**STATED), {"requests_per_day": 1e6, **ASKED, **STATED}
    replica = plan_serving(MODEL, GPU, put_together(ServingInputs, given)).replica
    for name in ("ttft_seconds", "tpot_seconds", "tokens_per_second"):
        assert found[name] == getattr(replica.at_knee, name)
    assert (found["workers"], found["gpus_per_replica"]) == ("3 x tp2 to read, 2 x tp4 to decode", 14)
    # 80 layers, 8 heads of 128, key and value, 2 bytes: 0.33 MB a token, half of it from each GPU, at 50 GB/s.
    assert found["transfer_seconds"] == pytest.approx(4000 * 80 * 8 * 128 * 2 * 2 / 2 / 50e9)
    assert found["error_basis"] == "separate pools"
    assert 1 + found["error_high"] == pytest.approx(replica.bands["tpot"].high)


def test_what_is_left_blank_is_searched_for_the_fewest_gpus_of_its_rate() -> None:
    def gpus_for_rate(found: dict[str, Any]) -> float:
        return float(found["gpus_per_replica"] / found["tokens_per_second"])

    stated = itertools.product((1, 2, 4, 8), range(1, 17), range(1, 5))
    names = ("prefill_tp", "prefill_workers", "decode_workers")
    each = [row(separate_prefill=True, **dict(zip(names, pair, strict=True))) for pair in stated]
    answered = [found for found in each if found["reason"] == ""]
    assert len(answered) == len(each)
    assert gpus_for_rate(row(separate_prefill=True)) <= min(map(gpus_for_rate, answered)) * (1 + 1e-9)


HEADS = ["model", "gpu", "engine", "input_tokens", "output_tokens", "concurrency", "tp", *STATED]
REFUSED = {
    "answers of 1 token, want two or more, which are decoded. Lengthen them": {"output_tokens": 1},
    "bge-m3, which has an encoder, want a model that only decodes. Remove separate_prefill": {"model": "bge-m3"},
}


def test_rows_of_both_kinds_stand_in_one_table_on_every_surface() -> None:
    """Rows of one pool, of two, of an encoder, and those that are refused, in the order in which they came."""
    base = {"model": MODEL, "gpu": GPU, "engine": "vllm", **ASKED} | dict.fromkeys(STATED, "")
    kinds: list[dict[str, Any]] = [
        {}, STATED, {"separate_prefill": "no"}, {"separate_prefill": "maybe"}, {"prefill_tp": 2},
        {"model": "bge-m3", "output_tokens": 1}, {"concurrency": 100_000}, STATED | {"concurrency": 100_000},
        *(STATED | change for change in REFUSED.values()), {"separate_prefill": True}, {"gpu": "h100-smx"},
    ]  # fmt: skip
    rows = [[str((base | kind)[head]) for head in HEADS] for kind in kinds]
    same_as_sweep("SERVING_TABLE", sweep, HEADS, rows)
    table = sweep(pl.DataFrame(rows, schema=dict.fromkeys(HEADS, pl.String), orient="row"))
    assert table["workers"].to_list()[:3] == ["tp4", "3 x tp2 to read, 2 x tp4 to decode", "tp4"]
    assert table["gpus_per_replica"].to_list()[:3] == [4, 14, 4]
    reasons = table["reason"].to_list()
    assert reasons[4] == (
        "no effect: got prefill_tp and no separate_prefill, want separate_prefill with it. State "
        "separate_prefill, or leave out what needs it."
    )
    assert reasons[8:10] == [f"not planned in pools: got {said}." for said in REFUSED]
    assert kind_of(table.columns[: len(HEADS)]).unread(HEADS) == []


def test_without_pools_a_table_has_no_column_more() -> None:
    assert not {"workers", "gpus_per_replica", "transfer_seconds"} & {*row()}


@pytest.mark.parametrize(("workers", "load_"), [(1, 4), (1, 256), (6, 600)])
def test_terms_of_pools_add_up_and_nothing_is_waited_for_twice(workers: int, load_: int) -> None:
    given = ASKED | STATED | {"prefill_workers": workers, "concurrency": load_, "requests_per_day": 1e6}
    replica = plan_serving(MODEL, GPU, put_together(ServingInputs, given)).replica
    terms = terms_of(replica)
    assert sum(term.value for term in terms.ttft) == pytest.approx(replica.at_knee.ttft_seconds, rel=2e-6)
    assert sum(term.value for term in terms.tpot) == pytest.approx(replica.at_knee.tpot_seconds, rel=2e-6)
    assert all(term.value >= -1e-6 * replica.at_knee.ttft_seconds for term in terms.ttft)
    assert {term.name: term.value for term in terms.ttft}["Cache sent between pools"] == replica.transfer_seconds


def test_what_calibrates_own_runs_does_not_take_pools_in_silence() -> None:
    """Its runs are those of one pool, so a column of pools is named as kept and not read."""
    assert not set(POOLS) & set(READ)
