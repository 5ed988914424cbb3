"""Owned GPUs: bought in whole nodes in place of rented, written off month by month, run at what that costs.

The nodes of a purchase are used for the same number of months. Their book value is then the residual, and they are
replaced where they are still needed. A loan pays for them at once and is paid back in instalments at the end of each
month; a lease ends with their use and is paid down to the residual, for which they go back. Nothing is discounted here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property

from sizebook.core.errors import InputError
from sizebook.core.quantities import HOURS_PER_MONTH, MONTHS_PER_YEAR
from sizebook.core.sections import DEFAULT, AskedBy, quantity, section
from sizebook.formulas.finance import declining_balance, instalment, interest, straight_line
from sizebook.formulas.money import Running, Years
from sizebook.serving.traffic import serving_kwh


@section
class Financing(AskedBy, key="financing"):
    """How bought GPUs are paid for."""

    financing: str = quantity(
        "how bought GPUs are paid for: at once (none), by a loan, or by a lease to the end of their use",
        choices=("none", "loan", "lease"),
        default="none",
        label="Financing",
        source="neutral: paid at once",
    )
    financing_rate_per_year: float | None = quantity(
        "interest of a loan or lease a year, a twelfth of it each month",
        "ratio",
        minimum=0,
        maximum=1,
        default=None,
        label="Interest a year",
    )
    loan_months: int | None = quantity(
        "months of a loan, blank for the months of use",
        "months",
        minimum=1,
        maximum=600,
        default=None,
        label="Months of the loan",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.financing != "none" and self.financing_rate_per_year is None:
            raise InputError(
                f"interest rate missing: got financing {self.financing} and no financing_rate_per_year, want the "
                "interest rate a year, 0 for none. State it."
            )
        if self.financing == "lease" and self.loan_months is not None:
            raise InputError(
                f"two lengths: got loan_months {self.loan_months} and a lease, which ends with the use of the GPUs, "
                "want its years alone. Remove loan_months."
            )


@section
class OwnedGpus(AskedBy, key="capex_usd"):
    """GPUs that are bought in place of rented: what one costs, how long it is used, what it costs to run."""

    capex_usd: float | None = quantity(
        "purchase of one GPU with its share of host, network and storage, blank to compare with no purchase",
        "USD",
        minimum=0,
        maximum=1e9,
        default=None,
        label="Purchase of a GPU",
    )
    years: Years = DEFAULT
    running: Running = DEFAULT
    buy: str = quantity(
        "when nodes are bought: in the month that needs them (as_needed), or all before the first month (at_once)",
        choices=("as_needed", "at_once"),
        default="as_needed",
        label="Nodes are bought",
        source="assumption: a purchase follows the need",
    )
    depreciation: str = quantity(
        "how they are written off to the residual: evenly (straight_line), or each month twice the even share of what "
        "is left, then evenly once that is more (declining_balance)",
        choices=("straight_line", "declining_balance"),
        default="straight_line",
        label="Depreciation",
        source="neutral: evenly",
    )
    financing: Financing = DEFAULT

    @property
    def months(self) -> int:
        """The months for which a node is used, whole ones."""
        return max(1, round(self.years * MONTHS_PER_YEAR))


@dataclass(frozen=True)
class OwnedMonth:
    """A month of owned GPUs: those there are, those bought in it, what is paid and what is written off."""

    gpus: int
    bought_gpus: int
    capex_usd: float  # paid for nodes bought, less the book value of those no longer used
    instalments_usd: float  # paid for loans and leases
    running_usd: float
    written_off_usd: float
    interest_usd: float


def added_up(kinds: Iterable[Sequence[OwnedMonth]]) -> tuple[OwnedMonth, ...]:
    """Return the months of nodes of several kinds together."""
    return tuple(OwnedMonth(*map(sum, zip(*map(astuple, each), strict=True))) for each in zip(*kinds, strict=True))


@dataclass(frozen=True)
class Debt:
    """A loan or lease: its interest a month, its months, what is borrowed, and what is left of that at its end."""

    rate: float
    months: int
    amount: float
    left: float

    @property
    def instalment(self) -> float:
        """What is paid at the end of each month of it."""
        return instalment(self.rate, self.months, self.amount, left=self.left)

    @cached_property
    def interest(self) -> tuple[float, ...]:
        """The interest in each month of it."""
        return interest(self.rate, self.months, self.amount, left=self.left)


@dataclass(frozen=True)
class OwnedNode:
    """What one node costs that is bought; its power is that of the plan's accelerator."""

    owned: OwnedGpus
    gpus: int
    kw: float
    tdp_watts: float
    pue: float

    @property
    def capex_usd(self) -> float:
        """What it costs to buy."""
        return self.gpus * (self.owned.capex_usd or 0.0)

    @property
    def residual_usd(self) -> float:
        """What it is worth after its use."""
        return self.capex_usd * self.owned.running.residual

    @cached_property
    def written_off_usd(self) -> tuple[float, ...]:
        """What is written off of it in each month of its use."""
        write_off = declining_balance if self.owned.depreciation == "declining_balance" else straight_line
        return write_off(self.capex_usd, self.residual_usd, self.owned.months)

    @cached_property
    def debt(self) -> Debt:
        """Its loan or lease, of nothing where it is paid at once."""
        asked, lease = self.owned.financing, self.owned.financing.financing == "lease"
        return Debt(
            (asked.financing_rate_per_year or 0.0) / MONTHS_PER_YEAR,
            asked.loan_months or self.owned.months,
            0.0 if asked.financing == "none" else self.capex_usd,
            self.residual_usd if lease else 0.0,
        )

    @property
    def usd_per_month(self) -> float:
        """What a month without work costs: depreciation and interest, even over its use, and the standing cost."""
        return (sum(self.written_off_usd) + sum(self.debt.interest)) / self.owned.months + self.standing_usd

    @property
    def standing_usd(self) -> float:
        """The standing cost, of a month without work: staff, colocation, energy of idle GPUs."""
        running = self.owned.running
        staff = self.gpus * running.staff_usd_per_year / MONTHS_PER_YEAR
        return staff + self.kw * running.colocation_usd_per_kw_month + self.energy_usd(0.0)

    @property
    def usd_per_work_hour(self) -> float:
        """What an hour of work of a GPU costs over an idle hour."""
        return (self.energy_usd(1.0) - self.energy_usd(0.0)) / (self.gpus * HOURS_PER_MONTH)

    def energy_usd(self, busy: float) -> float:
        """Return what the energy of a month costs of it."""
        kwh = serving_kwh(self.gpus, self.tdp_watts, busy, pue=self.pue, hours=HOURS_PER_MONTH)
        return kwh * self.owned.running.usd_per_kwh

    def months(self, needed: Sequence[int], work_hours: Sequence[float]) -> tuple[OwnedMonth, ...]:
        """Return the months in which so many nodes are needed and their GPUs work so many hours."""
        life, bought = self.owned.months, self._bought(needed)
        debt, found = self.debt, []
        for at, work in enumerate(work_hours):
            nodes, over = sum(bought[max(0, at + 1 - life) : at + 1]), bought[at - life] if at >= life else 0
            found.append(
                OwnedMonth(
                    gpus=nodes * self.gpus,
                    bought_gpus=bought[at] * self.gpus,
                    capex_usd=bought[at] * (self.capex_usd - debt.amount) - over * (self.residual_usd - debt.left),
                    instalments_usd=_by_age(bought[: at + 1], (debt.instalment,) * debt.months),
                    running_usd=nodes * self.standing_usd + work * self.usd_per_work_hour,
                    written_off_usd=_by_age(bought[: at + 1], self.written_off_usd),
                    interest_usd=_by_age(bought[: at + 1], debt.interest),
                )
            )
        return tuple(found)

    def _bought(self, needed: Sequence[int]) -> list[int]:
        """Return the nodes to buy in each month, those among them that replace others."""
        bought: list[int] = []
        for at, need in enumerate(needed):
            wanted = max(needed[at:]) if self.owned.buy == "at_once" else need
            bought.append(max(0, wanted - sum(bought[max(0, at + 1 - self.owned.months) :])))
        return bought


def _by_age(bought: Sequence[int], usd: Sequence[float]) -> float:
    """Return what nodes cost in a month, each by its age: nodes bought in it by what their first month costs."""
    return sum(nodes * each for nodes, each in zip(reversed(bought), usd, strict=False))
