"""What the serving report says, and that it can be laid out."""

from datetime import date
from typing import Any

import pytest

from sizebook.core.cells import call
from sizebook.core.sections import put_together
from sizebook.core.units import grouped, usd
from sizebook.functions import load as load_functions
from sizebook.plans.fleet.high_end import high_end
from sizebook.plans.fleet.inputs import FleetInputs, FleetTerms, Service
from sizebook.plans.fleet.plan import plan_fleet
from sizebook.plans.ledgers import total_usd, usd_range
from sizebook.plans.serving.choice import choose
from sizebook.plans.serving.figures import figures as serving_figures
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.plans.serving.sensitivity import sensitivities
from sizebook.reports.charts.chart_types import Columns, Lines, Spans, Stacks
from sizebook.reports.document import Table
from sizebook.reports.serving.report import report
from tests.plans.asking import serving_inputs
from tests.reports.reading import number, part_on

load_functions()
INPUTS: dict[str, Any] = {
    "requests_per_day": 2_000_000, "shape": "office", "burst_factor": 1.5, "growth_per_month": 0.05, "months": 24,
    "input_tokens": 1000, "output_tokens": 250, "ttft_target_seconds": 2.0, "tpot_target_seconds": 0.05,
    "on_demand_usd_per_gpu_hour": 3.0, "reserved_usd_per_gpu_hour": 2.0,
}  # fmt: skip


@pytest.fixture(scope="module")
def plan() -> ServingPlan:
    return plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**INPUTS))


def test_band_stands_beside_gpus_cost_and_latency(plan: ServingPlan, as_of: date) -> None:
    tiles = {tile.label: tile for tile in report(plan, as_of).tiles}
    cost = usd_range(plan)
    assert tiles["GPUs, busiest hour"].note == f"{plan.fewest[-1].peak_gpus} to {plan.most[-1].peak_gpus}"
    assert tiles["Cost, 24 months"].value == usd(sum(month.usd for month in plan.months))
    assert tiles["Cost, 24 months"].note == f"{usd(cost.low)} to {usd(cost.high)}"
    assert " to " in tiles["First token"].note and " to " in tiles["Each further token"].note


def test_latency_curve_passes_through_the_planned_load_under_the_target(plan: ServingPlan, as_of: date) -> None:
    token, first, _ = part_on(report(plan, as_of), "Latency").blocks
    assert isinstance(token, Lines) and isinstance(first, Lines)
    x, y, text = token.points[0]
    assert (x, text) == (plan.replica.concurrency, f"Plan: {plan.replica.concurrency} in flight")
    assert y <= 50 and (x, y) in token.lines[0].points
    assert token.limit is not None and token.limit.label == "Target 50 ms"
    band = plan.replica.bands["ttft"]
    for (_, middle), (_, low, high) in zip(first.lines[0].points, first.lines[0].band, strict=True):
        assert (low, high) == (middle * band.low, middle * band.high)


def test_terms_of_the_latencies_add_up_to_the_tiles(plan: ServingPlan, as_of: date) -> None:
    """The terms that EXPLAIN gives for the same load, to the digits shown, each with what it rests on."""
    table = part_on(report(plan, as_of), "Latency").blocks[-1]
    assert isinstance(table, Table)
    *rows, total = [row.cells for row in table.rows]
    knee, asked = plan.replica.at_knee, plan.traffic.mean_demand
    for name, column, seconds in (("TTFT_SECONDS", 1, knee.ttft_seconds), ("TPOT_SECONDS", 3, knee.tpot_seconds)):
        load = (asked.input_tokens, asked.output_tokens, plan.replica.concurrency)
        lines = call("SIZEBOOK_EXPLAIN", name, plan.model, plan.replica.setup.gpu, *load)
        said = {line[0].removeprefix("term: "): line[1] for line in lines if line[0].startswith("term: ")}
        shown = {f"{row[0]} ({row[-1]})": float(row[column].replace("\u202f", "")) for row in rows if row[column]}
        assert shown == {term: pytest.approx(1e3 * value, abs=0.06) for term, value in said.items() if value}
        assert float(total[column].replace("\u202f", "")) == pytest.approx(1e3 * seconds, abs=0.06)


