"""Purchases: which contracts to sign beside those that run, the exact optimum for the GPUs that a plan needs.

Hour by hour and month by month (`formulas.covering`); what contracts do not hold is rented on demand.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.formulas.covering import Need, Offer, cover
from sizebook.plans.commitments import HOURS, PREPAID, TERMS, Commitment, CommitmentTerms, Portfolio


@dataclass(frozen=True)
class Purchase:
    """What is needed month by month, as hours of a day by the GPUs that they need, and what a GPU-hour costs.

    ``by_term`` are prices by term and month of signing. After the plan its last month is taken to go on for as long as
    a contract may last, at prices that go on changing. Contracts that may be signed then are paid to that day only. So
    what is left of one that is signed in the plan is worth what it saves.
    """

    needs: tuple[Need, ...]
    on_demand_usd: tuple[float, ...]
    by_term: Mapping[str, Sequence[float]]
    terms: CommitmentTerms
    change: float = 0.0  # of prices from one month to the next

    def cheapest(self) -> Portfolio:
        """Return the existing contracts with those to sign for the least cost; by the hour where both cost the same."""
        running = Portfolio(self.terms.running)
        signed = [each for each in self._going_on.signed(running) if each.first_month <= len(self.needs)]
        return Portfolio((*running.contracts, *signed), PREPAID[self.terms.prepay])

    def usd(self, portfolio: Portfolio) -> float:
        """Return what contracts and hours on demand cost in the plan and as long after it as a contract may last."""
        longer = self._going_on
        follow = longer.signed(portfolio, first=len(self.needs) + 1)
        return longer.usd_in_the_plan(Portfolio((*portfolio.contracts, *follow)))

    def usd_in_the_plan(self, portfolio: Portfolio) -> float:
        """Return what contracts, and hours on demand beyond them, cost in the months of the plan."""
        by_hour = sum(
            price * gpus * hours * HOURS_PER_MONTH / HOURS
            for month, (need, price) in enumerate(zip(self.needs, self.on_demand_usd, strict=True), 1)
            for gpus, hours in _beyond(need, portfolio.gpus(month)).items()
        )
        return by_hour + sum(portfolio.usd(month) for month in range(1, len(self.needs) + 1))

    def regret(self, portfolio: Portfolio) -> float:
        """Return what contracts cost more than the best ones would for this need."""
        return self.usd(portfolio) - self.usd(self.cheapest())

    @property
    def _going_on(self) -> Purchase:
        """The same with the months after the plan in which a contract of it may last."""
        after = range(1, max((TERMS[name] for name in self.terms.terms), default=1))
        on_demand, *prices = (
            (*usd, *(usd[-1] * (1 + self.change) ** at for at in after))
            for usd in (self.on_demand_usd, *(self.by_term[name] for name in self.terms.terms))
        )
        needs, by_term = (*self.needs, *[self.needs[-1]] * len(after)), dict(zip(self.terms.terms, prices, strict=True))
        return replace(self, needs=needs, on_demand_usd=on_demand, by_term=by_term)

    def signed(self, held: Portfolio, first: int = 1) -> list[Commitment]:
        """Return what to sign beside contracts, from a month on, for the least cost if each ends with these months."""
        names, months = self.terms.terms, range(first, len(self.needs) + 1)
        beyond = [_beyond(self.needs[at - 1], held.gpus(at)) for at in months]
        known = [[self._contract(name, at) for at in months] for name in names]
        offers = [
            Offer(TERMS[name], [each.usd / (HOURS_PER_MONTH * TERMS[name]) for each in row])
            for name, row in zip(names, known, strict=True)
        ]
        found = cover(beyond, self.on_demand_usd[first - 1 :], offers)
        in_order = sorted(found.items(), key=lambda each: each[0][::-1])
        return [replace(known[n][at], gpus=gpus) for (n, at), gpus in in_order]

    def _contract(self, term: str, month: int) -> Commitment:
        """Return a contract for one GPU that is signed in a month."""
        last = min(month + TERMS[term] - 1, len(self.needs))
        return Commitment(1, month, last, term=term, usd_per_gpu_hour=self.by_term[term][month - 1])


def _beyond(need: Need, held: int) -> Need:
    """Return the hours of a day by the GPUs that they need beyond those under contract."""
    return counted((max(0, gpus - held), hours) for gpus, hours in need.items())


def least_usd_of_month(need: Need, on_demand_usd: float, price: float) -> float:
    """Return the least that a month costs by itself, as if no contract ran; ``price`` is the lowest under contract.

    A GPU is under contract where the hours that need it would cost more.
    """
    cost, hours, below = 0.0, float(HOURS), 0
    for gpus in sorted(need):
        cost += (gpus - below) * min(HOURS * price, hours * on_demand_usd)
        hours, below = hours - need[gpus], gpus
    return cost * HOURS_PER_MONTH / HOURS


def counted(needs: Iterable[tuple[int, float]]) -> Need:
    """Return hours of a day by the GPUs that they need, those of the same GPUs together."""
    found: dict[int, float] = {}
    for gpus, hours in needs:
        found[gpus] = found.get(gpus, 0.0) + hours
    return found
