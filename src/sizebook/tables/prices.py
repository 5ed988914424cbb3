"""What an accelerator costs an hour to rent: dated rows of public catalogs, and the user's own before them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from datetime import date
from functools import cache
from statistics import median
from typing import Annotated

from sizebook.core.errors import InputError, UnknownKeyError, suggestion, unknown_key
from sizebook.core.quantities import Gpu
from sizebook.core.registry import function
from sizebook.core.sections import DEFAULT, Quantity
from sizebook.core.tables import own_rows, shipped
from sizebook.tables.hardware import accelerator
from sizebook.tables.price_rows import AMOUNTS, OWN, SHIPPED, TERMS, Price, PriceRow, problems

_valuation_day: ContextVar[date | None] = ContextVar("valuation_day", default=None)


@contextmanager
def valued_on(day: date | None) -> Iterator[None]:
    """Judge the age and the validity of prices as of a day, the scenario's own; None leaves the day as it is."""
    token = _valuation_day.set(day or valuation_day())
    try:
        yield
    finally:
        _valuation_day.reset(token)


def valuation_day() -> date | None:
    """Return the day on which prices are judged, None for today."""
    return _valuation_day.get()


@cache
def prices() -> tuple[PriceRow, ...]:
    """Return every row of ``data/prices.csv``, read once."""
    return tuple(_parsed(row) for row in shipped("prices"))


@cache
def user_prices() -> tuple[PriceRow, ...]:
    """Return the planner's own prices (`sizebook data add prices`), read once."""
    return tuple(_parsed(row) for row in own_rows("prices"))


def _parsed(row: Mapping[str, str]) -> PriceRow:
    """Return a row of a price table. Errors: one that `sizebook data check` would find, with its first problem."""
    columns = [field.name for field in fields(PriceRow)]
    whole = {name: (row.get(name) or "").strip() for name in columns}
    if problem := next(problems(whole), ""):
        named = " ".join(whole[name] for name in ("provider", "gpu", "term", "date"))
        raise InputError(f"row of a price table, {named}: {problem}")
    return PriceRow(**{name: float(cell) if name in AMOUNTS else cell for name, cell in whole.items()})  # type: ignore[arg-type]


def quote(gpu: str, provider: str | None = None, region: str | None = None, term: str = "on_demand") -> Price:
    """Return the price of one accelerator for an hour, with the rows it comes from.

    Rows match on accelerator and term, and on provider and region where given. Where any row of the planner's own table
    matches, only those count. Each provider answers with the median of its rows of its newest date, and several
    providers with the median of their answers, so that one with many regions does not outvote the others.

    Errors: no matching row, saying what the tables do hold; own rows that match and of which no contract holds.
    """
    day = (valuation_day() or date.today()).isoformat()
    return quoted_on(accelerator(gpu).key, provider, region, term, day)


@cache
def quoted_on(gpu: str, provider: str | None, region: str | None, term: str, day: str) -> Price:
    """Return the price of `quote` as of a day."""
    for known, name in ((user_prices(), OWN), (prices(), SHIPPED)):
        matching = _matching(known, gpu, provider, region, term)
        rows = [row for row in matching if row.holds(day)]
        if matching and not rows:
            raise _none_holds(gpu, matching, day)
        if rows:
            newest = _newest_by_provider(rows, by_offer=name is OWN)
            answers = sorted(median(row.usd_per_gpu_hour for row in group) for group in newest)
            low, high = (_percentile(answers, share) for share in (0.1, 0.9))
            used = tuple(row for group in newest for row in group)
            return Price(median(answers), low, high, rows=used, table=name, day=day)
    raise _nothing_matches(gpu, provider, region, term)


