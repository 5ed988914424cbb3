"""How traffic, GPUs under contract and prices of a month came about, in plans of one service and of several."""

from datetime import date

from sizebook.core.derivation import Step
from sizebook.core.quantities import DAYS_PER_MONTH
from sizebook.core.texts import text
from sizebook.core.units import grouped, measure, significant
from sizebook.plans.serving.rates import GIVEN, Rates
from sizebook.plans.serving.traffic_by_month import Arrivals, DemandByMonth


def traffic_steps(
    demand: DemandByMonth, traffic: Arrivals, days: tuple[float, ...], start: date | None, at: int = 0
) -> list[Step]:
    """Return how requests a day follow from users, a table of months and the season, in a month counted from 0."""
    people, course, found = demand.people, demand.course, []
    days_of_month = f"{DAYS_PER_MONTH:.4g}"
    if people.users is not None:
        working = days_of_month if people.working_days is None else f"{people.working_days:g}"
        found.append(
            Step(
                text("Requests a day"),
                text("users * active share * requests of an active user * working days / days of a month"),
                f"{grouped(people.users)} * {people.active_share:g} * {people.requests_per_user:g} * {working} / "
                f"{days_of_month}",
                value=people.requests_per_day,
                unit="requests",
                source=GIVEN,
            )
        )
    if course.table:
        counted, tokens = course.counted(traffic.mean_demand), course.monthly_tokens is not None
        formula = text("tokens of the month / tokens of a request / days of a month")
        found.append(
            Step(
                text("Requests a day of the table"),
                formula if tokens else text("requests of the month / days of a month"),
                f"{grouped(course.stated(at))}{f' / {counted:g}' if tokens else ''} / {days_of_month}",
                value=course.stated(at) / counted / DAYS_PER_MONTH,
                unit="requests",
                source=GIVEN,
            )
        )
    if course.season is not None:
        factor = course.factor(at, start)
        found.append(
            Step(
                text("Requests a day in season"),
                text("requests a day * factor of the calendar month"),
                f"{significant(days[at] / factor, 6)} * {factor:g}",
                value=days[at],
                unit="requests",
                source=GIVEN,
            )
        )
    return found


def price_step(rates: Rates, months: int) -> list[Step]:
    """Return how the price on demand of the last month follows from that of the first, where prices change."""
    if not rates.change:
        return []
    return [
        Step(
            text("GPU-hour on demand, last month"),
            text("price * (1 + change a month)^(months - 1)"),
            f"{measure(rates.on_demand_usd)} * (1 + {rates.change:.6g})^{months - 1}",
            value=rates.in_month(months - 1).on_demand_usd,
            unit="USD/GPU-hour",
            source=GIVEN,
        )
    ]


def reserved_step(label: str, gpus: int, signed: int) -> Step:
    """Return how many GPUs are under contract in a month, those signed in it among them."""
    return Step(
        label,
        text("existing contracts + those to sign: the least cost of the plan, each paid to its end"),
        f"{gpus - signed} + {signed}",
        value=gpus,
        unit="GPUs",
        source=text("flow of least cost over months, sizebook.formulas.covering"),
    )
