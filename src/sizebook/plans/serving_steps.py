"""How each headline figure of a serving plan came about: the first month, in its busiest hour where hours differ."""

from __future__ import annotations

from sizebook.derivation import Step
from sizebook.formulas.serving_traffic import HOURS_PER_MONTH
from sizebook.plans.serving import Replica, ServingPlan
from sizebook.plans.traffic import arrivals_by_hour
from sizebook.units import grouped, significant

CALIBRATION = "pass model of the engine, rates of data/calibration_serving.csv"
LITTLE = "Little 1961, L = lambda W"


def derivations(plan: ServingPlan) -> tuple[Step, ...]:
    """Return the derivation of capacity, rate, fleet, money and energy, in the order in which one follows another."""
    traffic = plan.traffic
    return (*_replica(plan.replica, traffic.longest_tokens, traffic.output_tokens), *_fleet(plan), *_money(plan))


def _replica(replica: Replica, longest: int, output_tokens: int) -> tuple[Step, ...]:
    memory, knee, setup = replica.memory, replica.at_knee, replica.setup
    gib = [
        f"{float(size) / 2**30:.2f}"
        for size in (memory.allowed_bytes, memory.weight_bytes, memory.activation_bytes, memory.non_torch_bytes)
    ]
    at_load, in_flight = "estimate at the planned load", f"{replica.concurrency} in flight"
    ttft, tpot = float(knee.ttft_seconds), float(knee.tpot_seconds)
    return (
        Step(
            "Cache of one GPU",
            "allowed - weights - activation peak - driver and communication",
            f"{' - '.join(gib)} GiB",
            float(memory.cache_bytes),
            "bytes",
            f"data/engines.csv, {setup.engine}; memory that the driver leaves: data/hardware.csv, {setup.gpu}",
        ),
        Step(
            "Requests that the cache holds",
            "whole sequences in the cache of a rank * dp",
            f"sequences of {grouped(longest)} tokens",
            replica.capacity,
            "requests",
            "cache layout of the model's attention",
        ),
        Step("Time to first token", at_load, in_flight, ttft, "seconds", CALIBRATION),
        Step("Time per token", at_load, in_flight, tpot, "seconds", CALIBRATION),
        Step(
            "Rate of one replica",
            "in flight / (TTFT + (output tokens - 1) * TPOT)",
            f"{replica.concurrency} / ({significant(ttft, 4)} + {output_tokens - 1} * {significant(tpot, 4)})",
            replica.requests_per_second,
            "requests/s",
            LITTLE,
        ),
    )


def _fleet(plan: ServingPlan) -> tuple[Step, ...]:
    month, target, replica = plan.months[0], plan.target, plan.replica
    busiest = max(arrivals_by_hour(plan.traffic))
    rate = significant(replica.requests_per_second, 4)
    replicas = max(month.replicas_by_hour)
    return (
        Step(
            "Replicas in the busiest hour",
            "ceil(arrivals / (rate * target load)) + spare",
            f"ceil({significant(busiest, 4)} / ({rate} * {target.target_load:g})) + {target.spare}",
            replicas,
            "replicas",
            "definition; peak factor in the arrivals",
        ),
        Step(
            "GPUs in the busiest hour",
            "replicas * GPUs of a replica",
            f"{replicas} * {replica.setup.gpus}",
            month.peak_gpus,
            "GPUs",
            "definition",
        ),
    )


def _money(plan: ServingPlan) -> tuple[Step, ...]:
    month, prices = plan.months[0], plan.prices
    reserved = month.reserved_gpus * HOURS_PER_MONTH
    other = month.gpu_hours - reserved
    mean_watts = month.energy_kwh * 1000 / (month.gpu_hours * prices.pue)
    return (
        Step(
            "Cost a month",
            "reserved GPU-hours * price + other GPU-hours * price",
            f"{grouped(reserved)} * {prices.reserved_usd:g} + {grouped(other)} * {prices.on_demand_usd:g}",
            month.usd,
            "USD",
            prices.basis,
        ),
        Step(
            "Energy a month",
            "GPU-hours * mean watts * PUE / 1000",
            f"{grouped(month.gpu_hours)} * {significant(mean_watts, 4)} * {prices.pue:g} / 1000",
            month.energy_kwh,
            "kWh",
            "wall power over TDP, busy and idle: MLPerf Inference v5.1 power submission",
        ),
        Step(
            "Emissions a month, location-based",
            "kWh * g/kWh / 1000",
            f"{grouped(month.energy_kwh)} * {prices.grams_per_kwh:g} / 1000",
            month.co2e_kg,
            "kgCO2e",
            prices.grid_basis,
        ),
    )
