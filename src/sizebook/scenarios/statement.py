"""The statement of a plan of services: what else than GPUs costs money, by fiscal year, discounted, against an income.

Keys of the table ``[money]``. Support is a share of what GPUs cost; people, storage and egress rise with inflation;
contingency is a share of all of these, and tax one of all with it. What a month costs is paid at its end. In another
currency each month is what it is in USD at the rate of its first day; what is invested, at that of the first month.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.quantities import MONTHS_PER_YEAR
from sizebook.core.sections import DEFAULT, quantity, section
from sizebook.core.texts import Joined, Text, joined, text
from sizebook.core.units import percent
from sizebook.formulas.finance import irr, monthly_rate, npv, payback
from sizebook.plans.alternatives import AlternativeMonth, PresentValues, present_values
from sizebook.plans.contents import Figure
from sizebook.plans.fleet.plan import FleetPlan
from sizebook.scenarios.money import USD, Money

STATEMENT_FIGURES = {
    "whole_usd": "Whole cost",
    "present_usd": "Whole cost, present value",
    "rented_present_usd": "Rented GPUs, present value",
    "owned_present_usd": "Bought GPUs, present value",
    "api_present_usd": "API, present value",
}
_NONE: Any = {"default": 0, "source": "neutral: none"}


def _usd(meaning: str, label: str) -> Any:
    return quantity(meaning, "USD", minimum=0, maximum=1e12, label=label, **_NONE)


def _monthly(of: str, label: str) -> Any:
    return _usd(f"{of} a month, at the prices of the first", label)


def _share(meaning: str, label: str) -> Any:
    return quantity(meaning, "ratio", minimum=0, maximum=1, label=label, **_NONE)


def _yearly(meaning: str, label: str) -> Any:
    return quantity(meaning, "ratio", above=-1, maximum=1, label=label, **_NONE)


@section
class Overheads:
    """What is paid beside GPUs, the rates of inflation, discount and tax, and what is invested and earned."""

    people_usd_per_month: float = _monthly("people who run it", "People a month")
    storage_usd_per_month: float = _monthly("storage", "Storage a month")
    egress_usd_per_month: float = _monthly("data sent out", "Egress a month")
    support_share: float = _share("support over what GPUs cost", "Support")
    contingency_share: float = _share("contingency over all of these", "Contingency")
    tax_share: float = _share("tax over all, contingency included", "Tax")
    inflation_per_year: float = _yearly("rise of people, storage and egress a year", "Inflation a year")
    discount_per_year: float = _yearly("rate a year at which money later is worth less", "Discount rate a year")
    invest_usd: float = _usd("paid once before the first month", "Invested")
    income_usd_per_month: float = _usd("what it earns or saves a month", "Income a month")
    fiscal_year_start: int = quantity(
        "calendar month with which a fiscal year begins",
        minimum=1,
        maximum=12,
        default=1,
        label="Fiscal year begins in month",
        source="neutral: the calendar's year",
    )


@section
class ServiceMoney(Money):
    """The currency, and what is paid beside GPUs."""

    overheads: Overheads = DEFAULT


@dataclass(frozen=True)
class StatementMonth:
    """What a month costs."""

    gpus: float
    support: float
    beside: float
    contingency: float
    tax: float

    @property
    def whole(self) -> float:
        """All of it."""
        return self.gpus + self.support + self.beside + self.contingency + self.tax

    def at(self, rate: float) -> StatementMonth:
        """Return it in a currency of which 1 USD is so much."""
        return StatementMonth(**{name: usd * rate for name, usd in vars(self).items()})


@dataclass(frozen=True)
class Statement:
    """The months of a plan with all that they cost, the fiscal years, and what they are worth today.

    ``levels`` are what 1 USD is in the currency in each month, empty in USD.
    """

    overheads: Overheads
    months: tuple[StatementMonth, ...]
    start: date | None
    money: Money
    levels: tuple[float, ...] = ()
    alternatives: tuple[AlternativeMonth, ...] = ()

    @cached_property
    def in_currency(self) -> Statement:
        """The same in the currency of the scenario."""
        if not self.money.dated:
            return self
        levels = tuple(self.money.level(at) for at in range(len(self.months)))
        months = tuple(month.at(level) for month, level in zip(self.months, levels, strict=True))
        beside = tuple(month.at(level) for month, level in zip(self.alternatives, levels, strict=False))
        return replace(self, months=months, levels=levels, alternatives=beside)

    @property
    def whole(self) -> float:
        """What all months cost together."""
        return sum(month.whole for month in self.months)

    @property
    def rate(self) -> float:
        """The discount rate of a month."""
        return monthly_rate(self.overheads.discount_per_year)

    @property
    def present(self) -> float:
        """What all months cost, discounted to the day before the first."""
        return npv(self.rate, [month.whole for month in self.months])

    @property
    def flows(self) -> tuple[float, ...]:
        """What is invested, then what each month earns over its cost; empty without an income and an investment."""
        income, invested = self.overheads.income_usd_per_month, self.overheads.invest_usd
        levels = self.levels or (1.0,) * len(self.months)
        earned = (income * level - month.whole for month, level in zip(self.months, levels, strict=True))
        return (-invested * levels[0], *earned) if income or invested else ()

    @property
    def net_present(self) -> float | None:
        """What investment, income and cost are worth today; None without investment and income."""
        flows = self.flows
        return flows[0] + npv(self.rate, flows[1:]) if flows else None

    @property
    def return_per_year(self) -> float | None:
        """The internal rate of return of a year; None where nothing is invested, or nothing comes back."""
        flows = self.flows
        if not (any(flow > 0 for flow in flows) and any(flow < 0 for flow in flows)):
            return None
        return (1 + irr(flows)) ** MONTHS_PER_YEAR - 1

    @property
    def values(self) -> PresentValues | None:
        """What GPUs alone are worth today if they are rented or bought, and the API; None where neither is asked."""
        return present_values(self.alternatives, self.rate) if self.alternatives else None

    @property
    def years(self) -> dict[str, float]:
        """What each fiscal year costs; without a calendar the years of the plan."""
        found: dict[str, float] = {}
        for at, month in enumerate(self.months):
            found[self._year(at)] = found.get(self._year(at), 0.0) + month.whole
        return found

    def _year(self, month: int) -> str:
        """Return the name of the fiscal year of a month: that of the calendar in which it begins."""
        if self.start is None:
            return text("year {n}", n=month // MONTHS_PER_YEAR + 1)
        at = self.start.year * MONTHS_PER_YEAR + self.start.month - self.overheads.fiscal_year_start + month
        return f"FY{at // MONTHS_PER_YEAR}"

    @property
    def said(self) -> Text | Joined:
        """The statement in words and in the currency of the scenario, as every surface says it."""
        here, shown = self.in_currency, self.money.shown
        parts: list[str] = [
            text(
                "GPUs and all other costs together are {usd}, or {present} discounted to today.",
                usd=shown(here.whole),
                present=shown(here.present),
            )
            if here.rate
            else text("GPUs and all other costs together are {usd}.", usd=shown(here.whole)),
            text(
                "By year: {years}.",
                years=joined([f"{name} {shown(each)}" for name, each in here.years.items()], ", "),
            ),
        ]
        if here.values is not None:
            parts.append(_worth_today(here.values, shown))
        if here.net_present is not None:
            parts.append(text("Income less costs and investment is worth {usd} today.", usd=shown(here.net_present)))
        if here.return_per_year is not None:
            back = payback(here.flows)
            within = text("not within the plan") if back is None else text("in month {n}", n=back)
            parts.append(
                text(
                    "The investment returns {rate} a year. It is paid back {back}.",
                    rate=percent(here.return_per_year),
                    back=within,
                )
            )
        return joined(parts)

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The statement as figures of the plan."""
        found = (self.whole, self.present, *(vars(self.values).values() if self.values else ()))
        labels = STATEMENT_FIGURES.items()
        named = ((name, label, value) for (name, label), value in zip(labels, found, strict=False) if value is not None)
        return tuple(Figure(name, label, unit="USD", value=value) for name, label, value in named)

    @property
    def data(self) -> dict[str, Any]:
        """The statement as plain data; amounts of another currency than USD stand in a part of their own."""
        found = {f"{name}_usd": value for name, value in self._worth.items()} | self._returns
        if self.money.currency != USD:
            here = self.in_currency
            found["in_currency"] = {"currency": self.money.currency, **here._worth, **here._returns}
        return found

    @property
    def _worth(self) -> dict[str, float | None]:
        return {
            "whole": self.whole,
            "present": self.present,
            **{f"{way}_present": value for way, value in vars(self.values or PresentValues()).items()},
            "net_present": self.net_present,
        }

    @property
    def _returns(self) -> dict[str, Any]:
        return {
            "return_per_year": self.return_per_year,
            "payback_month": payback(self.flows) if self.flows else None,
            "years": {str(name): each for name, each in self.years.items()},
            "months": [{**vars(month), "whole": month.whole} for month in self.months],
        }


