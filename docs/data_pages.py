"""The pages of the tables of data: which figures there are and how old, what is estimated, and what changed when.

Both are read from the rows: each has the day it was read, and a price the day it holds from.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from sizebook.core.tables import DATA, Row, read
from sizebook.core.units import grouped, percent
from sizebook.tables.price_rows import TERMS

# A source or a meaning says with one of these words that nobody published or measured the figure.
_ESTIMATED = re.compile(r"\b(estimate|assumed|assumption|taken|judgement)\b|no figure of its own")
_NO_ESTIMATE = ("is taken off", "is assumed without")
_KEYS_SHOWN = 8
_LEAST_MOVE = 0.0005  # below, two catalogs rounded one price


COVERAGE = """# What the tables cover

## Prices by accelerator, term and provider

Each provider stands behind the newest day of its prices, from `data/prices.csv`.

{offers}

Without any price ({n_without}): {without}.

## How old every table is

{ages}

## What is estimated

Rows whose source or meaning says that nobody published or measured the figure, in its words. What sizebook estimates
itself, and which accelerators nobody measured: [how wrong is it](accuracy.md).

{estimates}
"""
CHANGES = """# What changed in the tables

`sizebook data update` adds rows and replaces none, so the rows are the log; `sizebook data diff BEFORE AFTER` compares
two states of a table.

## Prices that moved

Offers of one provider, accelerator and term that `data/prices.csv` holds with more than one day: their median in USD
for a GPU-hour on the first day and on the last.

{moves}

## What was read on which day

{days}
"""


def coverage_page() -> str:
    """Return which accelerator has a price of which provider, the age of every table, and what is estimated."""
    priced = _newest(read(DATA / "prices.csv"), ("gpu", "term", "provider"))
    gpus = [row["key"] for row in read(DATA / "hardware.csv")]
    without = [f"`{gpu}`" for gpu in gpus if not any(key[0] == gpu for key in priced)]
    return COVERAGE.format(
        offers=_table(("accelerator", *TERMS), (_offers(gpu, priced) for gpu in gpus if f"`{gpu}`" not in without)),
        n_without=len(without),
        without=", ".join(without),
        ages=_table(("table", "rows", "read on", "figures of"), _ages()),
        estimates=_table(("table", "rows", "in the words of the table"), _estimates()),
    )


def changes_page() -> str:
    """Return what was read on which day, and which prices moved."""
    heads = ("provider", "accelerator", "term", "offers", "first day", "last day", "change")
    return CHANGES.format(moves=_table(heads, _moves()), days=_table(("day", "rows by table"), _days()))


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (heads, ["---"] * len(heads), *rows)
    return "\n".join(f"| {' | '.join(cell.replace('|', '&#124;') for cell in line)} |" for line in lines)


def _newest(rows: Iterable[Row], columns: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    """Return the newest day of the rows that share these columns."""
    found: dict[tuple[str, ...], str] = {}
    for row in rows:
        key = tuple(row[column] for column in columns)
        found[key] = max(found.get(key, ""), row["date"])
    return found


def _offers(gpu: str, priced: dict[tuple[str, ...], str]) -> list[str]:
    return [f"`{gpu}`", *(_by_day({key[2]: day for key, day in priced.items() if key[:2] == (gpu, t)}) for t in TERMS)]


def _by_day(days: dict[str, str]) -> str:
    """Return the providers by the day of their newest price, the newest first."""
    lines = (
        f"{day}: {', '.join(sorted(each for each in days if days[each] == day))}"
        for day in sorted(set(days.values()), reverse=True)
    )
    return "<br>".join(lines)


def _dated() -> Iterator[tuple[str, list[Row]]]:
    """Yield the tables whose rows say when they were read."""
    for path in sorted(DATA.glob("*.csv")):
        rows = read(path)
        if "retrieved" in rows[0]:
            yield path.stem, rows


def _ages() -> Iterator[tuple[str, ...]]:
    for name, rows in _dated():
        dated = next((column for column in ("date", "year") if column in rows[0]), "")
        yield f"`data/{name}.csv`", grouped(len(rows)), _span(rows, "retrieved"), _span(rows, dated)


def _span(rows: list[Row], column: str) -> str:
    """Return the oldest and the newest day, or year, of a column; blank without one."""
    days = sorted({row[column] for row in rows if row.get(column)})
    return " to ".join(dict.fromkeys((days[0], days[-1]))) if days else ""


def _estimates() -> Iterator[tuple[str, ...]]:
    for name, rows in _dated():
        keys: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            for clause in _clauses(row):
                keys[clause].append(next(iter(row.values())))
        for clause, named in keys.items():
            shown = [f"`{key}`" for key in dict.fromkeys(named)]
            listed = ", ".join(shown) if len(shown) <= _KEYS_SHOWN else f"{len(shown)} rows"
            yield f"`data/{name}.csv`", listed, clause


def _clauses(row: Row) -> Iterator[str]:
    for clause in re.split(r"; ", f"{row['source']}; {row.get('meaning', '')}"):
        if _ESTIMATED.search(clause) and not any(words in clause for words in _NO_ESTIMATE):
            yield clause.strip()


def _moves() -> Iterator[tuple[str, ...]]:
    """Yield what a provider's offers of one accelerator and term cost on the first and on the last day."""
    series: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for row in read(DATA / "prices.csv"):
        offer = tuple(row[column] for column in ("provider", "gpu", "term", "instance", "region"))
        series[offer][row["date"]] = float(row["usd_per_gpu_hour"])
    groups: dict[tuple[str, ...], list[dict[str, float]]] = defaultdict(list)
    for offer, prices in series.items():
        if len(prices) > 1:
            groups[*offer[:3], min(prices), max(prices)].append(prices)
    for (provider, gpu, term, first, last), offers in sorted(groups.items()):
        yield provider, f"`{gpu}`", term, str(len(offers)), *_moved(offers, first, last)


def _moved(offers: list[dict[str, float]], first: str, last: str) -> tuple[str, str, str]:
    before, after = (median(prices[day] for prices in offers) for day in (first, last))
    share = (after - before) / before
    change = f"{'+' if share > 0 else ''}{percent(share, 1)}" if abs(share) >= _LEAST_MOVE else "none"
    return f"{first}: {before:.4g}", f"{last}: {after:.4g}", change


def _days() -> Iterator[tuple[str, str]]:
    read_on: dict[str, Counter[str]] = defaultdict(Counter)
    for name, rows in _dated():
        for row in rows:
            read_on[row["retrieved"]][name] += 1
    for day in sorted(read_on, reverse=True):
        yield day, ", ".join(f"{name} {grouped(n)}" for name, n in sorted(read_on[day].items()))
