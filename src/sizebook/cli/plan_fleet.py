"""`sizebook plan fleet` prints a fleet plan: GPUs, nodes, racks and power by month, money, energy and carbon."""

import math
from dataclasses import asdict
from typing import Any

import click

from sizebook.cli.plan_printing import ScenarioFile, plan_options, print_plan
from sizebook.cli.purchase_lines import alternative_lines, contract_lines
from sizebook.cli.text_tables import ledger_table
from sizebook.core.sections import flat
from sizebook.core.texts import range_text
from sizebook.core.units import NOT_LISTED, energy, mass, measure, number_of, significant, thousands, usd
from sizebook.plans.fleet.figures import contracts
from sizebook.plans.fleet.months import FleetMonth, ServiceMonth
from sizebook.plans.fleet.node_groups import NodeGroup
from sizebook.plans.fleet.periods import QUARTER, YEAR, periods
from sizebook.plans.fleet.plan import FleetPlan, PlannedService
from sizebook.plans.fleet.remarks import exceeded, warnings
from sizebook.plans.fleet.steps import derivations
from sizebook.plans.ledgers import headline_months, total_usd, usd_range
from sizebook.scenarios.fleet import FleetScenario, plan_fleet_scenario


@click.command("fleet")
@plan_options
def plan_fleet(scenario: ScenarioFile, as_json: bool, explained: bool) -> None:
    """Print the plan of several services over 1 to 60 months, from a scenario file."""
    checked = scenario.read(FleetScenario, "fleet")
    plan = plan_fleet_scenario(checked)
    print_plan(
        plan,
        checked.money,
        as_json,
        data=lambda: as_data(plan),
        text=lambda: as_text(plan),
        steps=derivations(plan) if explained else (),
    )


def as_data(plan: FleetPlan) -> dict[str, Any]:
    """Return the plan as plain data: GPUs, USD, kWh and kilograms; bands come from measured throughput."""
    fewest, most, cost = plan.fewest, plan.most, usd_range(plan)
    return {
        "services": [_service(plan, each) for each in plan.services],
        "months": [_month(plan, number, month) for number, month in enumerate(plan.months)],
        "band": {
            "peak_gpus_first_month": [each[0].peak_gpus for each in (fewest, most)],
            "peak_gpus_last_month": [each[-1].peak_gpus for each in (fewest, most)],
            "usd": [cost.low, cost.high],
            "price_share": cost.price_share,
        },
        "usd": total_usd(plan.months),
        "energy_kwh": sum(month.energy_kwh for month in plan.months),
        "co2e_kg": sum(month.co2e_kg for month in plan.months),
        "quarters": [flat(each) for each in periods(plan.months, QUARTER)],
        "years": [flat(each) for each in periods(plan.months, YEAR)],
        "nodes": [_stand(each) for each in plan.node_groups],
        "exceeded": [{**asdict(each), "month": plan.label(each.month)} for each in exceeded(plan)],
        "commitments": flat(contracts(plan)),
        "contracts": [{"services": of, **asdict(each), "usd": each.usd} for of, each in plan.contracts],
        "alternatives": [flat(each) for each in plan.alternative_months],
        "figures": flat(plan.alternatives),
        "busy": flat(plan.terms.busy),
        "warnings": list(warnings(plan)),
    }


def _service(plan: FleetPlan, planned: PlannedService) -> dict[str, Any]:
    service, replica, packing = planned.service, planned.replica, planned.replica.packing
    return {
        "name": service.name,
        "model": service.model,
        "setup": {"gpu": replica.setup.gpu, **flat(service.replica), "gpus": replica.gpus},
        "rates_basis": replica.rates_basis,
        "release_basis": replica.release_basis,
        "replica": {
            "concurrency": replica.concurrency,
            "capacity": replica.capacity,
            "binding": replica.binding,
            "requests_per_second": replica.requests_per_second,
            "workers": replica.layout,
            "transfer_seconds": replica.transfer_seconds,
        },
        "nodes": {
            "gpus_per_node": packing.gpus_per_node,
            "gpus_per_node_basis": packing.basis,
            "instances_per_node": packing.instances_per_node,
            "nodes_per_replica": packing.nodes_per_replica,
            "spare_replicas": plan.terms.margins.spare_replicas(packing),
            "whole_nodes": plan.terms.margins.whole_nodes,
        },
        "prices": asdict(planned.rates),
        "months": [_month(plan, number, month) for number, month in enumerate(planned.months)],
    }


def _stand(stand: NodeGroup) -> dict[str, Any]:
    return {**asdict(stand), "names": list(stand.names)}


def _month(plan: FleetPlan, number: int, month: FleetMonth | ServiceMonth) -> dict[str, Any]:
    return {"month": plan.label(number), **flat(month)}


def as_text(plan: FleetPlan) -> list[str]:
    """Return the plan as lines."""
    return [
        *_headline(plan),
        *warnings(plan),
        "",
        *_services(plan),
        *_stands(plan),
        "",
        *_months(plan),
        "",
        *contract_lines(plan.contracts, contracts(plan), plan.terms.start),
        "",
        *_years(plan),
        *alternative_lines(plan.alternative_months, plan.alternatives, plan.alternatives.sentences),
    ]


