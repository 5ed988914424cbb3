"""Replicas on spot: what an interruption takes away, and how many more of them hold what the traffic needs."""

import math
from typing import Any

import pytest

import sizebook
from sizebook.cli.serving_plan_text import replica_lines
from sizebook.core.units import percent, usd
from sizebook.plans.serving import spot_replicas
from sizebook.plans.serving.inputs import ServingInputs, Traffic
from sizebook.plans.serving.interruptions import Interruptions
from sizebook.plans.serving.option_steps import interruption_steps
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.plans.serving.spot_replicas import held_by
from sizebook.serving.quantities import Demand, Replica

ASKED: dict[str, Any] = {
    "model": "llama-3.1-70b", "gpu": "h100-sxm", "requests_per_day": 2_000_000, "months": 1, "tp": 8,
    "weight_dtype": "fp8", "input_tokens": 2000, "output_tokens": 400, "tpot_target_seconds": 0.05,
    "on_demand_usd_per_gpu_hour": 4, "reserved_usd_per_gpu_hour": 2, "spot_usd_per_gpu_hour": 1.5,
}  # fmt: skip


def figures(**given: Any) -> dict[str, Any]:
    return dict(sizebook.serving_figures(**{**ASKED, **given}))


def planned(**given: Any) -> ServingPlan:
    traffic = Traffic(requests_per_day=2_000_000.0, demand=Demand(input_tokens=2000, output_tokens=400))
    replica = Replica(tp=8, weight_dtype="fp8")
    return plan_serving(
        "llama-3.1-70b",
        "h100-sxm",
        ServingInputs(traffic=traffic, replica=replica, interruptions=Interruptions(**given)),
    )


def test_a_replica_is_away_while_another_node_comes_and_starts() -> None:
    """600 s for a node, the start of a replica, less what of a notice of 120 s is longer than a request stays."""
    found = figures(interruptions_per_hour=0.1, replacement_seconds=600, notice_seconds=120)
    stay = found["ttft_seconds"] + 399 * found["tpot_seconds"]
    assert 0 < stay < 120
    away = 600 + found["cold_start_seconds"] - (120 - stay)
    assert found["away_seconds"] == pytest.approx(away)
    assert found["up_share"] == pytest.approx(1 / (1 + 0.1 / 3600 * away))
    assert found["broken_share"] == 0


def test_requests_longer_than_the_notice_are_broken_off() -> None:
    """Those that came within a stay less the notice before the node goes: rate x (stay - notice)."""
    found = figures(interruptions_per_hour=0.5, notice_seconds=2)
    stay = found["ttft_seconds"] + 399 * found["tpot_seconds"]
    assert found["broken_share"] == pytest.approx(0.5 / 3600 * (stay - 2))
    assert found["away_seconds"] == pytest.approx(300 + found["cold_start_seconds"])


def test_the_fewest_nodes_hold_what_is_needed() -> None:
    """Four of which each serves 90 %: 65.6, 91.9, 98.4 and 99.7 % of the time four, five, six and seven hold four."""
    replica = planned().replica
    assert replica.packing.lost_with("node") == 1
    chances = [sum(math.comb(n, k) * 0.9**k * 0.1 ** (n - k) for k in range(4, n + 1)) for n in (4, 5, 6, 7)]
    assert [round(chance, 3) for chance in chances] == [0.656, 0.919, 0.984, 0.997]
    held = [held_by(4, replica, 0.9, share) for share in (0.6, 0.9, 0.98, 0.99)]
    assert held == [4, 5, 6, 7]
    assert held_by(4, replica, 1.0, 0.9999) == 4
    assert held_by(0, replica, 0.5, 0.9) == 0


def test_replicas_that_share_a_node_go_together() -> None:
    """Two of tp 4 on a node: five replicas stand on three nodes, and one more node holds them with two more."""
    traffic = Traffic(requests_per_day=2_000_000.0, demand=Demand(input_tokens=2000, output_tokens=400))
    asked = ServingInputs(traffic=traffic, replica=Replica(tp=4, weight_dtype="fp8"))
    replica: PlannedReplica = plan_serving("llama-3.1-70b", "h100-sxm", asked).replica
    three = 0.99**3
    four = 0.99**4 + 4 * 0.99**3 * 0.01
    assert three < 0.98 < four
    assert held_by(5, replica, 0.99, 0.98) == 7


def test_no_interruption_changes_nothing_but_the_price() -> None:
    found = figures()
    rows = sizebook.serving_ledger(**ASKED)
    month = dict(zip(rows[0], rows[1], strict=True))
    assert (found["spot_spares"], found["up_share"], found["broken_share"]) == (0, 1, 0)
    assert found["spot_usd"] == pytest.approx(month["peak_gpus"] * 730 * 1.5)
    often = figures(interruptions_per_hour=1)
    assert often["spot_spares"] > 0
    gpus = month["peak_gpus"] + often["spot_spares"] * 8
    assert often["spot_usd"] == pytest.approx(gpus * 730 * 1.5)


def test_steps_stand_where_a_scenario_says_that_nodes_are_taken_back() -> None:
    assert interruption_steps(planned()) == ()
    steps = interruption_steps(planned(interruptions_per_hour=0.2))
    assert [step.label for step in steps] == [
        "Replica out, an interruption", "Time that a spot replica serves", "Requests broken off",
        "Extra spot replicas at the peak",
    ]  # fmt: skip
    assert all("nothing measured" in str(step.source) for step in steps)


def test_a_fleet_of_any_size_is_worked_out_at_once() -> None:
    """Of 200,000 units that each serve 98 %, 3.0902 deviations fewer than the mean are up 99.9 % of the time."""
    replica = planned().replica
    needed = round(200_000 * 0.98 - 3.0902 * math.sqrt(200_000 * 0.98 * 0.02))
    assert held_by(needed, replica, 0.98, 0.999) == pytest.approx(200_000, abs=2)
    assert held_by(1500, replica, 0.99, 1 - 1e-12) == 1550
    assert held_by(1, replica, 0.99, 0.99) == 1


def test_hours_alike_are_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flat day has 24 hours that need the same replicas."""
    plan, asked = planned(interruptions_per_hour=0.2), []
    monkeypatch.setattr(spot_replicas, "held_by", lambda needed, *_: asked.append(needed) or needed)
    assert spot_replicas.spot_replicas(plan.replica, plan.inputs).spot_spares == 0
    assert len(asked) == 1


def test_the_text_of_a_plan_says_what_a_fleet_on_spot_comes_to() -> None:
    plan = planned(interruptions_per_hour=0.2, spot_usd_per_gpu_hour=1.5)
    spot, lines = plan.on_spot, replica_lines(plan)
    at = next(number for number, line in enumerate(lines) if line.startswith("On spot"))
    assert lines[at : at + 2] == [
        f"On spot            each replica serves {percent(spot.up_share)} of the time (nothing measured), so "
        f"{spot.spot_spares} more at the peak; {percent(spot.broken_share)} of requests break off",
        f"{'':19}month 1 costs {usd(spot.spot_usd or 0)} with every replica on spot",
    ]
    assert not [line for line in replica_lines(planned()) if line.startswith("On spot")]
