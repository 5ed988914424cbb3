"""No plan stops for want of a price, a power or a layout: what nobody lists is blank and said, all else is planned."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sizebook.batch.plan_contents import contents
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.cli import app
from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.core.units import brief, grouped, in_unit, mass, significant, usd
from sizebook.tables.hardware import accelerator, accelerators
from sizebook.tables.prices import prices
from sizebook.training.bands import UNMEASURED, band_of, bands

HERE = Path()
SERVED: dict[str, Any] = {"plan": "serving", "model": "llama-3.1-8b", "requests_per_day": 1_000_000, "months": 2}
SERVED |= {"input_tokens": 1000, "output_tokens": 200}
TRAINED = {"plan": "training", "model": "llama-3.1-8b", "gpus": 64, "batch": 512, "tokens": 1e11}
UNPRICED = "h20"


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


def test_a_blank_layout_without_room_is_searched() -> None:
    # 70.6 B parameters in 2 bytes are 141 GB: one H100 has no room, and no format is stated.
    values = {**SERVED, "model": "llama-3.3-70b", "gpu": "h100-sxm"}
    searched = plan_scenario(values, "here", HERE).plan
    assert searched.choices is not None and searched.plan.replica.setup.gpu == "h100-sxm"
    with pytest.raises(SizebookError, match="memory binds"):
        plan_scenario({**values, "tp": 1}, "here", HERE)


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


@pytest.mark.parametrize(("plan", "values"), [("serve", SERVED), ("train", TRAINED)])
def test_text_and_json_say_so(tmp_path: Path, plan: str, values: dict[str, Any]) -> None:
    lines = [f"{key} = {json.dumps(value)}" for key, value in {**values, "gpu": UNPRICED}.items()]
    file = tmp_path / "scenario.toml"
    file.write_text("\n".join(lines))
    shown = CliRunner().invoke(app, ["plan", plan, str(file)]).output
    assert "not listed" in shown and "nan" not in shown
    assert "NaN" not in CliRunner().invoke(app, ["plan", plan, str(file), "--json"]).output


SERVICE = {key: value for key, value in SERVED.items() if key not in ("plan", "months")} | {"name": "Chat"}
PHASE = {key: value for key, value in TRAINED.items() if key != "plan"} | {"name": "First"}
PLANS: dict[str, dict[str, Any]] = {
    "serving": SERVED,
    "training": TRAINED,
    "fleet": {"plan": "fleet", "months": 2, "service": [SERVICE]},
    "programme": {"plan": "programme", "phases": [PHASE, {**PHASE, "name": "Second", "gpu": "h100-sxm"}]},
}
COMMANDS = {"serving": "serve", "training": "train"}
NAN = re.compile(r"\bnan\b", re.IGNORECASE)
# What a report says where an amount would stand; each first sentence tells that there is no cost.
FIRST = {
    "serving": "Serving llama-3.1-8b for 2 months: no price is listed, so no cost.",
    "training": "; no price is listed, so no cost.",
    "fleet": "The fleet over 2 months: a price is not listed, so no cost.",
    "programme": "; a price is not listed, so no cost.",
}
# Sentences that lost their amount, as reports had them.
BROKEN = ("not listed (not listed)", "not listed %", "of not listed", "$0 of", "not listed MW", "not listed kW")


def unpriced(kind: str, gpu: str) -> dict[str, Any]:
    """Return a plan of a kind whose accelerator has no price, and with a TPU no power either."""
    values = PLANS[kind]
    if kind == "fleet":
        return {**values, "service": [{**SERVICE, "gpu": gpu}]}
    if kind == "programme":
        return {**values, "phases": [{**PHASE, "gpu": gpu}, *values["phases"][1:]]}
    return {**values, "gpu": gpu}


@pytest.mark.parametrize("kind", PLANS)
@pytest.mark.parametrize("powered", [True, False])
def test_no_plan_shows_nan(tmp_path: Path, kind: str, powered: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if not powered:
        monkeypatch.setattr(type(accelerator(UNPRICED)), "tdp_watts", None, raising=False)
    planned = plan_scenario(unpriced(kind, UNPRICED), "here", tmp_path)
    page = FORMATS["html"].content(planned).decode()
    assert not NAN.search(page.partition("sizebook-record")[0])
    shown = list(planned.report.texts())
    assert FIRST[kind] in planned.report.sentences[0]
    assert not [(text, each) for text in shown for each in BROKEN if each in text]
    assert "NaN" not in FORMATS["json"].content(planned).decode()


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
