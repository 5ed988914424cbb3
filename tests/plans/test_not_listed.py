"""No plan stops for want of a price, a power or a layout: what nobody lists is blank and said, all else is planned."""

import json
import math
import re
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pytest

from sizebook.batch.formats import FORMATS
from sizebook.batch.plan_contents import contents
from sizebook.batch.plan_kinds import PlannedScenario, plan_scenario
from sizebook.cli.plan_programme import as_text as programme_text
from sizebook.core.cells import call
from sizebook.core.units import brief, grouped, in_unit, mass, significant, usd
from sizebook.functions import load
from sizebook.reports.document import texts_of
from sizebook.sweeps.serving import sweep as serving_sweep
from sizebook.sweeps.training import sweep as training_sweep
from sizebook.tables.hardware import accelerator, accelerators
from sizebook.tables.prices import prices
from sizebook.training.bands import UNMEASURED, band_of, bands
from tests.commands import plan_printed

load()
HERE = Path()
SERVED: dict[str, Any] = {"plan": "serving", "model": "llama-3.1-8b", "requests_per_day": 1_000_000, "months": 2}
SERVED |= {"input_tokens": 1000, "output_tokens": 200}
TRAINED = {"plan": "training", "model": "llama-3.1-8b", "gpus": 64, "batch": 512, "tokens": 1e11}
UNPRICED = "h20"
UNPOWERED = "tpu-v6e"


def figures(values: dict[str, Any]) -> dict[str, Any]:
    plan = plan_scenario(values, "here", HERE).plan
    return {figure.name: figure.value for figure in contents(plan).figures}


@pytest.mark.parametrize("gpu", accelerators())
def test_every_accelerator_is_planned(gpu: str) -> None:
    served, trained = figures({**SERVED, "gpu": gpu}), figures({**TRAINED, "gpu": gpu})
    assert served["gpus_per_replica"] >= 1 and trained["gpu_hours"] > 0


def test_what_follows_from_the_price_alone_is_blank() -> None:
    assert not any(row.gpu == UNPRICED for row in prices())
    served, trained = figures({**SERVED, "gpu": UNPRICED}), figures({**TRAINED, "gpu": UNPRICED})
    assert {name for name, value in served.items() if value is None} >= {"usd", "on_demand_usd_per_gpu_hour"}
    assert trained["cost_usd"] is None and trained["energy_kwh"] > 0
    said = "no table lists a price of h20: set on_demand_usd_per_gpu_hour"
    assert served["price_basis"] == said
    assert trained["price_basis"] == "no table lists a price of h20 on demand: set price_usd_per_gpu_hour"


def test_a_price_that_is_set_gives_the_money() -> None:
    hours = figures({**TRAINED, "gpu": UNPRICED})["gpu_hours"]
    priced = figures({**TRAINED, "gpu": UNPRICED, "price_usd_per_gpu_hour": 2.0})
    assert (priced["gpu_hours"], priced["cost_usd"]) == (hours, pytest.approx(2 * hours))


def test_cells_show_an_error_where_nothing_is_listed() -> None:
    rows = call(
        "SERVING_LEDGER", "llama-3.1-8b", UNPRICED, "requests_per_day=1e6; input_tokens=1000; output_tokens=200"
    )
    assert isinstance(rows, list)
    first = dict(zip(rows[0], rows[1], strict=True))
    assert first["peak_gpus"] == 4
    assert str(first["usd"]) == (
        "amount not listed: got no price or power of the accelerator, want one. State on_demand_usd_per_gpu_hour, "
        "price_usd_per_gpu_hour or watts, or add your own row with 'sizebook data add'."
    )


@pytest.mark.parametrize("values", [SERVED, TRAINED], ids=["serve", "train"])
def test_text_and_json_say_so(tmp_path: Path, values: dict[str, Any]) -> None:
    data, shown = plan_printed({**values, "gpu": UNPRICED}, tmp_path)
    assert "not listed" in shown and "nan" not in shown
    assert "NaN" not in json.dumps(data)