def _worth_today(values: PresentValues, shown: Callable[[float], str]) -> Text:
    """Return what each way is worth today, in words."""
    names = text("rented"), text("bought"), text("at an API")
    ways = zip(names, vars(values).values(), strict=True)
    each = [text("{way} {usd}", way=way, usd=shown(value)) for way, value in ways if value is not None]
    return text("GPUs or an API alone cost, discounted to today: {ways}.", ways=joined(each, ", "))


def statement_of(plan: Any, money: Any) -> Statement | None:
    """Return the statement of a serving or fleet plan; None where its scenario states nothing of it."""
    if not isinstance(money, ServiceMoney) or (overheads := money.overheads) == Overheads():
        return None
    plan = plan if hasattr(plan, "months") else plan.plan  # a serving plan that was chosen among others
    start = plan.terms.start if isinstance(plan, FleetPlan) else plan.traffic.start
    if start is None and overheads.fiscal_year_start != 1:
        raise InputError(
            f"fiscal year without a calendar: got fiscal_year_start {overheads.fiscal_year_start} and no start, want "
            "the plan's first month. State start, such as start = 2027-01-01."
        )
    months = statement_months([month.usd for month in plan.months], overheads)
    return Statement(overheads, months, start, money=money, alternatives=plan.alternative_months)


def statement_months(gpus: Sequence[float], overheads: Overheads) -> tuple[StatementMonth, ...]:
    """Return what months cost whose GPUs cost so much."""
    fixed = overheads.people_usd_per_month + overheads.storage_usd_per_month + overheads.egress_usd_per_month
    found = []
    for at, usd_of_month in enumerate(gpus):
        beside = fixed * (1 + overheads.inflation_per_year) ** (at / MONTHS_PER_YEAR)
        support = overheads.support_share * usd_of_month
        contingency = overheads.contingency_share * (usd_of_month + support + beside)
        tax = overheads.tax_share * (usd_of_month + support + beside + contingency)
        found.append(StatementMonth(usd_of_month, support, beside, contingency, tax))
    return tuple(found)
