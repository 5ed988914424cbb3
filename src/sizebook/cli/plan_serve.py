"""`sizebook plan serve` prints a serving plan: replicas, GPUs, latency with its band, cost, energy and carbon."""

import math
from dataclasses import asdict
from typing import Any

import click

from sizebook.cli.options import refuse_without_effect
from sizebook.cli.plan_printing import ScenarioFile, plan_options, print_plan
from sizebook.cli.serving_plan_text import as_text
from sizebook.core.errors import InputError
from sizebook.core.sections import flat
from sizebook.core.units import duration, grouped, number_of
from sizebook.plans.ledgers import month_range, total_usd, usd_range
from sizebook.plans.serving.backwards import GIVEN, MostServed, as_models, most_served
from sizebook.plans.serving.choice import Choices
from sizebook.plans.serving.curves import latency_curve
from sizebook.plans.serving.engine_command import command, unsaid, written_for
from sizebook.plans.serving.figures import figures
from sizebook.plans.serving.lengths import Histogram
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.remarks import warnings
from sizebook.plans.serving.steps import derivations
from sizebook.plans.serving.tenants import in_cents
from sizebook.scenarios.serving import ServingResult, ServingScenario, plan_serving_scenario
from sizebook.serving.load import SEED
from sizebook.serving.traffic_quantities import PERCENTILES, share_of


@click.command("serve")
@plan_options
@click.option(
    "--given",
    metavar="WHAT=AMOUNT",
    help=f"Also print how much traffic this is enough for: {', '.join(GIVEN)}, such as usd_per_month=50000.",
)
@click.option(
    "--models", default="", metavar="A,B", help="With --given: print the largest of these models that it is enough for."
)
def plan_serve(scenario: ScenarioFile, as_json: bool, explained: bool, given: str | None, models: str) -> None:
    """Print the serving plan of a scenario file."""
    refuse_without_effect("without --given", models="" if given else models)
    checked = scenario.read(ServingScenario, "serving")
    found = plan_serving_scenario(checked)
    most = _most_served(found.plan, given, models) if given else None
    print_plan(
        found,
        checked.money,
        as_json,
        data=lambda: as_data(found) | ({"backwards": flat(most)} if most else {}),
        text=lambda: [*as_text(found), *(backwards_lines(most, str(given)) if most else [])],
        steps=derivations(found.plan) if explained else (),
    )


def _most_served(plan: ServingPlan, given: str, models: str) -> MostServed:
    """Return the most that is had of ``WHAT=AMOUNT``."""
    what, _, amount = given.partition("=")
    try:
        limit = float(amount)
    except ValueError:
        limit = -1.0
    if what not in GIVEN or not limit > 0:
        raise InputError(
            f"not given: got '{given}', want one of {', '.join(GIVEN)} with an amount above 0. Write "
            "usd_per_month=50000."
        )
    return most_served(plan, what, limit, models=as_models(models))


def backwards_lines(found: MostServed, given: str) -> list[str]:
    """Return the traffic, latency and model that what is given is enough for, as lines."""
    what, _, amount = given.partition("=")
    side, next_number = ("least", "fewer") if what == "usd_per_mtok" else ("most", "more")
    verb = "cost" if what.startswith("usd") else "take"
    taken = f"That {verb}s {found.taken:,.6g} {GIVEN[what]}"
    if found.taken_with_one_more is not None:
        taken += f"; one replica {next_number} would {verb} {found.taken_with_one_more:,.6g}"
    lines = [
        "",
        f"Given              {amount} {GIVEN[what]}",
        f"Traffic            {grouped(math.floor(found.requests_per_day))} requests a day at {side}, on "
        f"{number_of(found.replicas, 'replica')}. {taken}.",
    ]
    if found.tpot_seconds is not None and found.ttft_seconds is not None:
        lines.append(
            f"Latency            For the traffic of the plan at best TTFT {duration(found.ttft_seconds)} and TPOT "
            f"{duration(found.tpot_seconds)}, with {number_of(found.concurrency or 0, 'request')} at a time on each "
            "replica."
        )
    lines += [f"Largest model      {found.largest_model}"] if found.largest_model else []
    return [*lines, *([f"To know            {found.reason}"] if found.reason else [])]


