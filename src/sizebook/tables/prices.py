"""What an accelerator costs an hour to rent: dated rows of public catalogs, and the user's own before them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import date
from functools import cache
from statistics import median
from typing import Annotated

from sizebook.core.errors import InputError, UnknownKeyError
from sizebook.core.hints import MOST, suggestion, unknown_key
from sizebook.core.quantities import Gpu
from sizebook.core.registry import function
from sizebook.core.sections import DEFAULT, Quantity, quantity, section
from sizebook.tables.hardware import accelerator
from sizebook.tables.price_rows import OWN, SHIPPED, TERMS, Price, PriceRow
from sizebook.tables.price_tables import Book, book_of, prices, user_prices

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


def quote(
    gpu: str,
    provider: str | None = None,
    region: str | None = None,
    *,
    term: str = "on_demand",
    gpus: float = 1,
    own: OwnPrices | None = None,
) -> Price:
    """Return the price of one accelerator for an hour, with the rows it comes from.

    Rows match on accelerator and term, and on provider and region where given. A price book comes first, then the
    planner's own table, then the catalog; where any row of one matches, only that one counts. Each provider answers
    with the median of its rows of its newest date, and several providers with the median of their answers, so that one
    with many regions does not outvote the others. Of volume tiers the one answers that ``gpus`` reach, or what
    ``own`` states.

    Errors: no matching row, saying what the tables do hold; own rows that match and of which no contract holds, or no
    tier is reached.
    """
    day = (valuation_day() or date.today()).isoformat()
    own = own or OwnPrices()
    asked = _PriceQuery(accelerator(gpu).key, provider, region, term)
    return quoted_on(asked, day, own.counted(gpus), book_of(own.price_book))


@dataclass(frozen=True)
class _PriceQuery:
    """What a price is looked up of."""

    gpu: str
    provider: str | None
    region: str | None
    term: str


@cache
def quoted_on(asked: _PriceQuery, day: str, gpus: float, book: Book | None) -> Price:
    """Return the price of `quote` as of a day."""
    shipped = Book(SHIPPED, prices())
    for table in (*([book] if book else ()), Book(OWN, user_prices()), shipped):
        matching = _matching(table, asked)
        if not matching:
            continue
        rows = [row for row in matching if row.holds(day)]
        if not rows:
            raise _none_holds(asked.gpu, matching, day)
        reached = _newest_by_provider(table, rows, gpus)
        if not reached:
            raise _no_tier(asked.gpu, rows, gpus)
        answers = sorted(median(row.usd_per_gpu_hour for row in group) for group in reached)
        low, high = (_percentile(answers, share) for share in (0.1, 0.9))
        used = tuple(row for group in reached for row in group)
        offers = {row.offer for row in rows}
        return Price(
            median(answers),
            low,
            high,
            rows=used,
            table=table.name,
            day=day,
            on_demand_beside=_on_demand_beside(table, used, day, gpus),
            lapsed=tuple(row for row in matching if row not in rows and row.offer not in offers),
            tiers=tuple(sorted({row.from_gpus for row in rows if row.from_gpus})),
        )
    raise _nothing_matches(asked, book)


def _percentile(ordered: Sequence[float], share: float) -> float:
    """Return a percentile between the two nearest values in order."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def listed_quotes(
    gpu: str,
    provider: str | None,
    region: str | None,
    *,
    terms: Sequence[str],
    gpus: float = 1,
    own: OwnPrices,
) -> dict[str, Price | None]:
    """Return the price that the tables list for each term, None where they list none. Errors: an unknown provider."""
    check_provider(provider, book_of(own.price_book))
    found: dict[str, Price | None] = {}
    for term in terms:
        try:
            found[term] = quote(gpu, provider, region, term=term, gpus=gpus, own=own)
        except UnknownKeyError:
            found[term] = None
    return found


def _on_demand_beside(table: Book, used: Sequence[PriceRow], day: str, gpus: float) -> float | None:
    """Return what the providers of a price ask on demand for the same accelerator in the same table, None for nothing.

    Only a few providers list reserved prices, and dear ones do: their reserved price is to be read beside this one, not
    beside the median of all providers.
    """
    kinds, names = {row.gpu for row in used}, {row.provider for row in used}
    rows = [
        row
        for row in table.rows
        if row.gpu in kinds and row.provider in names and row.term == "on_demand" and row.holds(day)
    ]
    groups = _newest_by_provider(table, rows, gpus)
    return median(median(row.usd_per_gpu_hour for row in group) for group in groups) if groups else None


def _matching(table: Book, asked: _PriceQuery) -> list[PriceRow]:
    """Return the rows of an offer; a contract for all regions answers for one that it does not name."""
    rows = [
        row
        for row in table.rows
        if row.gpu == asked.gpu
        and row.term == asked.term
        and (asked.provider is None or row.provider.casefold() == asked.provider.casefold())
    ]
    if asked.region is None:
        return rows
    named = [row for row in rows if row.region.casefold() == asked.region.casefold()]
    return named or [row for row in rows if row.region == "all" and table.name is not SHIPPED]