def _headline(plan: FleetPlan) -> list[str]:
    fewest, most, months = plan.fewest, plan.most, plan.months
    lines = []
    for number in headline_months([month.peak_gpus for month in months]):
        peak = range_text(*(str(each[number].peak_gpus) for each in (fewest, most)))
        lines.append(f"GPUs at peak  {months[number].peak_gpus} in {plan.label(number)} ({peak})")
    last, kw = months[-1], max(month.site_kw for month in months)
    return [
        *lines,
        f"Cost          {_cost(plan)}",
        f"Nodes         {last.nodes} in {plan.label(len(months) - 1)} ({last.own_nodes} if none are shared), "
        f"{number_of(last.racks, 'rack')}; {'power not listed' if math.isnan(kw) else f'{thousands(kw)} kW at most'}",
        f"Energy        {_energy(plan)}",
        "In eight of ten cases the number of GPUs lies within its range, which moves all services together.",
    ]


def _cost(plan: FleetPlan) -> str:
    total, found = total_usd(plan.months), usd_range(plan)
    if math.isnan(total):
        return NOT_LISTED
    reserved = sum(month.reserved_usd for month in plan.months)
    over = number_of(len(plan.months), "month")
    return f"{usd(total)} over {over} ({range_text(usd(found.low), usd(found.high))}), {usd(reserved)} of it reserved"


def _energy(plan: FleetPlan) -> str:
    kwh, kg = (sum(getattr(month, name) for month in plan.months) for name in ("energy_kwh", "co2e_kg"))
    return NOT_LISTED if math.isnan(kwh) else f"{energy(kwh)}, {mass(kg)} of CO2e"


def _services(plan: FleetPlan) -> list[str]:
    lines = []
    for each in plan.services:
        setup, replica, packing = each.service.replica, each.replica, each.replica.packing
        holds = f"a node of {packing.gpus_per_node} GPUs has room for {packing.instances_per_node}"
        if not packing.instances_per_node:
            holds = f"each takes {number_of(packing.nodes_per_replica, 'node')} of {packing.gpus_per_node} GPUs"
        first, last = each.months[0].peak_gpus, each.months[-1].peak_gpus
        lines += [
            f"{each.service.name}: {each.service.model} on {replica.setup.gpu}, {setup.engine}, "
            f"{setup.weight_dtype or 'own format'}, {replica.layout}",
            f"  replica     {number_of(replica.concurrency, 'request')} at once ({replica.capacity} fit), "
            f"{significant(replica.requests_per_second, 3)} requests a second; {holds}",
            f"  GPUs        {first} at peak in {plan.label(0)}, {last} in {plan.label(len(plan.months) - 1)}; "
            f"{_runs(plan, each)}",
            f"  speed basis {replica.rates_basis}",
            *([f"  release     {replica.release_basis}"] if setup.release else []),
            f"  cost        {usd(total_usd(each.months))} over {number_of(len(plan.months), 'month')}",
        ]
    paid = "Whole nodes" if plan.terms.margins.whole_nodes else "Replicas, not whole nodes,"
    shared = (
        "Services on the same hardware share nodes." if plan.terms.racks.share_nodes else "No service shares nodes."
    )
    return [*lines, f"{paid} are paid for. {shared}"]


def _runs(plan: FleetPlan, each: PlannedService) -> str:
    if not each.busy_months:
        return "never runs"
    moves = each.service.running.replacement.replaced_by
    first, last = (plan.label(each.busy_months[at]) for at in (0, -1))
    return f"runs from {first} to {last}{f', then as {moves}' if moves else ''}"


def _stands(plan: FleetPlan) -> list[str]:
    return [
        f"{each.gpu}{' at ' + each.place if each.place else ''}: {number_of(each.nodes[-1], 'node')} "
        f"({each.own_nodes[-1]} if not shared), {each.nodes_per_rack} in a rack; each draws "
        f"{measure(each.node.kw)} kW at most and serves {', '.join(each.names)}"
        for each in plan.node_groups
    ]


_SITE = {"Nodes": "nodes", "Racks": "racks", "kW": "site_kw"}
_OUTPUT = {"kWh": "energy_kwh", "kgCO2e": "co2e_kg"}
_GPUS = {"Peak": "peak_gpus", "Mean": "mean_gpus", "Reserved": "reserved_gpus"}
_MONTH = {**_GPUS, **_SITE, "Reserved USD": "reserved_usd", "On demand USD": "burst_usd", **_OUTPUT}
_YEAR = {"Months": "months", "Most GPUs": "peak_gpus", **_SITE, "USD": "usd", **_OUTPUT}


def _months(plan: FleetPlan) -> list[str]:
    return ledger_table("Month", _MONTH, ((plan.label(at), month) for at, month in enumerate(plan.months)))


def _years(plan: FleetPlan) -> list[str]:
    return ledger_table("Year", _YEAR, ((each.period, each) for each in periods(plan.months, YEAR)))
