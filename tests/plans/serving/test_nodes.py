"""Replicas on nodes: instances by hand, the spare that covers a lost node, and GPUs by whole nodes."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sizebook.plans.serving.months import fleet_months, purchase_of_months
from sizebook.plans.serving.nodes import Packing
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.plans.serving.replica import at_speed
from sizebook.plans.serving.steps import derivations
from sizebook.reports.document import Table
from sizebook.reports.serving.notes import assumptions
from tests.commands import plan_printed
from tests.plans.asking import serving_inputs
from tests.row_lists import listed

BY_NODE = {"failure_domain": "node", "whole_nodes": True}
PRICES = {"on_demand_usd_per_gpu_hour": 3.0, "reserved_usd_per_gpu_hour": 2.0}


def _plan(**values: Any) -> ServingPlan:
    inputs = {"requests_per_day": 2_000_000, "tp": 2, "months": 1, **PRICES, **values}
    return plan_serving("llama-3.1-8b", "h100-sxm", serving_inputs(**inputs))


def _fleet(working: int, **target: Any) -> tuple[ServingPlan, tuple[int, int, int]]:
    """Return a plan whose traffic takes so many replicas without spare: its replicas, peak GPUs and nodes."""
    plan = _plan(**target)
    rate = 2_000_000 / 86_400 / (working * 0.8)
    replica = at_speed(plan.replica, rate / plan.replica.requests_per_second)
    contracts = purchase_of_months(replica, plan.inputs, plan.rates).cheapest()
    month = fleet_months(replica, plan.inputs, plan.rates, portfolio=contracts)[0]
    return replace(plan, replica=replica, months=(month,)), (
        month.replicas_by_hour[0],
        month.peak_gpus,
        month.peak_nodes,
    )


@pytest.mark.parametrize(*listed("plans/serving", "test_packing_by_hand"))
def test_packing_by_hand(
    node: int, replica: int, instances: int, nodes_each: int, lost: int, nodes_of_5: int, gpus_of_5: int
) -> None:
    packing = Packing(node, replica)
    assert (packing.instances_per_node, packing.nodes_per_replica) == (instances, nodes_each)
    assert (packing.lost_with("node"), packing.lost_with("replica")) == (lost, 1)
    assert packing.nodes(5) == nodes_of_5
    assert (packing.gpus(5, True), packing.gpus(5, False)) == (gpus_of_5, 5 * replica)


def test_a_spare_covers_one_replica_or_all_of_a_node() -> None:
    # 5 working replicas of 2 GPUs; a node of 8 GPUs holds 4.
    assert _fleet(5)[1] == (6, 12, 2)
    assert _fleet(5, failure_domain="node")[1] == (9, 18, 3)
    assert _fleet(5, **BY_NODE)[1] == (9, 24, 3)
    assert _fleet(5, **BY_NODE, spare=2)[1] == (13, 32, 4)
    assert _fleet(5, **BY_NODE, gpus_per_node=4)[1] == (7, 16, 4)


def test_whole_nodes_pay_for_idle_gpus_and_their_idle_power() -> None:
    _, month = (plan := _fleet(5, **BY_NODE)[0]), plan.months[0]
    assert month.usd == pytest.approx(24 * 730 * 2.0)  # flat traffic: all reserved
    # 9 replicas at 5 x 0.8 / 9 of their rate on 18 of 24 GPUs; 700 W, 1.3 busy and 0.3 idle, PUE 1.25.
    busy = 5 * 0.8 / 9 * 18 / 24
    assert month.energy_kwh == pytest.approx(24 * 730 * 0.7 * (1.3 * busy + 0.3 * (1 - busy)) * 1.25)


def test_derivation_and_assumptions_say_how_nodes_came_about() -> None:
    plan, _ = _fleet(5, **BY_NODE)
    steps = {step.label: step for step in derivations(plan)}
    node = steps["Instances of a node"]
    assert (node.substituted, node.value, node.source) == ("floor(8 / 2)", 4, "data/hardware.csv, h100-sxm")
    assert (steps["Spare replicas"].substituted, steps["Spare replicas"].value) == ("1 * 4", 4)
    gpus = steps["GPUs in the busiest hour"]
    assert (gpus.substituted, gpus.value) == ("ceil(9 / 4) * 8", 24)
    table = assumptions(plan).blocks[0]
    assert isinstance(table, Table)
    rows = {row.cells[0]: row.cells[1:] for row in table.rows}
    assert rows["Instances of a node"] == ("4", "whole replicas that fit in a node")
    assert rows["Failures to cover"] == ("1", "usual value")
    assert rows["What fails at once"] == ("node", "scenario")
    assert rows["Spare replicas"] == ("4", "failures covered x replicas lost with each")
    assert rows["GPUs by whole nodes"] == ("yes", "scenario")


def test_a_replica_larger_than_a_node_takes_whole_nodes() -> None:
    steps = {step.label: step for step in derivations(_plan(**BY_NODE, gpus_per_node=4, tp=8))}
    spans = steps["Nodes of a replica"]
    assert (spans.substituted, spans.value, spans.source) == ("ceil(8 / 4)", 2, "given in the scenario")


SCENARIO = """plan = "serving"
model = "llama-3.1-8b"
gpu = "h100-sxm"
tp = 2
[traffic]
requests_per_day = 2_000_000
input_histogram = [[500, 0.6], [2000, 0.3], [8000, 0.1]]
output_tokens = 300
[target]
failure_domain = "node"
whole_nodes = true
"""


def test_plan_serve_shows_lengths_and_nodes(tmp_path: Path) -> None:
    data, printed = plan_printed(SCENARIO, tmp_path)
    text = printed.splitlines()
    assert "Prompts            mean 1700.0 tokens, p50 500, p95 8\u202f000" in text
    assert "Spare              4 replicas, to cover the loss of 1 node" in text
    assert data["token_lengths"]["input"] == {"mean": pytest.approx(1700), "p50": 500, "p95": 8000}
    n = data["replica"]["capacity"]
    assert data["token_lengths"]["reserved_tokens"] == 8000 + math.ceil(300 * (0.5 + 1 / math.sqrt(3 * n))) == 8166
    assert data["nodes"] == {
        "gpus_per_node": 8, "gpus_per_node_basis": "data/hardware.csv, h100-sxm", "instances_per_node": 4,
        "nodes_per_replica": 1, "failure_domain": "node", "failures_covered": 1, "spare_replicas": 4,
        "whole_nodes": True,
    }  # fmt: skip
    month = data["months"][0]
    assert month["peak_gpus"] == 8 * month["peak_nodes"]
