"""Fleets that are refused: one name twice, a service that ends before it begins, and two prices for one node."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.sections import flat
from sizebook.plans.fleet.alternatives import Pool
from sizebook.plans.fleet.inputs import MOST_SERVICES, FleetInputs
from sizebook.plans.fleet.months import ServiceLoad


def check(inputs: FleetInputs) -> None:
    """Refuse services that nobody can tell apart, too many of them, and those that end before they begin."""
    names = [service.name for service in inputs.service]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise InputError(f"name twice: got '{twice[0]}' for two services, want each its own. Rename one.")
    if len(names) > MOST_SERVICES:
        raise InputError(f"too many services: got {len(names)}, want at most {MOST_SERVICES}. Split the plan.")
    for service in inputs.service:
        first, last = service.running.start_month, service.running.end_month
        if last is not None and last < first:
            raise InputError(
                f"{service.name}: ends before it begins: got end_month {last} with start_month {first}, want the end "
                "not before the start. Change one."
            )
    for key in ("capex_usd", "api_provider"):
        _of_all(key, {service.name: flat(service)[key] for service in inputs.service})


def _of_all(key: str, by_name: Mapping[str, float | str | None]) -> None:
    """Refuse what some services are compared with and others are not."""
    stated, blank = ([name for name, value in by_name.items() if (value is None) == none] for none in (False, True))
    if stated and blank:
        raise InputError(
            f"{key} of some services: got one for {stated[0]} and none for {blank[0]}, want one for each. State it for "
            "all, or for none."
        )


def check_bought(services: Sequence[ServiceLoad], pools: Sequence[Pool]) -> None:
    """Refuse services that buy nodes together on different terms."""
    for pool in pools:
        _check_same(services, pool.members, lambda each: flat(each.service.owned))


def check_prices(services: Sequence[ServiceLoad], found: Sequence[tuple[int, ...]]) -> None:
    """Refuse services that share whole nodes at different prices: a node is bought once."""
    for members in found:
        _check_same(services, members, _of_a_node)


def _check_same(
    services: Sequence[ServiceLoad], members: Sequence[int], of: Callable[[ServiceLoad], Mapping[str, Any]]
) -> None:
    first = services[members[0]]
    for other in (services[at] for at in members[1:]):
        for (key, one), two in zip(of(first).items(), of(other).values(), strict=True):
            if one != two and (one == one or two == two):  # NaN: not listed
                raise InputError(
                    f"two values of {key}: got {_shown(one)} for {first.service.name} and {_shown(two)} for "
                    f"{other.service.name}, which buy whole nodes of {first.replica.setup.gpu} together, want one. "
                    "State the same for both, or give one a region of its own."
                )


def _of_a_node(each: ServiceLoad) -> dict[str, float | str]:
    """Return what is asked of a node and agreed for it, by the key that states it."""
    rates, terms = each.rates, each.service.commitments
    return {
        "sign_terms": terms.sign_terms,
        "prepay": terms.prepay,
        "reserved_usd_per_gpu_hour": rates.reserved_usd,
        "reserved_3y_usd_per_gpu_hour": rates.reserved_3y_usd,
        "on_demand_usd_per_gpu_hour": rates.on_demand_usd,
        "price_change_per_month": rates.change,
    }


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else f"{value:g}"