def test_memory_adds_up_to_the_physical(plan: ServingPlan, as_of: date) -> None:
    chart = part_on(report(plan, as_of), "Memory").blocks[0]
    assert isinstance(chart, Stacks)
    assert sum(series.values[0] for series in chart.series) == pytest.approx(plan.replica.memory.physical_bytes / 2**30)


def test_cost_is_shown_by_month_and_by_term(plan: ServingPlan, as_of: date) -> None:
    chart, (months, *_) = report(plan, as_of).chart, part_on(report(plan, as_of), "Cost").blocks
    assert isinstance(chart, Columns) and isinstance(months, Table)
    assert len(chart.categories) == 24
    assert sum(series.values[0] for series in chart.series) == pytest.approx(plan.months[0].usd / 1e3)
    *shown, total = [row.cells for row in months.rows]
    assert [cells[0] for cells in shown] == [f"Month {n}" for n in range(1, 25)]
    for column, key in ((4, "gpu_hours"), (6, "usd")):
        assert number(total[column]) == round(sum(getattr(month, key) for month in plan.months))
    # 2 000 000 requests a day of 250 tokens for 730 / 24 days, 5 % more each month, for 24 months.
    million_tokens = 2.0 * 250 * 730 / 24 * (1.05**24 - 1) / 0.05
    assert float(total[7]) == pytest.approx(sum(month.usd for month in plan.months) / million_tokens, abs=0.005)


def test_the_first_month_takes_a_row_of_energy_where_months_differ(plan: ServingPlan, as_of: date) -> None:
    """On 0.13.0 a plan without growth had a row 'Energy, month 1: before the traffic grows'."""
    same = plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**INPUTS | {"growth_per_month": 0.0}))
    for one, named in ((plan, [", 24 months", ", month 1"]), (same, [", 24 months"])):
        (table,) = part_on(report(one, as_of), "Energy and carbon").blocks
        assert isinstance(table, Table)
        assert [row.cells[0] for row in table.rows] == [
            f"{of}{each}" for each in named for of in ("Energy", "Emissions")
        ]


def test_one_total_stands_on_tile_sentence_table_and_tornado(plan: ServingPlan, as_of: date) -> None:
    view, total = report(plan, as_of), sum(month.usd for month in plan.months)
    assert f"for 24 months costs {usd(total)} (" in view.sentences[0]
    assert view.tiles[0].value == usd(total)
    tornado = part_on(view, "Sensitivity").blocks[0]
    assert isinstance(tornado, Spans) and tornado.limit is not None
    assert tornado.limit.label == f"Plan {usd(total)}"
    assert tornado.limit.value == pytest.approx(total / 1e3)
    assert all(span.start <= tornado.limit.value <= span.end for span in tornado.spans)


def test_what_to_know_first_stands_on_the_first_page(as_of: date) -> None:
    beyond = INPUTS | {"input_tokens": 200_000, "ttft_target_seconds": None, "tpot_target_seconds": None, "months": 1}
    shown = report(plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**beyond)), as_of)
    assert shown.warnings[0] == (
        "200\u202f250 tokens a request are more than the 131\u202f072 that the model states: what it "
        "answers there is untested."
    )


def test_one_month_without_a_target_has_neither_months_nor_limits(as_of: date) -> None:
    plain = {"months": 1, "shape": "flat", "ttft_target_seconds": None, "tpot_target_seconds": None}
    single = plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**INPUTS | plain))
    view = report(single, as_of)
    assert view.chart is None
    limits = [chart.limit for chart in part_on(view, "Latency").blocks if isinstance(chart, Lines)]
    assert limits == [None, None]
    assert len(part_on(view, "Fleet").blocks[0].series) == 1  # type: ignore[union-attr]


def test_alternatives_are_listed_from_the_cheapest(plan: ServingPlan, as_of: date) -> None:
    choices = choose("llama-3.1-8b", serving_inputs(**INPUTS), ["h100-sxm"], "vllm")
    table = part_on(report(plan, as_of, choices=choices), "Alternatives").blocks[0]
    assert isinstance(table, Table)
    ranked = choices.ranked[: len(table.rows)]
    assert [number(row.cells[5]) for row in table.rows] == [round(total_usd(each.plan.months)) for each in ranked]
    last = [each.plan.months[-1].usd for each in ranked]
    assert last == sorted(last), "by the cost of the last month"
    assert table.rows[0].kind == "marked"


