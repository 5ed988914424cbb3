"""Owned GPUs: bought in whole nodes in place of rented, written off month by month, run at what that costs.

The nodes of a purchase are used for the same number of months. They are then worth their residual and are replaced
where they are still needed. Nothing of it is discounted here.
"""

from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass

from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.core.sections import DEFAULT, AskedBy, quantity, section
from sizebook.formulas.money import MONTHS_PER_YEAR, Running, Years
from sizebook.serving.traffic import serving_kwh


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

    @property
    def months(self) -> int:
        """The months for which a node is used, whole ones."""
        return max(1, round(self.years * MONTHS_PER_YEAR))


@dataclass(frozen=True)
class OwnedMonth:
    """A month of owned GPUs: those there are, those bought in it, what is paid and what is written off."""

    gpus: int
    bought_gpus: int
    capex_usd: float  # paid for nodes bought, less what those are worth that are no longer used
    running_usd: float
    written_off_usd: float


def added_up(kinds: Iterable[Sequence[OwnedMonth]]) -> tuple[OwnedMonth, ...]:
    """Return the months of nodes of several kinds together."""
    return tuple(OwnedMonth(*map(sum, zip(*map(astuple, each), strict=True))) for each in zip(*kinds, strict=True))


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
    def written_off_usd(self) -> float:
        """What is written off of it in a month, evenly down to its residual."""
        return self.capex_usd * (1 - self.owned.running.residual) / self.owned.months

    @property
    def standing_usd(self) -> float:
        """What a month of it costs that does no work: staff, colocation, energy of idle GPUs."""
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
        found = []
        for at, work in enumerate(work_hours):
            nodes, over = sum(bought[max(0, at + 1 - life) : at + 1]), bought[at - life] if at >= life else 0
            capex = bought[at] * self.capex_usd - over * self.owned.running.residual * self.capex_usd
            running = nodes * self.standing_usd + work * self.usd_per_work_hour
            written_off = nodes * self.written_off_usd
            found.append(OwnedMonth(nodes * self.gpus, bought[at] * self.gpus, capex, running, written_off))
        return tuple(found)

    def _bought(self, needed: Sequence[int]) -> list[int]:
        """Return the nodes to buy in each month, those among them that replace others."""
        bought: list[int] = []
        for at, need in enumerate(needed):
            wanted = max(needed[at:]) if self.owned.buy == "at_once" else need
            bought.append(max(0, wanted - sum(bought[max(0, at + 1 - self.owned.months) :])))
        return bought
