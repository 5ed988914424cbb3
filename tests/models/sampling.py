"""Cuts the frozen counts to what a checkout keeps: every type and every key stays guarded, by as many rows as fit.

The generators (`edits`, `composed`, `checkpoints.adapter_modules`) write as many rows as they are asked
for; this keeps a sample of each file, the same for the same rows, and leaves alone what fits:

    python -m tests.models.sampling
"""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from tests.models.counts import small_configs

Row = dict[str, Any]
Guarded = set[Any]
SEED = 29


@dataclass(frozen=True)
class Sample:
    """A frozen file: the bytes that it may take, what its rows guard at least, and what if there is room."""

    file: str
    n_bytes: int
    least: Callable[[Row], Guarded]
    beyond: Callable[[Row], Guarded]


def _keys(row: Row) -> Guarded:
    return {path.rpartition(".")[2] for path in row["set"]}


def _least_of_edits(row: Row) -> Guarded:
    """A row that was once counted wrong is one of a kind."""
    return {row["type"], *(("key", key) for key in _keys(row)), *([json.dumps(row)] if row.get("found") else [])}


def _edits_by_type(row: Row) -> Guarded:
    return {(row["type"], key) for key in _keys(row)}


def _least_of_pairs(row: Row) -> Guarded:
    return {(row["type"], row["section"]), (row["section"], row["other"])}


def _least_of_adapters(row: Row) -> Guarded:
    return {row["type"], *row["settings"], row["settings"]["target_modules"] == "all-linear"}


def _itself(row: Row) -> Guarded:
    return {json.dumps(row)}


SAMPLES = (
    Sample("edited_counts.jsonl", 105_000, _least_of_edits, _edits_by_type),
    Sample("deep_counts.jsonl", 61_000, _least_of_edits, _edits_by_type),
    Sample(
        "perturbed_counts.jsonl", 45_000, lambda row: {row["base"], *_keys(row)},
        lambda row: {(row["base"], key) for key in _keys(row)},
    ),
    Sample("composed_counts.jsonl", 50_000, _least_of_pairs, _itself),
    Sample("window_counts.jsonl", 36_000, _least_of_edits, _itself),
    Sample("checkpoints/adapter_counts.jsonl", 36_000, _least_of_adapters, _itself),
)  # fmt: skip


def rows_of(file: str) -> list[Row]:
    """Return the rows of a file, of `composed_counts` a pair of types a row."""
    found = small_configs(file)
    if file != "composed_counts.jsonl":
        return found
    return [{**row, "other": other, "total": total} for row in found for other, total in row.pop("totals").items()]


def lines_of(file: str, rows: Iterable[Row]) -> list[str]:
    """Return the rows as the lines of the file."""
    if file != "composed_counts.jsonl":
        return [_line(row) for row in rows]
    by_section: dict[tuple[str, str], dict[str, int]] = {}
    for row in rows:
        by_section.setdefault((row["type"], row["section"]), {})[row["other"]] = row["total"]
    return [_line({"type": t, "section": s, "totals": totals}) for (t, s), totals in by_section.items()]


def _line(row: Row) -> str:
    return json.dumps(row, separators=(",", ":"))


def _size(row: Row) -> int:
    """Return the bytes of a row with what parts it from the next; a pair is an entry of the line of its section."""
    return len(_line({row["other"]: row["total"]})) + 3 if "other" in row else len(_line(row)) + 1


def sampled(sample: Sample, rows: list[Row]) -> list[Row]:
    """Return the rows to keep: those that guard something first, then as many others as fit."""
    chosen: set[int] = set()
    room = sample.n_bytes
    for place, needed in chain(_guards(rows, sample.least, True), _guards(rows, sample.beyond, False)):
        size = _size(rows[place])
        if place not in chosen and (needed or size <= room):
            chosen.add(place)
            room -= size
    return [row for place, row in enumerate(rows) if place in chosen]


def _guards(rows: list[Row], of: Callable[[Row], Guarded], needed: bool) -> Iterator[tuple[int, bool]]:
    """Yield the rows that guard what none before them does, in an order drawn by the seed."""
    order, seen = list(range(len(rows))), set[Any]()
    random.Random(SEED).shuffle(order)
    for place in order:
        guarded = of(rows[place])
        if guarded - seen:
            seen |= guarded
            yield place, needed


def main() -> None:
    """Cut each file that is larger than it may be."""
    for sample in SAMPLES:
        path = Path(__file__).parent / sample.file
        if path.stat().st_size > sample.n_bytes:
            kept = lines_of(sample.file, sampled(sample, rows_of(sample.file)))
            path.write_text("\n".join(kept) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