def test_a_plan_that_costs_nothing_has_a_report(as_of: date) -> None:
    free = {"on_demand_usd_per_gpu_hour": 0.0, "reserved_usd_per_gpu_hour": 0.0, "months": 2}
    shown = report(plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**INPUTS | free)), as_of)
    assert shown.chart is None, "columns of nothing"


def test_longer_answers_swing_the_cost_as_a_plan_of_them_does() -> None:
    """Without a target the cache binds: a fifth more of each answer takes room, not only time."""
    inputs = INPUTS | {"ttft_target_seconds": None, "tpot_target_seconds": None, "months": 1}
    plan = plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**inputs))
    swings = {swing.label: swing for swing in sensitivities(plan)}
    ends = [
        plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**inputs | {"output_tokens": tokens})).months[0].usd
        for tokens in (200, 300)
    ]
    swing = swings["Tokens of an answer, \u221220% to +20%"]
    assert [swing.low_usd, swing.high_usd] == ends


def test_the_room_of_a_histogram_stays_where_its_mean_moves() -> None:
    """Prompts of 500 and 2000 tokens, mean 1100, 95th percentile 2000: a fifth more is a mean of 1320 in that room."""
    inputs = INPUTS | {"input_histogram": ((500, 0.6), (2000, 0.4)), "months": 1}
    plan = plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**inputs))
    stated = INPUTS | {"input_tokens": 1320, "input_tokens_p95": 2000, "months": 1}
    more = plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**stated)).months[0].usd
    assert {swing.label: swing.high_usd for swing in sensitivities(plan)}[
        "Tokens of a prompt, \u221220% to +20%"
    ] == more


def test_the_price_of_every_term_swings_and_is_figured() -> None:
    """Every price a fifth lower, that of three years too, signs the same and costs a fifth less."""
    inputs = INPUTS | {"sign_terms": "3y", "reserved_3y_usd_per_gpu_hour": 0.5, "months": 1}
    plan = plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**inputs))
    found = {swing.label: swing for swing in sensitivities(plan)}["Price of a GPU-hour, \u221220% to +20%"]
    assert [found.low_usd, found.high_usd] == pytest.approx([0.8 * plan.months[0].usd, 1.2 * plan.months[0].usd])
    assert serving_figures(plan).reserved_3y_usd_per_gpu_hour == 0.5
    signs_a_year = plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**INPUTS))
    assert serving_figures(signs_a_year).reserved_3y_usd_per_gpu_hour is None


def test_the_bridge_to_the_high_end_adds_one_surprise_after_another(plan: ServingPlan, as_of: date) -> None:
    """The contracts stay: slow replicas alone are the plan's own slow months, and a stated price adds nothing."""
    (_, usd_planned), (_, slow), (_, dear), (_, more) = high_end(plan)
    assert usd_planned == pytest.approx(sum(month.usd for month in plan.months))
    assert slow == dear == pytest.approx(sum(month.usd for month in plan.most))
    assert more > dear
    decision = report(plan, as_of).sections[0]
    what_to_sign, years, bridge = decision.blocks
    assert isinstance(what_to_sign, Table) and isinstance(years, Table) and isinstance(bridge, Spans)
    assert [span.text for span in bridge.spans] == [
        usd(usd_planned), f"{usd(slow - usd_planned)} more", "$0 more", f"{usd(more - dear)} more", usd(more)
    ]  # fmt: skip
    by_year = [sum(month.usd for month in plan.months[at : at + 12]) for at in (0, 12)]
    assert [row.cells[-1] for row in years.rows] == [grouped(each) for each in (*by_year, usd_planned)]


def test_the_bridge_of_a_fleet_begins_at_its_cost_and_adds_what_its_slow_months_do() -> None:
    one = {"name": "Chat", "model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 2e6, "input_tokens": 1000,
           "output_tokens": 250, "concurrency": 64}  # fmt: skip
    services = (put_together(Service, one), put_together(Service, one | {"name": "Batch", "end_month": 9}))
    fleet = plan_fleet(FleetInputs(service=services, terms=put_together(FleetTerms, {})))
    (_, first), (_, slow), (_, dear), (_, more) = high_end(fleet)
    assert first == pytest.approx(sum(month.usd for month in fleet.months))
    assert slow == pytest.approx(sum(month.usd for month in fleet.most))
    assert first <= slow < dear < more  # prices of the catalogue differ
