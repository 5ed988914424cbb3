"""Rows of price tables, the price that they give, and what a reader must know of it: its origin, age and spread."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from sizebook.core.texts import Day, Figure, Text, joined, span, text
from sizebook.core.units import percent

TERM_NAMES = {
    "on_demand": text("on demand"),
    "spot": text("spot"),
    "capacity_block": text("capacity block"),
    "reserved_1y": text("one-year reservation"),
    "reserved_3y": text("three-year reservation"),
}
TERMS = tuple(TERM_NAMES)
SHIPPED, OWN = text("data/prices.csv"), text("your price table")
# From here on a price is called old, and a median of providers thin: said wherever the price is read.
OLD_DAYS, FEW_PROVIDERS = 180, 3


@dataclass(frozen=True)
class PriceRow:
    """One dated price of a catalog or contract: the whole instance, host included, in USD an hour.

    A contract may say from when to when it holds (``valid_from``, ``valid_to``), both days included, and be read after
    its end where ``allow_expired`` says yes.
    """

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
    contract: str = ""
    valid_from: str = ""
    valid_to: str = ""
    allow_expired: str = ""

    def is_expired(self, day: str) -> bool:
        """Return whether the contract ended before a day."""
        return bool(self.valid_to) and self.valid_to < day

    def holds(self, day: str) -> bool:
        """Return whether the price may be used on a day: the contract has begun, and not ended or may be read on."""
        may_be_read = not self.is_expired(day) or self.allow_expired.casefold() in _YES
        return may_be_read and (not self.valid_from or self.valid_from <= day)


AMOUNTS = ("gpus", "usd_per_hour", "usd_per_gpu_hour")
_YES, _NO = ("yes", "true", "1"), ("", "no", "false", "0")


def problems(row: Mapping[str, str]) -> Iterator[str]:
    """Yield what makes a row of a price table unusable: amounts, currency, days, and the end of its contract."""
    for column in AMOUNTS:
        if not 0 < _number(row[column]) < math.inf:
            yield f"no price: got {column} '{row[column]}', want a number above 0. Correct the cell."
    if row["currency"] != "USD":
        yield f"other currency: got '{row['currency']}', want USD. Convert it and say the rate in source."
    if not (is_day(row["date"]) or is_day(f"{row['date']}-01")):
        yield f"no date: got date '{row['date']}', want the price's day or month, YYYY-MM-DD or YYYY-MM. Fill it in."
    begins, ends = row.get("valid_from", ""), row.get("valid_to", "")
    for column, day in (("valid_from", begins), ("valid_to", ends)):
        if day and not is_day(day):
            yield f"no date: got {column} '{day}', want a day as YYYY-MM-DD, or a blank. Correct it."
    if begins and ends and ends < begins:
        stated = f"valid_from {begins} and valid_to {ends}"
        yield f"contract ends before it begins: got {stated}, want them in order. Swap them."
    if (said := row.get("allow_expired", "")).casefold() not in (*_YES, *_NO):
        yield f"not yes or no: got allow_expired '{said}', want yes or no. Correct it."


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan


def is_day(cell: str) -> bool:
    """Return whether a text is a day of the calendar, YYYY-MM-DD."""
    try:
        return len(cell) == len("2026-01-01") and bool(date.fromisoformat(cell))
    except ValueError:
        return False


@dataclass(frozen=True)
class Price:
    """What one accelerator costs for an hour, how far providers differ, and the rows that this rests on.

    ``low`` and ``high`` are the 10th and 90th percentile of the providers; one provider gives a point.
    """

    usd_per_gpu_hour: float
    low_usd_per_gpu_hour: float
    high_usd_per_gpu_hour: float
    rows: tuple[PriceRow, ...]
    table: Text
    day: str

    @property
    def providers(self) -> tuple[str, ...]:
        """The providers that answered, by name."""
        return tuple(sorted({row.provider for row in self.rows}))

    @property
    def dates(self) -> tuple[str, str]:
        """The oldest and the newest day of the rows."""
        days = [row.date for row in self.rows]
        return min(days), max(days)

    @property
    def basis(self) -> Text:
        """Where the price comes from, how old it is and how far providers differ, as every surface says it."""
        oldest, newest = self.dates
        contracts = ", ".join(sorted({row.contract or row.source for row in self.rows})) if self.table is OWN else ""
        said = text(
            "{table}: {term}, {of}, {dates}",
            table=self.table,
            term=TERM_NAMES[self.rows[0].term],
            of=text("{providers} ({contracts})", providers=", ".join(self.providers), contracts=contracts)
            if contracts
            else self._middle,
            dates=span(Day(oldest), Day(newest)),
        )
        return joined((said, *self.remarks), "; ")

    @property
    def _middle(self) -> Text:
        if len(self.providers) == 1:
            return text("{provider} alone", provider=self.providers[0])
        return text(
            "median of {n} providers, {low} to {high} USD from the 10th to the 90th percentile",
            n=Figure(str(len(self.providers))),
            low=Figure(f"{self.low_usd_per_gpu_hour:.2f}"),
            high=Figure(f"{self.high_usd_per_gpu_hour:.2f}"),
        )

    @property
    def remarks(self) -> tuple[Text, ...]:
        """What a reader must know before signing: an old price, few providers, a contract that has ended."""
        found = []
        if ended := sorted(row.valid_to for row in self.rows if row.is_expired(self.day)):
            found.append(text("the contract ended on {day}", day=Day(ended[0])))
        n_old = sum(_days_between(row.date, self.day) > OLD_DAYS for row in self.rows)
        if n_old:
            shown = {"n": n_old, "rows": len(self.rows), "days": OLD_DAYS}
            figures = {name: Figure(str(number)) for name, number in shown.items()}
            found.append(text("{n} of {rows} prices are older than {days} days", **figures))
        if self.table is SHIPPED and len(self.providers) < FEW_PROVIDERS:
            found.append(text("fewer than {n} providers list it", n=Figure(str(FEW_PROVIDERS))))
        return tuple(found)


def price_sentences(paid_for: Iterable[tuple[str, str]], share: float | None) -> Iterator[Text]:
    """Yield what each price is, and what it makes of the range of cost, as the warnings of every plan say it.

    ``paid_for`` are names of what a price is paid for, each with the basis of its price; a name is blank where there is
    one thing. ``share`` is that of all prices together, None where the cost has no range, or is not listed.
    """
    names: dict[str, list[str]] = {}
    for name, basis in paid_for:
        names.setdefault(basis, []).append(name)
    for basis, named in names.items():
        known = {"basis": basis, "of": ", ".join(filter(None, named))}
        if len(names) > 1:
            yield text("Price of a GPU-hour ({of}): {basis}.", **known)
        else:
            yield text("Price of a GPU-hour: {basis}.", **known)
    if share == 0:
        yield text("The range of cost is of throughput alone: the price is one point.")
    elif share is not None:
        yield text(
            "The range of cost combines throughput and price, which differ independently; {share} of its variance is "
            "the price's.",
            share=percent(share, 2),
        )


def no_power(gpu: str) -> Text:
    """Return that nobody publishes the power of an accelerator, as the warnings of every plan say it."""
    return text(
        "No power of {gpu} is published, so energy and carbon are not listed: add your row with 'sizebook data add "
        "hardware'.",
        gpu=gpu,
    )


def _days_between(earlier: str, later: str) -> int:
    """Return the days between two days; a month stands for its first day."""
    first, last = (date.fromisoformat(day if len(day) > len("2026-01") else f"{day}-01") for day in (earlier, later))
    return (last - first).days
