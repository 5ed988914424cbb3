"""The range of a cost: how fast the machine is and what it costs an hour are uncertain independently of one another.

Factors of a cost add as logarithms, and independent spreads of a sum add in quadrature. So an end of the range lies as
far from the middle as the hypotenuse of what throughput alone and the price alone would make of the cost; multiplying
the ends would claim that slow replicas and dear providers come together.
"""

import math
from dataclasses import dataclass

from sizebook.core.derivation import Step
from sizebook.core.texts import text
from sizebook.core.units import measure

Ends = tuple[float, float]
POINT: Ends = (1.0, 1.0)


@dataclass(frozen=True)
class CostRange:
    """A cost, and by which factors throughput alone and the price alone move it, down and up."""

    middle: float
    throughput: Ends = POINT
    price: Ends = POINT

    @property
    def low(self) -> float:
        return self.middle * joint(self.throughput[0], self.price[0])

    @property
    def high(self) -> float:
        return self.middle * joint(self.throughput[1], self.price[1])

    @property
    def price_share(self) -> float | None:
        """The price's share of the variance; None where there is no range."""
        by_throughput, by_price = (math.log(high / low) ** 2 for low, high in (self.throughput, self.price))
        return by_price / (by_throughput + by_price) if by_throughput + by_price > 0 else None

    def step(self, label: str) -> Step:
        """Return how the high end follows from the middle."""
        slow, dear = self.throughput[1], self.price[1]
        return Step(
            label,
            text("cost * exp(sqrt(ln(throughput)^2 + ln(price)^2))"),
            f"{measure(self.middle)} * exp(sqrt(ln({slow:.4g})^2 + ln({dear:.4g})^2))",
            value=self.high,
            unit="USD",
            source=text("90th percentile of measured throughput and of providers, which differ independently"),
        )


def joint(throughput: float, price: float) -> float:
    """Return the factor of a cost at one end of its range: the factors of both spreads, added as logarithms squared.

    A factor of throughput that moves the cost the other way than the price does not count at that end.
    """
    side = -1 if price < 1 or (price == 1 and throughput < 1) else 1
    return math.exp(side * math.hypot(max(0.0, side * math.log(throughput)), math.log(price)))


def cost_range(middle: float, by_throughput: Ends, by_price: Ends) -> CostRange:
    """Return the range of a cost of which each spread alone gives the ends. A cost of 0 or one not listed has none."""
    return CostRange(middle, _around(middle, by_throughput), _around(middle, by_price))


def _around(middle: float, ends: Ends) -> Ends:
    """Return both ends as factors of the middle; the middle takes the place of an end on the wrong side of it."""
    low, high = min(middle, *ends), max(middle, *ends)
    return (low / middle, high / middle) if low > 0 else POINT