SERVICE = {key: value for key, value in SERVED.items() if key not in ("plan", "months")} | {"name": "Chat"}
PHASE = {key: value for key, value in TRAINED.items() if key != "plan"} | {"name": "First"}
PLANS: dict[str, dict[str, Any]] = {
    "serving": SERVED,
    "training": TRAINED,
    "fleet": {"plan": "fleet", "months": 2, "service": [SERVICE]},
    "programme": {"plan": "programme", "phases": [PHASE, {**PHASE, "name": "Second", "gpu": "h100-sxm"}]},
}
NAN = re.compile(r"\bnan\b", re.IGNORECASE)
# What the first sentence of a report says where no price is listed.
FIRST = {
    "serving": "Serving Llama 3.1 8B for 2 months: no price is listed, so no cost.",
    "training": "; no price is listed, so no cost.",
    "fleet": "The fleet over 2 months: a price is not listed, so no cost.",
    "programme": "; a price is not listed, so no cost.",
}
# Sentences that lost their amount, as reports had them.
BROKEN = ("not listed (not listed)", "not listed %", "of not listed", "$0 of", "not listed MW", "not listed kW")


def planned_on(kind: str, gpu: str) -> PlannedScenario:
    """Return a plan of a kind whose accelerator, or the first of two, is this one."""
    values = PLANS[kind]
    if kind == "fleet":
        values = {**values, "service": [{**SERVICE, "gpu": gpu}]}
    elif kind == "programme":
        values = {**values, "phases": [{**PHASE, "gpu": gpu}, *values["phases"][1:]]}
    else:
        values = {**values, "gpu": gpu}
    return plan_scenario(values, "here", HERE)


@pytest.mark.parametrize("kind", PLANS)
@pytest.mark.parametrize("gpu", [UNPRICED, UNPOWERED])
def test_no_report_shows_nan_or_a_sentence_without_its_amount(kind: str, gpu: str) -> None:
    planned = planned_on(kind, gpu)
    page = FORMATS["html"].content(planned).decode()
    shown = list(texts_of(planned.report))
    assert not NAN.search(re.sub("data:[^\"']*", "", page))
    assert not [(said, each) for said in shown for each in BROKEN if each in said]
    assert "NaN" not in FORMATS["json"].content(planned).decode()
    assert (FIRST[kind] in planned.report.sentences[0]) == (gpu == UNPRICED)


@pytest.mark.parametrize("gpu", [UNPRICED, UNPOWERED])
def test_a_programme_is_printed(gpu: str) -> None:
    """In text it stopped at the first month without a price: NaN cannot be rounded."""
    plan = planned_on("programme", gpu).plan
    lines = programme_text(plan)
    assert not [line for line in lines if NAN.search(line)]
    assert any("cost not listed" in line for line in lines) == (gpu == UNPRICED)
    assert any("power not listed" in line for line in lines) == (gpu == UNPOWERED)


def test_a_month_without_the_unpriced_phase_has_its_money() -> None:
    """The last of its months holds the second phase alone, which is priced: no share of NaN is NaN."""
    phases = [{**PHASE, "gpu": UNPRICED}, {**PHASE, "name": "Second", "gpu": "h100-sxm", "tokens": 1e12}]
    months = plan_scenario({"plan": "programme", "phases": phases}, "here", HERE).plan.months
    assert math.isnan(months[0].phases_usd) and months[-1].phases_usd > 0


@pytest.mark.parametrize("at", [0, 1])
def test_the_highest_power_is_not_listed_where_a_phase_has_none(at: int) -> None:
    phases = [{**PHASE, "gpu": "h100-sxm"}, {**PHASE, "name": "Second", "gpu": "h100-sxm"}]
    phases[at]["gpu"] = UNPOWERED
    plan = plan_scenario({"plan": "programme", "phases": phases}, "here", HERE).plan
    assert math.isnan(plan.middle.peak_mw)


@pytest.mark.parametrize("shown", [usd, mass, grouped, significant])
def test_an_amount_that_is_not_listed_is_shown_in_words(shown: Any) -> None:
    assert shown(math.nan) == brief(math.nan, "USD") == in_unit(math.nan, "kWh") == "not listed"


def test_a_generation_that_nobody_measured_has_the_widest_band() -> None:
    """Runs on Hopper were measured, on Volta none: no other generation's band stands for it."""
    gpus = (accelerator("h100-sxm"), accelerator("v100-sxm-32gb"))
    run = plan_scenario({**TRAINED, "gpu": "h100-sxm"}, "here", HERE).plan
    measured, unmeasured = (band_of(run.work.profile, gpu, run.inputs.method) for gpu in gpus)
    widest = bands()[UNMEASURED]
    assert unmeasured == widest and measured != widest
    assert widest.high / widest.low == max(band.high / band.low for band in bands().values())