def _newest_by_provider(table: Book, rows: Iterable[PriceRow], gpus: float) -> list[list[PriceRow]]:
    """Return each provider's rows of its newest date, in a table of contracts each offer's: they stand side by side.

    Of volume tiers the highest is left that so many GPUs reach.
    """
    groups: dict[tuple[str, ...], list[PriceRow]] = {}
    for row in rows:
        groups.setdefault(row.offer[:1] if table.name is SHIPPED else row.offer, []).append(row)
    found: dict[str, list[PriceRow]] = {}
    for (provider, *_), group in groups.items():
        newest = max(row.date for row in group)
        reached = [row for row in group if row.date == newest and (row.from_gpus or 0) <= gpus]
        highest = max((row.from_gpus or 0 for row in reached), default=0)
        if reached:
            found.setdefault(provider, []).extend(row for row in reached if (row.from_gpus or 0) == highest)
    return list(found.values())


def _no_tier(gpu: str, rows: Sequence[PriceRow], gpus: float) -> InputError:
    row = min(rows, key=lambda each: each.from_gpus or 0)
    return InputError(
        f"volume tier not reached: got {gpus:g} GPUs of '{gpu}', want at least {row.from_gpus:g}, the least of "
        f"'{row.agreement}'. Give it a row for fewer, state all GPUs that it covers as rented_gpus, or state a price."
    )


def _none_holds(gpu: str, rows: Sequence[PriceRow], day: str) -> InputError:
    row = max(rows, key=lambda each: each.valid_to or each.valid_from)
    when = f"ended on {row.valid_to}" if row.is_expired(day) else f"begins on {row.valid_from}"
    return InputError(
        f"contract does not hold: got '{row.agreement}' for '{gpu}', which {when}, want one that holds on "
        f"{day}. Renew its row with 'sizebook data add prices FILE.csv', remove it, or set its allow_expired to yes."
    )


def _nothing_matches(asked: _PriceQuery, book: Book | None) -> UnknownKeyError:
    gpu, provider, region = asked.gpu, asked.provider, asked.region
    check_provider(provider, book)
    offers = [row for row in _all_rows(book) if row.gpu == gpu]
    if not offers:
        return UnknownKeyError(
            f"no price: got '{gpu}', want an accelerator that data/prices.csv holds. "
            "State a price, or add your own with 'sizebook data add prices FILE.csv'."
        )
    words = [name for name in (provider, region, asked.term) if name is not None]
    there = [row for row in offers if provider is None or row.provider.casefold() == provider.casefold()] or offers
    held = sorted({f"{row.provider} {row.region} {row.term}" for row in there})
    hint = suggestion(region, (row.region for row in there)) if region else ""
    return UnknownKeyError(
        f"no price for '{gpu}': got {' '.join(words)}, want one of {', '.join(held[:MOST])}"
        f"{f' and {len(held) - MOST} more' if len(held) > MOST else ''}."
        f"{hint or ' Choose one of them, or state a price.'}"
    )


def _all_rows(book: Book | None) -> tuple[PriceRow, ...]:
    return (*(book.rows if book else ()), *user_prices(), *prices())


def providers() -> tuple[str, ...]:
    """Return the providers of the price tables."""
    return _providers(None)


def _providers(book: Book | None) -> tuple[str, ...]:
    return tuple(sorted({row.provider for row in _all_rows(book)}))


def check_provider(provider: str | None, book: Book | None = None) -> None:
    """Raise for a provider that no table knows."""
    known = _providers(book)
    if provider is not None and provider.casefold() not in map(str.casefold, known):
        raise unknown_key("provider", provider, known)


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
        default=None,
        label="Region of the price",
        source="data/prices.csv",
    ),
]
Term = Annotated[
    str,
    Quantity("how the accelerators are rented", choices=TERMS, default="on_demand", source="assumption: no commitment"),
]
PriceQuantile = Annotated[
    str,
    Quantity(
        "which of the providers' prices: p50, their median, or p10 or p90 of them",
        choices=("p10", "p50", "p90"),
        default="p50",
        label="Quantile of the price",
        source="convention: the median",
    ),
]


@section
class OwnPrices:
    """The price book that comes before every other table, and the GPUs that its volume tiers count."""

    price_book: str = quantity(
        "file of your own prices, CSV or TOML, that comes before every other table; blank for none",
        default="",
        label="Price book",
        check=book_of,
    )
    rented_gpus: int | None = quantity(
        "GPUs rented by the same contract, which volume tiers count; blank for those of the plan at its most",
        "GPUs",
        minimum=1,
        maximum=10**9,
        default=None,
        label="GPUs that volume tiers count",
    )

    def counted(self, gpus: float) -> float:
        """Return the GPUs that volume tiers count: those stated, else the plan's own."""
        return gpus if self.rented_gpus is None else self.rented_gpus


UsdPerGpuHour = Annotated[float, Quantity("price of one accelerator for one hour", unit="USD/GPU-hour", minimum=0)]


@function(category="money", source="data/prices.csv, one catalog and date a row")
def price_usd_per_gpu_hour(
    gpu: Gpu,
    provider: Provider = DEFAULT,
    region: PriceRegion = DEFAULT,
    term: Term = DEFAULT,
    price_quantile: PriceQuantile = DEFAULT,
    own: OwnPrices = DEFAULT,
) -> UsdPerGpuHour:
    """Return what one accelerator costs an hour, host included: the median of the matching catalog rows, or an end.

    Each provider answers with the median of its newest matching rows, several with the median of their answers. A price
    book comes before your own table, and that before the catalog; of volume tiers the one answers that the GPUs reach.
    Left out of the catalog: storage, traffic, support, taxes, and discounts by contract.
    """
    found = quote(gpu, provider, region, term=term, own=own)
    low, high = found.low_usd_per_gpu_hour, found.high_usd_per_gpu_hour
    return {"p10": low, "p50": found.usd_per_gpu_hour, "p90": high}[price_quantile]
