"""Starts of replicas: how long one takes, and a fleet that follows the hours beside one of the peak."""

from dataclasses import replace
from typing import Any

import pytest

import sizebook
from sizebook.cli.serving_plan_text import replica_lines
from sizebook.core.units import usd
from sizebook.plans.serving.inputs import Latencies, ServingInputs, Target, Traffic
from sizebook.plans.serving.option_steps import start_steps
from sizebook.plans.serving.plan import plan_serving
from sizebook.plans.serving.scaling import Scaling
from sizebook.serving.quantities import Demand, Replica

ASKED: dict[str, Any] = {
    "model": "llama-3.1-70b", "gpu": "h100-sxm", "requests_per_day": 2_000_000, "months": 1, "tp": 4,
    "weight_dtype": "fp8", "input_tokens": 2000, "output_tokens": 400, "tpot_target_seconds": 0.05,
    "on_demand_usd_per_gpu_hour": 4, "reserved_usd_per_gpu_hour": 2,
}  # fmt: skip
# A day of two levels: twelve hours at one, twelve at three.
TWO = [1.0] * 12 + [3.0] * 12


def figures(**given: Any) -> dict[str, Any]:
    return dict(sizebook.serving_figures(**{**ASKED, **given}))


def test_a_replica_starts_when_its_node_has_read_its_weights() -> None:
    """72.7 GB of weights on four GPUs at 5 GB/s: 14.5 s, and two minutes."""
    found = figures()
    read = 4 * found["weight_bytes"] / 5e9
    assert read == pytest.approx(14.5, rel=0.01)
    assert found["cold_start_seconds"] == pytest.approx(read + 120)


def test_a_fast_disk_leaves_the_link_of_a_gpu() -> None:
    """18.2 GB of weights on one GPU over PCIe at 64 GB/s."""
    found = figures(load_bytes_per_second=1e12, start_seconds=0)
    assert found["cold_start_seconds"] == pytest.approx(found["weight_bytes"] / 64e9)


def test_each_rise_of_the_day_starts_replicas_that_serve_nothing_yet() -> None:
    """One rise a day: replicas of the dear hours less those of the cheap ones, 4 GPUs each, for 134.5 s on demand."""
    found = figures(shape=TWO)
    rows = sizebook.serving_ledger(**ASKED, shape=TWO)
    month = dict(zip(rows[0], rows[1], strict=True))
    added = (month["peak_gpus"] - month["reserved_gpus"]) // 4
    assert found["starts_a_day"] == added > 0
    hours = added * 4 * found["cold_start_seconds"] / 3600 * 730 / 24
    assert found["scaled_usd"] == pytest.approx(month["usd"] + hours * 4)
    assert found["fixed_usd"] == pytest.approx(month["peak_gpus"] * 730 * 2)


def test_replicas_ahead_serve_what_a_rise_adds_while_one_starts() -> None:
    """From 2,000,000 / 86,400 / 2 to three times as much within an hour: 23.15 requests/s more, 3.74 % of an hour of
    them before a replica serves, and with an hour to start all of them.
    """
    rise = 2_000_000 / 86_400
    slow = figures(shape=TWO, start_seconds=3600, load_bytes_per_second=1e15)
    seconds = slow["cold_start_seconds"]
    assert slow["ahead_replicas"] == -(-rise * seconds / 3600 // (slow["requests_per_second"] * 0.8))
    assert figures(shape=TWO)["ahead_replicas"] == 1


def test_a_flat_day_starts_none() -> None:
    found = figures()
    assert (found["starts_a_day"], found["ahead_replicas"]) == (0, 0)


def test_steps_of_starts_stand_where_a_scenario_states_them() -> None:
    """Reports keep their pages where nobody asked."""
    traffic = Traffic(requests_per_day=2_000_000.0, shape=TWO, demand=Demand(input_tokens=2000, output_tokens=400))
    asked = ServingInputs(
        traffic=traffic,
        target=Target(latencies=Latencies(tpot_target_seconds=0.05)),
        replica=Replica(tp=4, weight_dtype="fp8"),
    )
    stated = replace(asked, scaling=Scaling(start_seconds=60.0))
    steps = [start_steps(plan_serving("llama-3.1-70b", "h100-sxm", each)) for each in (asked, stated)]
    assert (len(steps[0]), len(steps[1])) == (0, 4)


def test_the_text_of_a_plan_says_what_starts_cost_where_they_are_stated() -> None:
    """The weights take 14.5 s, as above, and a minute beside: 74.5 s, which the steepest rise of an hour waits for."""
    inputs = ServingInputs(
        traffic=Traffic(requests_per_day=2_000_000.0, demand=Demand(input_tokens=2000, output_tokens=400)),
        replica=Replica(tp=4, weight_dtype="fp8"),
    )
    silent = replica_lines(plan_serving("llama-3.1-70b", "h100-sxm", inputs))
    assert not [line for line in silent if line.startswith("Start of a replica")]
    plan = plan_serving("llama-3.1-70b", "h100-sxm", replace(inputs, scaling=Scaling(start_seconds=60)))
    lines = replica_lines(plan)
    at = next(number for number, line in enumerate(lines) if line.startswith("Start of a replica"))
    assert lines[at].startswith("Start of a replica 1.24\u00a0minutes (nothing measured); ")
    assert lines[at + 1] == (
        f"{'':19}month 1 costs {usd(plan.scaled.scaled_usd)} if the fleet follows the hours, "
        f"{usd(plan.scaled.fixed_usd)} if it is as large as the peak all day"
    )
