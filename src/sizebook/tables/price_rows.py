"""Rows of price tables, the price that they give, and what a reader must know of it: its origin, age and spread."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import date

from sizebook.core.tables import Row
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
    its end where ``allow_expired`` says yes. A row of a price book states its price in its own currency, or as a per
    cent off ``list_row``, and from how many GPUs on it holds.
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
    price_per_gpu_hour: float | None = None
    rate_per_usd: float | None = None
    percent_off_list: float | None = None
    list_term: str = ""
    from_gpus: float | None = None
    gpus_committed: float | None = None
    approver: str = ""
    list_row: PriceRow | None = field(default=None, metadata={"not_a_column": True})

    @property
    def offer(self) -> tuple[str, str, str]:
        """What rows share that differ in their day or in their tier alone."""
        return self.provider.casefold(), self.instance, self.region

    @property
    def agreement(self) -> str:
        """The contract, else the source."""
        return self.contract or self.source

    @property
    def agreed(self) -> Iterator[Text]:
        """What a price book says of the price beside its amount."""
        if (listed := self.list_row) is not None:
            yield text(
                "{percent} off {provider} {instance} in {region} {term} of {day}, {price} USD",
                percent=Figure(f"{self.percent_off_list:g}\u00a0%"),
                provider=listed.provider,
                instance=listed.instance,
                region=listed.region,
                term=TERM_NAMES[listed.term],
                day=Day(listed.date),
                price=Figure(f"{listed.usd_per_gpu_hour:.4g}"),
            )
        if self.price_per_gpu_hour and self.currency != "USD":
            amounts = {"price": Figure(f"{self.price_per_gpu_hour:g}"), "rate": Figure(f"{self.rate_per_usd:g}")}
            yield text("{price} {currency} at {rate} a USD", currency=self.currency, **amounts)
        if self.from_gpus:
            yield text("tier from {n} GPUs", n=Figure(f"{self.from_gpus:g}"))
        if self.gpus_committed:
            yield text("{n} GPUs committed", n=Figure(f"{self.gpus_committed:g}"))
        if self.approver:
            yield text("approved by {name}", name=self.approver)

    def is_expired(self, day: str) -> bool:
        """Return whether the contract ended before a day."""
        return bool(self.valid_to) and self.valid_to < day

    def holds(self, day: str) -> bool:
        """Return whether the price may be used on a day: the contract has begun, and not ended or may be read on."""
        may_be_read = not self.is_expired(day) or self.allow_expired.casefold() in _YES
        return may_be_read and (not self.valid_from or self.valid_from <= day)


AMOUNTS = ("gpus", "usd_per_hour", "usd_per_gpu_hour")
_OWN, _OFF_LIST = "price_per_gpu_hour", "percent_off_list"
BOOK_AMOUNTS = (_OWN, "rate_per_usd", _OFF_LIST, "from_gpus", "gpus_committed")
COLUMNS = tuple(each.name for each in fields(PriceRow) if not each.metadata.get("not_a_column"))
_YES, _NO = ("yes", "true", "1"), ("", "no", "false", "0")


def is_off_list(row: Mapping[str, str]) -> bool:
    """Return whether a row states a per cent off the list, in place of a price."""
    return not row[_OWN] and 0 < number_in(row[_OFF_LIST]) < 100


def completed_row(row: Mapping[str, str]) -> Row:
    """Return a row with all columns; one of a price book by one accelerator, its day, and in USD where it can be."""
    whole = {name: (row.get(name) or "").strip() for name in COLUMNS}
    if not (whole[_OWN] or whole[_OFF_LIST]):
        return whole
    day = whole["date"] or whole["valid_from"] or whole["retrieved"]
    standing_in = {"instance": whole["contract"] or "all", "region": "all", "gpus": "1", "currency": "USD", "date": day}
    whole |= {name: whole[name] or cell for name, cell in (standing_in | {"retrieved": day}).items()}
    rate = 1 if whole["currency"] == "USD" else number_in(whole["rate_per_usd"])
    return in_usd(whole, number_in(whole[_OWN]) / rate) if whole[_OWN] and rate else whole


def in_usd(row: Row, usd_per_gpu_hour: float) -> Row:
    """Return a row at a price of a GPU-hour."""
    hour = repr(usd_per_gpu_hour * number_in(row["gpus"]))
    return {**row, "usd_per_gpu_hour": repr(usd_per_gpu_hour), "usd_per_hour": hour}


def problems(row: Mapping[str, str]) -> Iterator[str]:
    """Yield what makes a row of a price table unusable: amounts, currency, days, and the end of its contract.

    The row has all columns (`completed_row`).
    """
    in_book = row.get(_OWN) or row.get(_OFF_LIST)
    yield from _book_problems(row) if in_book else _catalog_problems(row)
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


def _catalog_problems(row: Mapping[str, str]) -> Iterator[str]:
    if not any(row[column] for column in AMOUNTS):
        yield f"no price: got blanks, want {_OWN}, {_OFF_LIST}, or {', '.join(AMOUNTS)}. Fill it in."
        return
    for column in AMOUNTS:
        if not 0 < number_in(row[column]) < math.inf:
            yield f"no price: got {column} '{row[column]}', want a number above 0. Correct the cell."
    if row["currency"] != "USD":
        yield (
            f"other currency: got '{row['currency']}', want USD. Convert it and say the rate in source, or state "
            "price_per_gpu_hour and rate_per_usd."
        )


def _book_problems(row: Mapping[str, str]) -> Iterator[str]:
    for column in BOOK_AMOUNTS:
        if row[column] and not 0 < number_in(row[column]) < math.inf:
            yield f"no number: got {column} '{row[column]}', want a number above 0. Correct the cell, or empty it."
    if row[_OWN] and row[_OFF_LIST]:
        both = f"{_OWN} {row[_OWN]} and {_OFF_LIST} {row[_OFF_LIST]}"
        yield f"price is given twice: got {both}, want one. Remove one of the two."
    elif row[_OFF_LIST] and number_in(row[_OFF_LIST]) >= 100:
        yield f"nothing left: got {_OFF_LIST} '{row[_OFF_LIST]}', want less than 100. Correct the cell."
    if row[_OWN] and row["currency"] != "USD" and not row["rate_per_usd"]:
        yield (
            f"no rate: got a price in {row['currency']} and a blank rate_per_usd, want how many {row['currency']} a "
            "USD costs. Fill it in."
        )


def number_in(cell: str) -> float:
    """Return the number that a cell holds, NaN where it holds none."""
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
    ``on_demand_beside`` is what the same providers ask on demand; ``lapsed`` are contracts that would have answered if
    they held, and ``tiers`` the numbers of GPUs from which another price holds.
    """

    usd_per_gpu_hour: float
    low_usd_per_gpu_hour: float
    high_usd_per_gpu_hour: float
    rows: tuple[PriceRow, ...]
    table: Text
    day: str
    on_demand_beside: float | None = None
    lapsed: tuple[PriceRow, ...] = ()
    tiers: tuple[float, ...] = ()

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
        contracts = ", ".join(sorted({row.agreement for row in self.rows})) if self.table is not SHIPPED else ""
        said = text(
            "{table}: {term}, {of}, {dates}",
            table=self.table,
            term=TERM_NAMES[self.rows[0].term],
            of=text("{providers} ({contracts})", providers=", ".join(self.providers), contracts=contracts)
            if contracts
            else self._middle,
            dates=span(Day(oldest), Day(newest)),
        )
        agreed = dict.fromkeys(each for row in self.rows for each in row.agreed)
        return joined((said, *agreed, *self.remarks), "; ")

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
        expired = [row for row in self.rows if row.is_expired(self.day)]
        if expired:
            found.append(text("the contract ended on {day}", day=Day(min(row.valid_to for row in expired))))
        for row in self.lapsed:
            when = text("begins on {day}", day=Day(row.valid_from))
            if row.is_expired(self.day):
                when = text("ended on {day}", day=Day(row.valid_to))
            found.append(text("left out: {contract}, which {when}", contract=row.agreement, when=when))
        n_old = sum(
            _days_between(row.date, self.day) > OLD_DAYS for row in self.rows if not row.valid_to or row in expired
        )
        if n_old:
            shown = {"n": n_old, "rows": len(self.rows), "days": OLD_DAYS}
            figures = {name: Figure(str(number)) for name, number in shown.items()}
            found.append(text("{n} of {rows} prices over {days} days old", **figures))
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
        yield text("The range of cost covers how fast the GPUs are. The price of a GPU-hour is taken as certain.")
    elif share is not None:
        yield text(
            "The range of cost covers how fast the GPUs are and what they cost an hour. The price accounts for {share} "
            "of it.",
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
