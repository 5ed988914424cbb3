"""A plan against what came: by month, service and cause, what of the bill no plan holds, and the rest of the year."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sizebook.actuals.actual_months import OTHERS, ActualMonth
from sizebook.actuals.planned_services import PlannedServices, ServicePlan
from sizebook.actuals.variance import CAUSES, CostFactors, MonthCost, shares
from sizebook.core.errors import InputError
from sizebook.core.hints import suggestion
from sizebook.core.quantities import MONTHS_PER_YEAR
from sizebook.core.texts import text
from sizebook.plans.ledgers import month_label


@dataclass(frozen=True)
class MonthVariance:
    """A month of a service: what was planned, and what came, shared out over causes; other lines of the bill aside."""

    label: str
    service: str
    planned: float
    actual: ActualMonth
    shares: Mapping[str, float]


@dataclass(frozen=True)
class Subtotal:
    """Some months of some services together: planned, actual, and what each cause and line adds to the difference."""

    name: str
    planned: float
    actual: float
    lines: dict[str, float]

    @property
    def difference(self) -> float:
        """What came less what was planned."""
        return self.actual - self.planned


@dataclass(frozen=True)
class PlanVariance:
    """Every month and service that came, and what the year costs now that they stand for their plan."""

    name: str
    currency: str
    months: tuple[MonthVariance, ...]
    planned_total: float
    forecast_total: float
    until: str
    remarks: tuple[str, ...]

    @property
    def total(self) -> Subtotal:
        """All months and services together; the lines sum to the difference."""
        return self._subtotal(self.name, self.months)

    @property
    def by_month(self) -> list[Subtotal]:
        """The months, all services together."""
        return self._by(lambda each: each.label)

    @property
    def by_service(self) -> list[Subtotal]:
        """The services, all months together."""
        return self._by(lambda each: each.service)

    def _by(self, key: Callable[[MonthVariance], str]) -> list[Subtotal]:
        names = dict.fromkeys(key(each) for each in self.months)
        return [self._subtotal(name, [each for each in self.months if key(each) == name]) for name in names]

    def _subtotal(self, name: str, months: Sequence[MonthVariance]) -> Subtotal:
        lines = {cause: math.fsum(month.shares[cause] for month in months) for cause in CAUSES}
        if all(month.actual.busy_share is None for month in self.months):  # not 0: nobody measured it
            del lines["efficiency"]
        others = {other: math.fsum(getattr(month.actual, other) for month in months) for other in OTHERS}
        lines |= {other: value for other, value in others.items() if value}
        actual = math.fsum(month.actual.total for month in months)
        return Subtotal(name, math.fsum(month.planned for month in months), actual, lines)


def variance_of(planned: PlannedServices, name: str, actuals: Sequence[ActualMonth]) -> PlanVariance:
    """Return a plan against its actuals.

    Errors: a month after the plan's last, a service that is none of the plan's, one of a month without a row.
    """
    _check(planned, actuals)
    plans = {service.name: service for service in planned.services}
    months = tuple(
        MonthVariance(
            month_label(planned.start, each.month - 1),
            each.service,
            plans[each.service].months[each.month - 1].cost,
            each,
            shares(plans[each.service].months[each.month - 1], _actual(plans[each.service], each, planned.rates)),
        )
        for each in sorted(actuals, key=lambda each: each.month)
    )
    last = _last_month(planned, max(each.month for each in actuals))
    came = {(each.service, each.month - 1): each.total for each in actuals}
    by_plan = {(each.name, at): each.months[at].cost for each in planned.services for at in range(last)}
    forecast, until = math.fsum((by_plan | came).values()), month_label(planned.start, last - 1)
    total = math.fsum(by_plan.values())
    return PlanVariance(name, planned.currency, months, total, forecast, until, tuple(_remarks(actuals)))


def _check(planned: PlannedServices, actuals: Sequence[ActualMonth]) -> None:
    names = [service.name for service in planned.services]
    if beyond := [each.month for each in actuals if each.month > planned.n_months]:
        raise InputError(
            f"month beyond the plan: got month {beyond[0]}, want at most {planned.n_months}. Plan more months, or "
            "leave it out."
        )
    if unknown := [each.service for each in actuals if each.service not in names]:
        raise InputError(
            f"unknown service: got '{unknown[0]}', want one of {', '.join(names)}.{suggestion(unknown[0], names)}"
        )
    there = {(each.service, each.month) for each in actuals}
    for month in sorted({month for _, month in there}):
        for service in planned.services:
            if service.months[month - 1].cost and (service.name, month) not in there:
                raise InputError(
                    f"no row: got none of {service.name} in {month_label(planned.start, month - 1)}, want one for each "
                    "service that is planned then. Add it, with 0 requests if none came."
                )


def _actual(plan: ServicePlan, actual: ActualMonth, rates: Sequence[float]) -> MonthCost:
    """Return what came as factors. Without a measured share of busy time, GPU-hours beyond the estimate's are idle."""
    if not actual.requests:
        return MonthCost(actual.cost)
    work = plan.hours_for(round(actual.input_tokens), round(actual.output_tokens))
    hours, rate = actual.requests * work, actual.rate_per_usd or rates[actual.month - 1]
    busy = actual.gpu_hours * actual.busy_share if actual.busy_share else hours
    price, idle = actual.cost / actual.gpu_hours / rate, actual.gpu_hours / busy
    factors = CostFactors(actual.requests, work, busy / hours, idle=idle, price=price, currency=rate)
    return MonthCost(actual.cost, factors)


def _last_month(planned: PlannedServices, latest: int) -> int:
    """Return the last month of the calendar year of the latest that came, of a plan without one its last."""
    if planned.start is None:
        return planned.n_months
    year_end = latest + (MONTHS_PER_YEAR - (planned.start.month - 1 + latest - 1) % MONTHS_PER_YEAR - 1)
    return min(planned.n_months, year_end)


def _remarks(actuals: Sequence[ActualMonth]) -> Iterator[str]:
    if any(each.busy_share is None for each in actuals):
        yield text("busy_share is blank: GPU-hours without work include what slow GPUs cost")
    if all(each.rate_per_usd is None for each in actuals):
        yield text("rate_per_usd is blank: the planned exchange rate is taken as the actual one")