def as_data(found: ServingResult) -> dict[str, Any]:
    """Return the plan as plain data: bytes, seconds, USD, kWh and kilograms."""
    plan = found.plan
    replica = plan.replica
    cost = usd_range(plan)
    knee, setup, asked = replica.at_knee, replica.setup, plan.traffic.mean_demand
    shares = plan.inputs.tenants.shares
    return {
        "model": plan.model,
        "notes": list(plan.notes),
        "warnings": list(warnings(plan)),
        "context_tokens": plan.context_tokens,
        "setup": {"gpu": setup.gpu, **flat(setup.replica), "gpus": replica.gpus},
        "command": command(plan),
        "command_unsaid": list(unsaid(plan)),
        "command_written_for": written_for(plan),
        "rates_basis": replica.rates_basis,
        "release_basis": replica.release_basis,
        "memory_per_gpu": asdict(replica.memory),
        "replica": {
            "concurrency": replica.concurrency,
            "capacity": replica.capacity,
            "binding": replica.binding,
            "requests_per_second": replica.requests_per_second,
            "ttft_seconds": _banded(knee.ttft_seconds, replica.bands["ttft"]),
            "tpot_seconds": _banded(knee.tpot_seconds, replica.bands["tpot"]),
            "tokens_per_second": _banded(knee.tokens_per_second, replica.bands["throughput"]),
        },
        "requests": _requests(plan),
        "token_lengths": {
            "input": _lengths(asked.input_tokens, plan.traffic.lengths.prompts, plan.traffic.longest[0]),
            "output": _lengths(asked.output_tokens, plan.traffic.lengths.answers, plan.traffic.longest[1]),
            "reserved_tokens": replica.held_tokens,
        },
        "nodes": _nodes(plan),
        "latency_curve": [flat(each) for each in latency_curve(replica)],
        "usd": total_usd(plan.months),
        "band": {"usd": [cost.low, cost.high], "price_share": cost.price_share},
        "usd_per_mtok": plan.usd_per_mtok,
        "usd_per_mtok_output_saturated": plan.usd_per_mtok_saturated,
        "prices": asdict(plan.rates),
        "figures": flat(figures(plan)),
        "tenants": list(in_cents(total_usd(plan.months), [total_usd(plan.months) * each for each in shares])),
        "contracts": [{**asdict(each), "usd": each.usd} for each in plan.portfolio.contracts],
        "alternatives": [flat(each) for each in plan.alternative_months],
        "volumes": [flat(each) for each in plan.volumes],
        "months": [_month(plan, at) for at in range(len(plan.months))],
        "choices": _choices(found.choices),
    }


def _month(plan: ServingPlan, at: int) -> dict[str, Any]:
    """Return one month as plain data: its figures, its hours, and both ends of its band."""
    month, few, most, cost = plan.months[at], plan.fewest[at], plan.most[at], month_range(plan, at)
    return {
        **asdict(month),
        "band": {"peak_gpus": [few.peak_gpus, most.peak_gpus], "usd": [cost.low, cost.high]},
    }


def _requests(plan: ServingPlan) -> dict[str, Any] | None:
    """Return the latency percentiles of simulated requests as plain data; None if no target names a percentile."""
    loaded = plan.replica.loaded
    if loaded is None:
        return None
    served = loaded.served
    return {
        "arrivals": plan.arrivals,
        "seed": SEED,
        "simulated": len(served.request),
        "requests_per_second": loaded.requests_per_second,
        "in_flight": served.in_flight,
        **{
            f"{latency}_seconds": {name: served.seconds(latency, share_of(name)) for name in PERCENTILES}
            for latency in ("ttft", "tpot", "request")
        },
    }


def _banded(value: Any, band: Any) -> dict[str, float | str]:
    ends = {"p10": float(value) * band.low, "p90": float(value) * band.high}
    return {"value": float(value), **ends, "basis": band.basis}


def _lengths(mean: int, lengths: Histogram | None, p95: int | None) -> dict[str, float | int | None]:
    if lengths is None:
        return {"mean": mean, "p50": None, "p95": p95}
    return {"mean": lengths.mean, "p50": lengths.percentile(0.5), "p95": lengths.percentile(0.95)}


def _nodes(plan: ServingPlan) -> dict[str, Any]:
    packing, target = plan.replica.packing, plan.inputs.target.margins
    return {
        "gpus_per_node": packing.gpus_per_node,
        "gpus_per_node_basis": packing.basis,
        "instances_per_node": packing.instances_per_node,
        "nodes_per_replica": packing.nodes_per_replica,
        "failure_domain": target.failure_domain,
        "failures_covered": target.spare,
        "spare_replicas": target.spare_replicas(packing),
        "whole_nodes": target.whole_nodes,
    }


def _choices(choices: Choices | None) -> dict[str, Any] | None:
    if choices is None:
        return None
    ranked = [
        {
            "gpu": choice.plan.replica.setup.gpu,
            **flat(choice.plan.replica.setup.replica),
            "usd_per_month": choice.usd_per_month,
            "tpot_seconds": choice.tpot_seconds,
            "ttft_seconds": float(choice.plan.replica.at_knee.ttft_seconds),
            "pareto": choice.on_front,
        }
        for choice in choices.ranked
    ]
    return {"ranked": ranked, "failed": dict(choices.failed)}
