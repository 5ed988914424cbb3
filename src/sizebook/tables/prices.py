"""What an accelerator costs an hour to rent: dated rows of public catalogs, and the user's own before them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from statistics import median
from typing import Annotated

from sizebook.core.errors import InputError, UnknownKeyError, suggestion, unknown_key
from sizebook.core.quantities import Gpu
from sizebook.core.registry import function
from sizebook.core.sections import DEFAULT, Quantity
from sizebook.core.tables import table, user_folder
from sizebook.core.texts import text
from sizebook.intake.texts import csv_rows
from sizebook.tables.hardware import accelerator

TERM_NAMES = {
    "on_demand": text("on demand"), "spot": text("spot"), "capacity_block": text("capacity block"),
    "reserved_1y": text("one-year reservation"), "reserved_3y": text("three-year reservation"),
}  # fmt: skip
TERMS = tuple(TERM_NAMES)


@dataclass(frozen=True)
class Price:
    """One dated price of a catalog: host, memory and accelerators of the instance together, in USD an hour."""

    provider: str
    instance: str
    gpu: str
    gpus: float
    region: str
    term: str
    usd_per_hour: float
    usd_per_gpu_hour: float
    currency: str
    date: str
    source: str
    retrieved: str


@dataclass(frozen=True)
class Quote:
    """A price an accelerator-hour, and the catalog rows that it is the median of."""

    usd_per_gpu_hour: float
    rows: tuple[Price, ...]


@cache
def prices() -> tuple[Price, ...]:
    """Return every row of ``data/prices.csv``, read once."""
    return tuple(_parsed(row) for row in table("prices"))


@cache
def user_rows() -> tuple[Mapping[str, str], ...]:
    """Return every row of the user's own ``prices.csv`` (`sizebook data add prices`), read once."""
    path = user_folder() / "prices.csv"
    return tuple(csv_rows(path, "a price table", comments=True)) if path.exists() else ()


@cache
def user_prices() -> tuple[Price, ...]:
    """Return the user's own prices, read once."""
    return tuple(_parsed(row) for row in user_rows())


def _parsed(row: Mapping[str, str]) -> Price:
    numbers = ("gpus", "usd_per_hour", "usd_per_gpu_hour")
    try:
        return Price(**{name: float(text) if name in numbers else text for name, text in row.items()})  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        path = user_folder() / "prices.csv"
        raise InputError(
            f"broken price row: got {row}, want the columns and numbers of a price table. "
            f"Run 'sizebook data check {path}' and mend the file."
        ) from error


@cache
def quote(gpu: str, provider: str | None = None, region: str | None = None, term: str = "on_demand") -> Quote:
    """Return the price of one accelerator for an hour, with the rows it comes from.

    Rows match on accelerator and term, and on provider and region where given. Where any row of the user's own table
    matches, only those count. Each provider answers with the median of its rows of its newest date, and several
    providers with the median of their answers, so that one with many regions does not outvote the others.

    Errors: no matching row, saying what the catalogs do hold.
    """
    key = accelerator(gpu).key
    for known in (user_prices(), prices()):
        rows = _matching(known, key, provider, region, term)
        if rows:
            newest = _newest_by_provider(rows)
            answers = (median(row.usd_per_gpu_hour for row in group) for group in newest)
            return Quote(median(answers), tuple(row for group in newest for row in group))
    raise _nothing_matches(key, provider, region, term)


def on_demand_beside(found: Quote) -> float | None:
    """Return what the providers of a quote ask on demand for the same accelerator, or None where none lists it.

    Only a few providers list reserved prices, and dear ones do: their reserved price is to be read beside this one, not
    beside the median of all providers.
    """
    gpus, names = {row.gpu for row in found.rows}, {row.provider for row in found.rows}
    every = (*user_prices(), *prices())
    rows = [row for row in every if row.gpu in gpus and row.provider in names and row.term == "on_demand"]
    if not rows:
        return None
    return median(median(row.usd_per_gpu_hour for row in group) for group in _newest_by_provider(rows))


def _matching(rows: Iterable[Price], gpu: str, provider: str | None, region: str | None, term: str) -> list[Price]:
    return [
        row
        for row in rows
        if row.gpu == gpu
        and row.term == term
        and (provider is None or row.provider.casefold() == provider.casefold())
        and (region is None or row.region.casefold() == region.casefold())
    ]


def _newest_by_provider(rows: list[Price]) -> list[list[Price]]:
    newest: dict[str, str] = {}
    for row in rows:
        newest[row.provider] = max(row.date, newest.get(row.provider, ""))
    return [[row for row in rows if row.provider == name and row.date == date] for name, date in newest.items()]


def _nothing_matches(gpu: str, provider: str | None, region: str | None, term: str) -> UnknownKeyError:
    every = (*user_prices(), *prices())
    providers = sorted({row.provider for row in every})
    if provider is not None and provider.casefold() not in (name.casefold() for name in providers):
        return unknown_key("provider", provider, providers, where=f"one of {', '.join(providers)}")
    offers = [row for row in every if row.gpu == gpu]
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


Provider = Annotated[
    str | None,
    Quantity(
        "cloud provider, blank for the median of all", kind="text", choices=providers, default=None,
        label="Provider of the price",
        source="data/prices.csv",
    ),
]  # fmt: skip
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
UsdPerGpuHour = Annotated[float, Quantity("price of one accelerator for one hour", unit="USD/GPU-hour", minimum=0)]


@function(
    category="money",
    source="data/prices.csv, one catalog and date a row",
    example=({"gpu": "h100-sxm", "provider": "aws", "region": "us-east-1"}, 6.88),
)
def price_usd_per_gpu_hour(
    gpu: Gpu, provider: Provider = DEFAULT, region: PriceRegion = DEFAULT, term: Term = DEFAULT
) -> UsdPerGpuHour:
    """Return what one accelerator costs an hour, host included: the median of the matching catalog rows.

    Each provider answers with the median of its newest matching rows, several with the median of their answers; rows of
    your own table come before all others. Left out: storage, traffic, support, taxes, and discounts by contract.
    """
    return quote(gpu, provider, region, term).usd_per_gpu_hour
