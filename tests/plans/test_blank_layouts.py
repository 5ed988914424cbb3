"""A blank layout that has no room is searched in cells and fleets as in plans; a degree that is given stays given.

Llama 3.3 70B has 70.6 B parameters, 141 GB in 16 bits: no H100 of 80 GB holds them, two do.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from sizebook.batch.plan_contents import contents
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.core.cells import call
from sizebook.core.errors import RangeError, TargetError
from sizebook.functions import load

load()
MODEL, GPU = "llama-3.3-70b", "h100-sxm"
SERVED: dict[str, Any] = {"requests_per_day": 1_000_000, "input_tokens": 1000, "output_tokens": 200}
FOUND = "tp=2; weight_dtype=fp8; draft_tokens=0"  # the cheapest of those that have room
TRAINED: dict[str, Any] = {"gpus": 64, "batch": 512, "tokens": 1e11}


def options(values: dict[str, Any], more: str = "") -> str:
    return "; ".join(filter(None, (*(f"{name}={value}" for name, value in values.items()), more)))


def cells(name: str, more: str = "", values: dict[str, Any] = SERVED) -> Any:
    return call(name, MODEL, GPU, options(values, more))


def planned(kind: str, values: dict[str, Any]) -> dict[str, Any]:
    plan = plan_scenario({"plan": kind, "model": MODEL, "gpu": GPU, **values}, "here", Path()).plan
    return {figure.name: figure.value for figure in contents(plan).figures}


SERVING = ("SERVING_LEDGER", "SERVING_COMMITMENTS", "SERVING_BASIS", "SERVING_CURVE")


@pytest.mark.parametrize("name", SERVING)
def test_a_cell_of_serving_searches_as_its_plan_does(name: str) -> None:
    assert cells(name) == cells(name, FOUND)
    with pytest.raises(TargetError, match=r"memory binds: got 66\.0 GB too much on each h100-sxm"):
        cells(name, "tp=1")


def test_figures_say_what_was_taken_and_are_those_of_the_plan() -> None:
    *found, said = cells("SERVING_FIGURES")
    assert said == ["reason", "layout chosen by search: tp2, weights in fp8"]
    plan, shown = planned("serving", SERVED), dict(found)
    assert plan["gpus_per_replica"] == shown["gpus_per_replica"] == 2
    assert plan["requests_per_second"] == shown["requests_per_second"]
    assert "reason" not in dict(cells("SERVING_FIGURES", "tp=2"))


def test_a_format_that_is_given_is_kept() -> None:
    said = cells("SERVING_FIGURES", "weight_dtype=bf16")[-1]
    assert said == ["reason", "layout chosen by search: tp4, weights in bf16"]


def test_a_format_that_is_searched_alone_is_said_too() -> None:
    """One H200 of 141 GB holds the model in 8 bits: its layout stays that of one GPU."""
    found = call("SERVING_FIGURES", MODEL, "h200-sxm", options(SERVED))
    assert dict(found)["gpus_per_replica"] == 1
    assert found[-1] == ["reason", "layout chosen by search: tp1, weights in fp8"]
    assert "reason" not in dict(call("SERVING_FIGURES", MODEL, "h200-sxm", options(SERVED, "weight_dtype=fp8")))


NUMBERS = {
    "TTFT_SECONDS": "ttft_seconds",
    "TPOT_SECONDS": "tpot_seconds",
    "TOKENS_PER_SECOND": "tokens_per_second",
    "REQUEST_SECONDS": "",
}


@pytest.mark.parametrize("name", NUMBERS)
def test_a_single_number_is_that_of_the_layout_which_a_row_searches(name: str) -> None:
    """64 requests of 2,048 tokens need more than one H100 in 8 bits; the band says which layout it is."""
    load_of = {"input_tokens": 1024, "output_tokens": 1024, "concurrency": 64}
    heads, values = call("SERVING_TABLE", [["model", "gpu", *load_of], [MODEL, GPU, *load_of.values()]])
    row = dict(zip(heads, values, strict=True))
    assert row["reason"] == "layout chosen by search: tp2, weights in fp8"
    found = call(name, MODEL, GPU, options(load_of))
    seconds = row["ttft_seconds"] + 1023 * row["tpot_seconds"]
    assert found == pytest.approx(row.get(NUMBERS[name], seconds), rel=1e-12)
    lines = call("SIZEBOOK_EXPLAIN", name, MODEL, GPU, 1024, 1024, 64)
    assert dict(lines)["the band rests on"].endswith("; layout chosen by search: tp2, weights in fp8")
    terms = [amount for what, amount in lines if what.startswith("term: ")]
    assert not terms or sum(terms) == pytest.approx(found)
    with pytest.raises(TargetError, match=r"does not fit: got 66\.2 GB too much on one h100-sxm"):
        call(name, MODEL, GPU, options(load_of, "tp=1"))


def test_a_percentile_is_of_the_fewest_gpus_that_take_the_rate() -> None:
    """One H100 in 8 bits takes no request a second of 1,024 + 1,024 tokens beside its weights; two do."""
    assert call("SERVING_PERCENTILE", MODEL, GPU, 1) == call("SERVING_PERCENTILE", MODEL, GPU, 1, options({}, FOUND))
    with pytest.raises(TargetError, match=r"too many requests: got 100 a second, want fewer than the 8\.55 "):
        call("SERVING_PERCENTILE", MODEL, GPU, 100)
    with pytest.raises(TargetError, match=r"memory binds: got 66\.2 GB too much on each h100-sxm"):
        call("SERVING_PERCENTILE", MODEL, GPU, 1, "tp=1")


@pytest.mark.parametrize(
    ("name", "given", "more"), [("SERVING_BACKWARDS", ("gpus", 40), {}), ("SERVING_ALTERNATIVES", (), {"capex_usd": 1})]
)
def test_what_is_asked_of_a_plan_searches_too(name: str, given: tuple[Any, ...], more: dict[str, Any]) -> None:
    found = call(name, MODEL, GPU, *given, options(SERVED | more))
    assert found == call(name, MODEL, GPU, *given, options(SERVED | more, FOUND))
    assert len(found) > 1


@pytest.mark.parametrize("name", ["TRAINING_FIGURES", "TRAINING_LEDGER", "TRAINING_MEMORY"])
def test_a_cell_of_training_searches_where_the_plain_layout_does_not_fit(name: str) -> None:
    assert cells(name, values=TRAINED) != cells(name, "tp=1", values=TRAINED)
    row = call("TRAINING_TABLE", [["model", "gpu", *TRAINED], [MODEL, GPU, *TRAINED.values()]])
    reason = dict(zip(*row, strict=True))["reason"]
    assert reason.startswith("layout chosen by search: ")
    layout = dict(cells("TRAINING_FIGURES", values=TRAINED))["layout"]
    assert reason.removeprefix("layout chosen by search: ") in layout
    assert planned("training", TRAINED)["layout"] == layout


def test_a_degree_of_one_that_is_given_is_no_blank() -> None:
    """What is left over of the GPUs stands in for a blank alone, on every surface."""
    given = {**TRAINED, "gpus": 8, "dp": 1}
    wrong = "GPUs are not the product of the layout: got 8 GPUs and tp 1 x pp 1 x dp 1 x cp 1 = 1, want the same. "
    for name in ("TRAINING_FIGURES", "TRAINING_LEDGER", "TRAINING_MEMORY"):
        with pytest.raises(RangeError, match=re.escape(f"{wrong}Set dp to 8.")):
            call(name, "llama-3.1-8b", GPU, options(given))
    with pytest.raises(RangeError, match=re.escape(wrong)):
        plan_scenario({"plan": "training", "model": "llama-3.1-8b", "gpu": GPU, **given}, "here", Path())
    heads, row = call("TRAINING_TABLE", [["model", "gpu", *given], ["llama-3.1-8b", GPU, *given.values()]])
    assert dict(zip(heads, row, strict=True))["reason"] == f"{wrong}Set dp to 8."
    phase = {"name": "A", "kind": "training", "model": "llama-3.1-8b", "gpu": GPU, **given}
    with pytest.raises(RangeError, match=re.escape(f"A: {wrong}Set dp to 8.")):
        call("PROGRAMME_FIGURES", [[name, value] for name, value in phase.items()])


def test_cells_and_rows_search_where_the_plain_layout_would_fit_too() -> None:
    """One layout on every surface: without a degree the fastest that fits, though TP1 fits as well."""
    small = {**TRAINED, "gpus": 8, "gpu": GPU, "model": "llama-3.1-8b"}
    plan = plan_scenario({"plan": "training", **small}, "here", Path()).plan
    assert plan.inputs.layout.name == "TP1 PP1 DP8 ZeRO-3 mb2"
    cells = options({name: value for name, value in small.items() if name not in ("model", "gpu")})
    figures = dict(call("TRAINING_FIGURES", "llama-3.1-8b", GPU, cells))
    assert figures["layout"] == plan.inputs.layout.name
    names, _, middle, _ = call("TRAINING_LEDGER", "llama-3.1-8b", GPU, cells)
    seconds = dict(zip(names, middle, strict=True))["step_seconds"]
    heads, row = call("TRAINING_TABLE", [list(small), list(small.values())])
    assert seconds == dict(zip(heads, row, strict=True))["step_seconds"] == plan.middle.step_seconds


def test_a_service_of_a_fleet_is_searched_and_its_workbook_takes_what_was_found() -> None:
    service = {"name": "A", "model": MODEL, "gpu": GPU, **SERVED}
    fleet = {"plan": "fleet", "months": 1, "service": [service]}
    found = plan_scenario(fleet, "here", Path())
    assert found.plan.services[0].replica.gpus == 2
    assert found.job.planned(found.scenario, found.plan).inputs.service[0].replica.tp == 2
    stated = plan_scenario(
        {**fleet, "service": [{**service, "tp": 2, "weight_dtype": "fp8", "draft_tokens": 0}]}, "here", Path()
    )
    assert found.plan.months == stated.plan.months
    with pytest.raises(TargetError, match="memory binds"):
        plan_scenario({**fleet, "service": [{**service, "tp": 1}]}, "here", Path())
    column = [[name, value] for name, value in service.items()]
    assert dict(call("FLEET_FIGURES", column))["workers"] == "tp2"
