"""The fleet report says what the plan says: totals, ranges and contracts."""

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from sizebook.core.units import grouped, usd
from sizebook.plans.fleet.figures import contracts
from sizebook.plans.fleet.inputs import Ceilings
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.plans.ledgers import month_label, usd_range
from sizebook.reports.charts.chart_types import Columns, Lines
from sizebook.reports.document import texts_of
from sizebook.reports.fleet.report import report
from sizebook.reports.translation import Translator
from sizebook.scenarios.fleet import FleetScenario, plan_fleet_scenario
from sizebook.scenarios.scenario_files import parse, read_toml
from tests.reports.reading import number, tables

EXAMPLE = Path(__file__).resolve().parents[2] / "workbooks" / "scenarios" / "six-services.toml"

BY_SERVICE = "GPUs of replicas at peak, and part of the cost, by service"


@pytest.fixture(scope="module")
def plan() -> FleetPlan:
    return plan_fleet_scenario(parse(FleetScenario, read_toml(EXAMPLE), EXAMPLE.name))


def test_totals_are_the_sums_of_their_rows(plan: FleetPlan) -> None:
    shown = tables(report(plan, date(2026, 11, 21)))
    for caption, column in (
        ("GPUs of replicas at peak, and part of the cost, by service", 2),
        ("Years", 6),
        ("Quarters", 6),
    ):
        *rows, total = [number(row.cells[column]) for row in shown[caption].rows]
        assert total == pytest.approx(sum(rows), abs=2)  # each is rounded
    assert number(shown["Years"].rows[-1].cells[6]) == round(sum(month.usd for month in plan.months))


SERVICE = {"name": "Chat", "model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 1_000_000}
SERVICE |= {"input_tokens": 1000, "output_tokens": 200}


@pytest.mark.parametrize(("months", "names"), [(36, ["Month 1 to Month 36, unchanged", "Most, then sums"]),
                                               (1, ["Month 1", "Most, then sums"])])  # fmt: skip
def test_a_fleet_that_does_not_change_has_one_row_of_months(months: int, names: list[str]) -> None:
    """On 0.13.0 it was the same row 36 times, and of one month each chart a column alone."""
    values = {"plan": "fleet", "months": months, "service": [SERVICE]}
    shown = report(plan_fleet_scenario(parse(FleetScenario, values, "here")), date(2026, 11, 21))
    ledger = tables(shown)["GPUs paid for, nodes, racks, power; cost, energy and emissions"]
    assert [row.cells[0] for row in ledger.rows] == names
    charts = [block for section in shown.sections for block in (shown.chart, *section.blocks)]
    assert not any(isinstance(block, Columns | Lines) for block in charts), "36 equal columns say nothing"


def test_what_stands_on_one_page_has_one_basis(plan: FleetPlan) -> None:
    """On 0.10.0 the first chart's title gave 332 GPUs, those paid for, beside the share of Chat in 326, shown then."""
    shown = report(plan, date(2026, 11, 21))
    chart = shown.chart
    assert isinstance(chart, Columns)
    at_last = {each.name: each.values[-1] for each in chart.series}
    assert (sum(at_last.values()), at_last["Chat"]) == (331, 120)
    assert (
        chart.title.replace("\u00a0", " ")
        == "331 GPUs of replicas in the last month's busiest hour, 36.3 % of them for Chat"
    )
    assert number(tables(shown)[BY_SERVICE].rows[-1].cells[2]) == 331


def test_the_power_of_nodes_adds_up_to_that_of_the_site(plan: FleetPlan) -> None:
    """22 nodes of 10.2 kW, 5 of the same and 29 of 6.667, times a PUE of 1.25: 280.5, 63.8 and 241.7 make 586 kW.

    On 0.10.0, of 27 such nodes, they stood as 280, 76 and 225, which make 581; their sum was 582.
    """
    shown = report(plan, date(2026, 11, 21))
    rows = tables(shown)["Nodes, racks and power in the last month"].rows
    assert [row.cells[-1] for row in rows] == ["280.5", "63.8", "241.7"]
    assert [tile.value for tile in shown.tiles if tile.label == "Power, most"] == ["586 kW"]


def test_a_month_of_the_plan_is_no_length(plan: FleetPlan) -> None:
    """On 0.10.0 a service began in "7 months"."""
    shown = tables(report(plan, date(2026, 11, 21)))
    rows = {
        caption: {row.cells[0]: row.cells[1] for row in shown[caption].rows} for caption in ("Summaries", "First chat")
    }
    assert (rows["Summaries"]["Begins in month"], rows["First chat"]["Ends with month"]) == ("7", "15")


def test_headlines_carry_their_range(plan: FleetPlan) -> None:
    found = usd_range(plan)
    cost = report(plan, date(2026, 11, 21)).tiles[0]
    assert cost.value == usd(sum(month.usd for month in plan.months))
    assert cost.note == f"{usd(found.low)} to {usd(found.high)}"
    assert found.low < sum(month.usd for month in plan.months) < found.high


def test_a_load_says_where_it_comes_from(plan: FleetPlan) -> None:
    shown = tables(report(plan, date(2026, 11, 21)))
    rows = {name: {row.cells[0]: row.cells[1:] for row in shown[name].rows} for name in ("Chat", "Coding")}
    assert rows["Chat"]["In flight on a replica"] == ("64", "scenario")
    assert rows["Coding"]["In flight on a replica"][1] == (
        "the most within the target: first token 2.00\u00a0s, token 30.0\u00a0ms, p50"
    )


def test_one_node_in_one_rack_is_said_so_in_both_languages(plan: FleetPlan) -> None:
    months = tuple(replace(month, nodes=1, racks=1, own_nodes=0) for month in plan.months)
    months = (replace(months[0], own_nodes=2), *(replace(month, own_nodes=1) for month in months[1:]))
    shown = report(replace(plan, months=months), date(2026, 11, 21))
    (message,) = (each.message for each in shown.sections if each.topic == "Nodes and power")
    assert message == "1 node in 1 rack in the last month; sharing saves 1 node-month"
    assert Translator("de").translate_text(message) == "1 Knoten in 1 Rack im letzten Monat; Teilen spart 1 Knotenmonat"
    assert shown.sentences[1].endswith(", on 1 node in 1 rack.")
    assert Translator("de").translate_text(shown.sentences[1]).endswith(", auf 1 Knoten in 1 Rack.")


def test_a_ceiling_that_is_exceeded_is_said_in_german(plan: FleetPlan) -> None:
    low = replace(plan, terms=replace(plan.terms, ceilings=Ceilings(rack_ceiling=1)))
    said = [
        Translator("de").translate_text(each) for each in texts_of(report(low, date(2026, 11, 21))) if " racks" in each
    ]
    assert any(" Racks, mehr als die vorhandenen 1" in each for each in said)
    assert any(" Racks die Obergrenze von 1;" in each for each in said)


def test_the_report_says_what_to_sign(plan: FleetPlan) -> None:
    """Every contract with the services that it is for, and what they cost after the plan."""
    table = tables(report(plan, date(2026, 11, 21)))["What to sign"]
    rows = [(row.cells[0], row.cells[2], row.cells[4]) for row in table.rows]
    assert rows == [
        (of, month_label(plan.terms.start, each.last_month - 1), grouped(each.gpus)) for of, each in plan.contracts
    ]
    assert f"{usd(contracts(plan).tail_usd)} of it is for months after the plan" in str(table.note)