def test_a_fleet_without_power_has_nodes_and_racks() -> None:
    service = {**SERVED, "name": "one", "gpu": "tpu-v6e"}
    del service["plan"], service["months"]
    plan = plan_scenario({"plan": "fleet", "months": 2, "service": [service]}, "here", HERE).plan
    assert plan.months[0].nodes >= 1 and plan.months[0].racks == 1
    assert math.isnan(plan.months[0].site_kw) and math.isnan(plan.months[0].energy_kwh)


def test_gpus_of_a_workbook_do_not_hang_on_the_price() -> None:
    """Without a price the fleet follows the hours, as in the plan; money is #N/A."""
    planned = planned_on("serving", UNPRICED)
    book = openpyxl.load_workbook(BytesIO(FORMATS["xlsx"].content(planned)), data_only=True)
    rows = [[cell.value for cell in row if cell.value is not None] for row in book["Result"].iter_rows()]
    heads, values = next(pair for pair in pairwise(rows) if "GPUs at peak, month 1" in pair[0])
    shown = dict(zip(heads, values, strict=True))
    months = planned.plan.plan.months
    assert (shown["GPUs at peak, month 1"], shown["USD, month 1"]) == (months[0].peak_gpus, "#N/A")
    assert shown["GPUs at peak, month 2"] == months[1].peak_gpus


SMALL = "qwen3-0.6b"


def test_sweeps_estimate_every_accelerator() -> None:
    served = pl.DataFrame({"gpu": list(accelerators())}).with_columns(
        model=pl.lit(SMALL), input_tokens=500, output_tokens=100, concurrency=4
    )
    found = serving_sweep(served)
    assert found.filter(pl.col("tpot_seconds").is_null())["gpu"].to_list() == []
    trained = pl.DataFrame({"gpu": list(accelerators())}).with_columns(
        model=pl.lit(SMALL), gpus=8, batch=64, seq=1024, tokens=1e9
    )
    assert training_sweep(trained).filter(pl.col("gpu_hours").is_null())["gpu"].to_list() == []


def test_a_sweep_searches_a_layout_that_nobody_states() -> None:
    """70.6 B parameters are 141 GB in 2 bytes, which one H100 has no room for, 71 in one: the search takes fp8 on one.

    A stated degree holds in the format that the file has, and is refused.
    """
    row = {"model": "llama-3.3-70b", "gpu": "h100-sxm", "input_tokens": 1000, "output_tokens": 200, "concurrency": 8}
    found = serving_sweep(pl.DataFrame([{**row, "tp": None}, {**row, "tp": 1}], schema_overrides={"tp": pl.Int64}))
    searched, stated = found.to_dicts()
    assert searched["reason"] == "layout chosen by search: tp1, weights in fp8" and searched["fits"]
    assert stated["tpot_seconds"] is None
    assert stated["reason"].startswith("weights do not fit: got 65.6 GB too much on a GPU")
    by_hand = serving_sweep(pl.DataFrame([{**row, "tp": 1, "weight_dtype": "fp8", "draft_tokens": 0}])).to_dicts()[0]
    assert searched["tpot_seconds"] == by_hand["tpot_seconds"]
    heads, cells = list(row), list(row.values())
    (_, answer) = call("SERVING_TABLE", [heads, cells])
    assert answer[1] == searched["tpot_seconds"] and answer[-1] == searched["reason"]


def test_a_sweep_of_training_searches_as_a_plan_does() -> None:
    row = {**TRAINED, "model": "llama-3.3-70b", "gpu": "h100-sxm"}
    plan = plan_scenario(row, "here", HERE).plan
    stated = {name: value for name, value in row.items() if name != "plan"}
    frame = pl.DataFrame([{**stated, "tp": None}, {**stated, "tp": 1}], schema_overrides={"tp": pl.Int64})
    searched, plain = training_sweep(frame).to_dicts()
    assert searched["reason"] == f"layout chosen by search: {plan.inputs.layout.name}"
    assert searched["step_seconds"] == plan.middle.step_seconds
    assert plain["reason"].startswith("does not fit")