def _percentile(ordered: Sequence[float], share: float) -> float:
    """Return a percentile between the two nearest values in order."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def listed_quotes(gpu: str, provider: str | None, region: str | None, terms: Sequence[str]) -> dict[str, Price | None]:
    """Return the price that the tables list for each term, None where they list none. Errors: an unknown provider."""
    check_provider(provider)
    found: dict[str, Price | None] = {}
    for term in terms:
        try:
            found[term] = quote(gpu, provider, region, term)
        except UnknownKeyError:
            found[term] = None
    return found


def on_demand_beside(found: Price) -> float | None:
    """Return what the providers of a price ask on demand for the same accelerator in the same table, None for nothing.

    Only a few providers list reserved prices, and dear ones do: their reserved price is to be read beside this one, not
    beside the median of all providers.
    """
    gpus, names = {row.gpu for row in found.rows}, {row.provider for row in found.rows}
    known = user_prices() if found.table is OWN else prices()
    rows = [
        row
        for row in known
        if row.gpu in gpus and row.provider in names and row.term == "on_demand" and row.holds(found.day)
    ]
    if not rows:
        return None
    return median(median(row.usd_per_gpu_hour for row in group) for group in _newest_by_provider(rows))


def _matching(
    rows: Iterable[PriceRow], gpu: str, provider: str | None, region: str | None, term: str
) -> list[PriceRow]:
    return [
        row
        for row in rows
        if row.gpu == gpu
        and row.term == term
        and (provider is None or row.provider.casefold() == provider.casefold())
        and (region is None or row.region.casefold() == region.casefold())
    ]


def _newest_by_provider(rows: Iterable[PriceRow], *, by_offer: bool = False) -> list[list[PriceRow]]:
    """Return each provider's rows of its newest date; ``by_offer`` of each offer's, as contracts stand side by side."""
    groups: dict[tuple[str, ...], list[PriceRow]] = {}
    for row in rows:
        offer = (row.instance, row.region) if by_offer else ()
        groups.setdefault((row.provider.casefold(), *offer), []).append(row)
    found: dict[str, list[PriceRow]] = {}
    for (provider, *_), group in groups.items():
        newest = max(row.date for row in group)
        found.setdefault(provider, []).extend(row for row in group if row.date == newest)
    return list(found.values())


def _none_holds(gpu: str, rows: Sequence[PriceRow], day: str) -> InputError:
    row = max(rows, key=lambda each: each.valid_to or each.valid_from)
    when = f"ended on {row.valid_to}" if row.is_expired(day) else f"begins on {row.valid_from}"
    return InputError(
        f"contract does not hold: got '{row.contract or row.source}' for '{gpu}', which {when}, want one that holds on "
        f"{day}. Renew its row with 'sizebook data add prices FILE.csv', remove it, or set its allow_expired to yes."
    )


def _nothing_matches(gpu: str, provider: str | None, region: str | None, term: str) -> UnknownKeyError:
    check_provider(provider)
    offers = [row for row in (*user_prices(), *prices()) if row.gpu == gpu]
    if not offers:
        return UnknownKeyError(
            f"no price: got '{gpu}', want an accelerator that data/prices.csv holds. "
            "State a price, or add your own with 'sizebook data add prices FILE.csv'."
        )
    asked = [name for name in (provider, region, term) if name is not None]
    there = [row for row in offers if provider is None or row.provider.casefold() == provider.casefold()] or offers
    held = sorted({f"{row.provider} {row.region} {row.term}" for row in there})
    hint = suggestion(region, (row.region for row in there)) if region else ""
    return UnknownKeyError(
        f"no price for '{gpu}': got {' '.join(asked)}, want one of {', '.join(held[:12])}"
        f"{f' and {len(held) - 12} more' if len(held) > 12 else ''}.{hint or ' Choose one of them, or state a price.'}"
    )


def providers() -> tuple[str, ...]:
    """Return the providers of the price tables."""
    return tuple(sorted({row.provider for row in (*user_prices(), *prices())}))


def check_provider(provider: str | None) -> None:
    """Raise for a provider that no table knows."""
    known = providers()
    if provider is not None and provider.casefold() not in map(str.casefold, known):
        raise unknown_key("provider", provider, known, where=f"one of {', '.join(known)}")


Provider = Annotated[
    str | None,
    Quantity(
        "cloud provider, blank for the median of all",
        kind="text",
        choices=providers,
        default=None,
        label="Provider of the price",
        source="data/prices.csv",
    ),
]
PriceRegion = Annotated[
    str | None,
    Quantity(
        "the provider's own name of a region, blank for all",
        kind="text",
        default=None,
        label="Region of the price",
        source="data/prices.csv",
    ),
]
Term = Annotated[
    str,
    Quantity(
        "how the accelerators are rented",
        kind="choice",
        choices=TERMS,
        default="on_demand",
        source="assumption: no commitment",
    ),
]
PriceQuantile = Annotated[
    str,
    Quantity(
        "which of the providers' prices: p50, their median, or p10 or p90 of them",
        kind="choice",
        choices=("p10", "p50", "p90"),
        default="p50",
        label="Quantile of the price",
        source="convention: the median",
    ),
]
UsdPerGpuHour = Annotated[float, Quantity("price of one accelerator for one hour", unit="USD/GPU-hour", minimum=0)]


@function(
    category="money",
    source="data/prices.csv, one catalog and date a row",
    example=({"gpu": "h100-sxm", "provider": "aws", "region": "us-east-1"}, 6.88),
)
def price_usd_per_gpu_hour(
    gpu: Gpu,
    provider: Provider = DEFAULT,
    region: PriceRegion = DEFAULT,
    term: Term = DEFAULT,
    price_quantile: PriceQuantile = DEFAULT,
) -> UsdPerGpuHour:
    """Return what one accelerator costs an hour, host included: the median of the matching catalog rows, or an end.

    Each provider answers with the median of its newest matching rows, several with the median of their answers; rows of
    your own table come before all others. Left out: storage, traffic, support, taxes, and discounts by contract.
    """
    found = quote(gpu, provider, region, term)
    low, high = found.low_usd_per_gpu_hour, found.high_usd_per_gpu_hour
    return {"p10": low, "p50": found.usd_per_gpu_hour, "p90": high}[price_quantile]
