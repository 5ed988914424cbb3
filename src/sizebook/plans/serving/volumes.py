"""What the last month costs over its traffic: in full, for the next million tokens, and when GPUs are added.

The cost of rented GPUs is a stair of whole replicas, so a further million tokens costs nothing until GPUs are added,
and then all they cost. Tokens are those that the cost of a plan's million tokens counts.
"""

from collections.abc import Iterator
from itertools import islice

from sizebook.core.quantities import DAYS_PER_MONTH
from sizebook.core.sections import quantity, section
from sizebook.plans.serving.alternatives import courses
from sizebook.plans.serving.last_month import LastMonth

SHARES = (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0)
_MOST_ENDS = 2_000  # of steps that are looked at: several may cost nothing, on nodes that are paid for anyway
_ABOVE = 1 + 1e-6  # the ceiling leaves 1e-9 of a replica to rounding


@section
class Volume:
    """A month at some share of the traffic of the last one, bought as is cheapest, whatever runs already."""

    traffic_share: float = quantity("traffic over that of the last month", "ratio", label="Traffic")
    requests_per_day: float = quantity("requests a day", "requests", label="Requests a day")
    mtok: float = quantity(
        "million tokens of the month: output tokens, or input tokens where one pass answers",
        "Mtok",
        label="Million tokens",
    )
    rented_usd: float = quantity("cost of the month with GPUs rented", "USD", label="Rented, USD")
    rented_usd_per_mtok: float = quantity(
        "full cost of a million tokens with GPUs rented", "USD/Mtok", label="Rented, USD per Mtok"
    )
    next_mtok_usd: float = quantity(
        "cost of the next million tokens with GPUs rented: nothing until GPUs are added, then all they cost",
        "USD",
        label="Next Mtok, USD",
    )
    mtok_to_step: float | None = quantity(
        "million tokens until GPUs must be added, blank if that is not found",
        "Mtok",
        default=None,
        label="Mtok until GPUs are added",
    )
    step_usd: float | None = quantity("what the added GPUs cost", "USD", default=None, label="Added GPUs, USD")
    owned_usd: float | None = quantity(
        "cost of the month with GPUs bought, blank if not asked", "USD", default=None, label="Bought, USD"
    )
    api_usd: float | None = quantity(
        "cost of the month at the API, blank if not asked", "USD", default=None, label="API, USD"
    )


def volumes(last: LastMonth, tokens: float) -> tuple[Volume, ...]:
    """Return the last month at shares of its traffic, of so many tokens a request; none where no price is listed."""
    return tuple(_volumes(last, tokens)) if "rent" in courses(last) else ()


def _volumes(last: LastMonth, tokens: float) -> Iterator[Volume]:
    ways, day = courses(last), last.inputs.days[-1]
    mtok = day * DAYS_PER_MONTH * tokens / 1e6
    for share in SHARES:
        usd, step = last.usd(share), _next_step(last, share)
        yield Volume(
            traffic_share=share,
            requests_per_day=share * day,
            mtok=share * mtok,
            rented_usd=usd,
            rented_usd_per_mtok=usd / (share * mtok),
            next_mtok_usd=last.usd(share + 1 / mtok) - usd,
            mtok_to_step=None if step is None else (step - share) * mtok,
            step_usd=None if step is None else last.usd(step * _ABOVE) - usd,
            owned_usd=ways["buy"].at(share) if "buy" in ways else None,
            api_usd=ways["api"].at(share) if "api" in ways else None,
        )


def _next_step(last: LastMonth, times: float) -> float | None:
    """Return the times of the traffic beyond which it costs more than it does; None where that is far away."""
    usd = last.usd(times)
    ends = islice(last.stairs.ends(times), _MOST_ENDS)
    return next((end for end in ends if last.usd(end * _ABOVE) > usd * (1 + 1e-12)), None)
