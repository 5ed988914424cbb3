"""Services that others replace: from a month on the requests of one come to the replicas of another.

Requests move as they are, with their growth and season; each then has the tokens, the busiest hour and the accelerator
of the service that takes over. What came to a service from others moves on with its own.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sizebook.core.errors import InputError, named
from sizebook.core.hints import unknown_key
from sizebook.core.quantities import DAYS_PER_MONTH
from sizebook.plans.fleet.inputs import FleetTerms, Running, Service, ServiceTraffic
from sizebook.plans.fleet.months import users_days
from sizebook.plans.serving.traffic_by_month import Course, DemandByMonth


def with_moved_requests(services: Sequence[Service], terms: FleetTerms) -> tuple[Service, ...]:
    """Return services with the requests a day, month by month, that come to each from those that it replaces.

    Errors: a name that no service bears, a month outside the plan or the service's own, another service that does not
    run then or ends before the plan, and a service to which no requests come at all.
    """
    own = {each.name: users_days(each, terms) for each in services}
    moved = {each.name: [0.0] * terms.months for each in services}
    for each, month, other in _replacements(services, terms):
        for at in range(month - 1, terms.months):
            moved[other.name][at] += own[each.name][at] + moved[each.name][at]
            moved[each.name][at] = 0.0
    found = []
    for each in services:
        with named(each.name):
            _check_traffic(each, replaces=any(moved[each.name]))
        found.append(replace(each, moved=tuple(moved[each.name])) if any(moved[each.name]) else each)
    return tuple(found)


def with_months_as_values(service: Service, days: Sequence[float]) -> Service:
    """Return a service to or from which requests move as one with a table of its months, for a workbook.

    One that is only replaced keeps its own course, to the month before.
    """
    busy = [month for month, day in enumerate(days, 1) if day]
    running = Running(start_month=busy[0], end_month=None if busy[-1] == len(days) else busy[-1])
    if not service.moved:
        return replace(service, running=running)
    table = [(month if at else 1, days[month - 1] * DAYS_PER_MONTH) for at, month in enumerate(busy)]
    traffic = ServiceTraffic(demand=service.traffic.demand, peak_factor=service.peak)
    demand = DemandByMonth(course=Course(monthly_requests=tuple(table)))
    return replace(service, traffic=traffic, running=running, demand=demand, moved=())


def _replacements(services: Sequence[Service], terms: FleetTerms) -> Iterator[tuple[Service, int, Service]]:
    """Yield which service is replaced, from which month on and by which other, in the order of months.

    Nothing moves in a circle: whoever takes over runs on, so each move of the same requests comes later than the last.
    """
    by_name, found = {each.name: each for each in services}, []
    for each in services:
        name, month = each.running.replacement.replaced_by, each.running.replacement.replaced_month
        if name is not None and month is not None:
            with named(each.name):
                if name not in by_name:
                    raise unknown_key("service", name, by_name, where="the name of another service of the plan")
                _check_months(each, month, by_name[name], terms=terms)
            found.append((each, month, by_name[name]))
    yield from sorted(found, key=lambda move: move[1])


def _check_months(each: Service, month: int, other: Service, terms: FleetTerms) -> None:
    """Refuse a month in which the one does not run any more or not yet, or the other does not run on."""
    if each.running.end_month is not None:
        raise InputError(
            f"end given twice: got end_month {each.running.end_month} and replaced_month {month}, want one of them. "
            "Requests that move do not end: remove end_month."
        )
    if not each.running.start_month < month <= terms.months:
        raise InputError(
            f"replaced_month out of range: got {month}, want a month after the service's first, "
            f"{each.running.start_month}, and up to the plan's last, {terms.months}. Correct it."
        )
    first, last = other.running.start_month, other.running.last(terms.months)
    goes_on = last == terms.months or other.running.replacement.replaced_by is not None
    if not (first <= month <= last and goes_on):
        raise InputError(
            f"replacement not running: got {other.name}, which runs from month {first} to {last}, want a service that "
            f"runs in replaced_month {month}, and to the plan's end or until it is replaced itself. Correct one."
        )


def _check_traffic(each: Service, *, replaces: bool) -> None:
    """Refuse a service to which no requests come, and what changes requests that it does not have."""
    if each.demand.ways(each.traffic):
        return
    if not replaces:
        each.demand.check(each.traffic)
    traffic, course = each.traffic, each.demand.course
    if traffic.growth_per_month or course.season is not None:
        raise InputError(
            "no effect: got growth_per_month or season and no requests of its own, want requests with them. "
            "Requests that move keep their growth and season: remove these."
        )
