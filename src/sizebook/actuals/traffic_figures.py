"""What a log of requests says of traffic, in the keys of a serving scenario: rates, hours, lengths, bursts, cache."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from sizebook.actuals.prefix_cache import cache_hit_ratio
from sizebook.actuals.traffic_logs import Log, readable
from sizebook.core.errors import InputError
from sizebook.plans.serving.day import HOURS
from sizebook.serving.load import MOST_REQUESTS

_DAY, _HOUR, _MINUTE = 86_400.0, 3_600.0, 60.0
_LONGEST = 3_660 * _DAY  # more is a slip of the unit
_EPOCH = 3  # 1 January 1970 was a Thursday, the fourth day of a week
_BINS = 64  # of a histogram: each holds as many requests, and their mean length


@dataclass(frozen=True)
class Conversations:
    """Turns that belong together: how many, their first prompt, by how many tokens prompts grow, seconds between."""

    n: int
    turns: float
    first_tokens: float
    growth_tokens: float
    seconds_between: float


@dataclass(frozen=True)
class TrafficFigures:
    """What a log says of traffic; None where it says nothing.

    ``dropped`` counts rows by what they lack. ``trace`` are the first requests, as many as a plan replays: second,
    prompt, answer; they keep prompt and answer of one request together, which two histograms do not.
    ``hours`` are requests by hour of the day in UTC over whole days, ``days`` by day of the week over whole weeks,
    Monday first; ``dispersion`` is the variance over the mean of counts a minute within each hour;
    ``cache_hit_ratio`` is that of `cache_hit_ratio`.
    """

    n_requests: int
    dropped: Mapping[str, int]
    seconds: float
    input_tokens: float
    output_tokens: float
    prompts: tuple[tuple[int, float], ...]
    answers: tuple[tuple[int, float], ...]
    hours: tuple[int, ...] | None = None
    days: tuple[int, ...] | None = None
    dispersion: float | None = None
    conversations: Conversations | None = None
    cache_hit_ratio: float | None = None
    trace: tuple[tuple[float, int, int], ...] = ()

    @property
    def requests_per_day(self) -> float:
        """Requests of a mean day; those of a part of a day as if it went on so."""
        return self.n_requests / self.seconds * _DAY

    def dispersion_of(self, n_replicas: int) -> float | None:
        """Return the dispersion at one of so many replicas that share requests by chance: 1 + (D - 1) / n."""
        return None if self.dispersion is None else 1 + (self.dispersion - 1) / n_replicas


def traffic_figures(log: Log, cache_tokens: float | None = None) -> TrafficFigures:
    """Return what a log says of traffic; the cache is replayed where a size is given and the log has blocks."""
    with readable(log.name):
        found = _tallied(log)
        n_requests = sum(found.prompts.values())
        if n_requests < 2:
            raise InputError(
                f"too few requests: got {n_requests} with a time and tokens among {found.n_rows} rows of {log.name}, "
                "want 2 or more. Give a longer log."
            )
        if (span := max(found.last - found.first, 1.0)) > _LONGEST:
            raise InputError(
                f"times too far apart: got {span / _DAY:,.0f} days from the first request to the last of {log.name}, "
                f"want at most {_LONGEST / _DAY:,.0f}. Correct the times, or their unit."
            )
        trace = found.trace.sort("seconds").rows()
        return TrafficFigures(
            n_requests,
            found.dropped,
            span,
            _mean(found.prompts),
            _mean(found.answers),
            histogram_of(sorted(found.prompts.items())),
            histogram_of(sorted(found.answers.items())),
            hours_of_log(found.minutes, found.first, span),
            days_of_log(found.minutes, found.first, span),
            dispersion_of(found.minutes, found.first, found.last),
            _conversations(log.requests),
            _replayed(log, cache_tokens),
            tuple((round(second - trace[0][0], 6), prompt, answer) for second, prompt, answer in trace),
        )


@dataclass
class _Tally:
    """What is counted of a log while it is read piece by piece: memory does not grow with its rows."""

    n_rows: int = 0
    dropped: Counter[str] = field(default_factory=Counter)
    prompts: Counter[int] = field(default_factory=Counter)
    answers: Counter[int] = field(default_factory=Counter)
    minutes: Counter[int] = field(default_factory=Counter)
    first: float = math.inf
    last: float = -math.inf
    trace: pl.DataFrame = field(default_factory=pl.DataFrame)


_COUNTED = {
    "prompts": pl.col("input_tokens"),
    "answers": pl.col("output_tokens"),
    "minutes": (pl.col("seconds") // _MINUTE).cast(pl.Int64),
}


def _tallied(log: Log) -> _Tally:
    found = _Tally(n_rows=log.n_unreadable, dropped=+Counter(unreadable=log.n_unreadable))
    for counts, requests in log.pieces():
        found.n_rows += counts.pop("rows")
        found.dropped += Counter(counts)
        if requests.is_empty():
            continue
        for name, key in _COUNTED.items():
            getattr(found, name).update(dict(requests.group_by(key.alias("key")).len().iter_rows()))
        first, last = requests.select(pl.col("seconds").min(), pl.col("seconds").max().alias("last")).row(0)
        found.first, found.last = min(found.first, first), max(found.last, last)
        if (lacking := MOST_REQUESTS - len(found.trace)) > 0:
            more = requests.select("seconds", "input_tokens", "output_tokens").head(lacking)
            found.trace = pl.concat([found.trace, more]) if len(found.trace) else more
    return found


def _mean(counts: Mapping[int, int]) -> float:
    return sum(tokens * n for tokens, n in counts.items()) / sum(counts.values())


def histogram_of(counts: Sequence[tuple[int, int]]) -> tuple[tuple[int, float], ...]:
    """Return (tokens, share) of lengths and how often each came, shortest first.

    Of more than 64 lengths as many groups of about equal share are made, each at its mean to the nearest token.
    """
    n = sum(count for _, count in counts)
    if len(counts) <= _BINS:
        return tuple((tokens, count / n) for tokens, count in counts)
    groups: dict[int, list[int]] = {}
    before = 0
    for tokens, count in counts:
        group = groups.setdefault((2 * before + count) * _BINS // (2 * n), [0, 0])
        group[0] += tokens * count
        group[1] += count
        before += count
    bins: dict[int, float] = {}
    for total, count in groups.values():
        mean = round(total / count)
        bins[mean] = bins.get(mean, 0.0) + count / n
    return tuple(bins.items())


def hours_of_log(minutes: Mapping[int, int], first: float, span: float) -> tuple[int, ...] | None:
    """Return requests by hour of the day over the whole days from the first request on; None of less than a day."""
    return _by_place(minutes, first, math.floor(span / _DAY) * _DAY, lambda minute: minute // 60 % HOURS, HOURS)


def days_of_log(minutes: Mapping[int, int], first: float, span: float) -> tuple[int, ...] | None:
    """Return requests by day of the week over the whole weeks from the first request on; None of less than a week."""
    week = 7 * _DAY
    return _by_place(minutes, first, math.floor(span / week) * week, lambda minute: (minute // 1440 + _EPOCH) % 7, 7)


def _by_place(
    minutes: Mapping[int, int], first: float, span: float, place: Callable[[int], int], n_places: int
) -> tuple[int, ...] | None:
    begin, end = first // _MINUTE, (first + span) // _MINUTE
    found = [0] * n_places
    for minute, n in minutes.items():
        if begin <= minute < end:
            found[place(minute)] += n
    return tuple(found) if span else None


def dispersion_of(minutes: dict[int, int], first: float, last: float) -> float | None:
    """Return the variance over the mean of requests a minute, within each whole hour so that the day does not count.

    A log without a whole hour is one stretch of its whole minutes. None of fewer than ten minutes.
    """
    begin, end = math.ceil(first / _MINUTE), math.floor(last / _MINUTE)
    hours = range(math.ceil(begin / 60), math.floor(end / 60))
    stretches = [range(60 * hour, 60 * hour + 60) for hour in hours] or [range(begin, end)]
    if len(stretches[0]) < 10:
        return None
    excess = total = 0.0
    for stretch in stretches:
        counts = [minutes.get(minute, 0) for minute in stretch]
        mean = sum(counts) / len(counts)
        excess += sum((count - mean) ** 2 for count in counts) * len(counts) / (len(counts) - 1)
        total += sum(counts)
    return excess / total if total else None


def _conversations(requests: pl.LazyFrame) -> Conversations | None:
    if "conversation" not in requests.collect_schema():
        return None
    tokens, seconds_at = pl.col("input_tokens"), pl.col("seconds")
    each = (
        requests.drop_nulls("conversation")
        .group_by("conversation")
        .agg(
            n=pl.len(),
            first=tokens.get(seconds_at.arg_min()),
            growth=tokens.get(seconds_at.arg_max()) - tokens.get(seconds_at.arg_min()),
            seconds=seconds_at.max() - seconds_at.min(),
        )
    )
    together = each.select(pl.len(), *(pl.col(name).sum() for name in ("n", "first", "growth", "seconds")))
    n, n_turns, first, growth, seconds = together.collect(engine="streaming").row(0)
    later = n_turns - n
    return Conversations(n, n_turns / n, first / n, growth / later, seconds / later) if n and later else None


def _replayed(log: Log, cache_tokens: float | None) -> float | None:
    if cache_tokens is None or "blocks" not in log.requests.collect_schema():
        return None
    rows = log.requests.sort("seconds").select("blocks", "input_tokens").collect()
    return cache_hit_ratio(rows.iter_rows(), log.format.block_tokens, cache_tokens)


def scenario_keys(figures: TrafficFigures, n_replicas: int = 1) -> dict[str, Any]:
    """Return the keys of a scenario that a log knows, files aside."""
    keys: dict[str, Any] = {"requests_per_day": round(figures.requests_per_day, 3)}
    if figures.hours:
        keys["shape"] = list(figures.hours)
    if (dispersion := figures.dispersion_of(n_replicas)) is not None and dispersion > 0:
        keys["dispersion"] = round(dispersion, 3)
    if figures.cache_hit_ratio is not None:
        keys["cache_hit_ratio"] = round(figures.cache_hit_ratio, 4)
    return keys
