"""Every plan that was ever handed over, planned again: which still hold, which moved, by how much and through what.

A file's record holds its scenario and figures (`inspection`), and so does a run in a store. The folder is searched for
outputs in any format; a plan that stands in several formats is planned once, for their records are equal.
"""

import html
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from sizebook.batch.inspection import READERS, ChangedFigure, Inspection, moved_figures, planned_again, read_record
from sizebook.batch.store import figures_today, opened
from sizebook.core.errors import InputError, SizebookError
from sizebook.sources.cell_text import neutral_cells
from sizebook.sources.writing import csv_text

HOLDS, MOVED, REFUSED, UNREADABLE = "holds", "moved", "refused", "not read"
HEADS = ("file", "state", "through", "figure", "before", "today", "change", "why")
# What a figure that moved says of the cause, by words in its name; the first that fits, in the order of what follows
# from what: a price moves the cost, a model moves everything.
THROUGH = {
    "model": ("parameters", "params", "weight_bytes", "flop"),
    "estimate": ("tpot", "ttft", "tokens_per_second", "step_seconds", "mfu", "requests_per_second", "gpu_hours"),
    "memory": ("memory_", "capacity", "cache_bytes", "activation"),
    "price": ("usd", "price_basis"),
    "power or grid": ("tdp", "watts", "grams", "grid", "co2e", "energy"),
    "band": ("_p10", "_p90", "low", "high"),
}
# What a reader of many plans wants to see first of one that moved.
_FIRST = ("cost_usd", "usd", "programme_cost_usd", "peak_gpus", "gpus", "gpu_hours", "train_seconds", "parameters")


@dataclass(frozen=True)
class Watched:
    """A file that was handed over, or a run in a store, and what is left of it today."""

    file: str
    state: str
    through: str = ""
    figure: ChangedFigure | None = None
    why: str = ""

    @property
    def cells(self) -> tuple[Any, ...]:
        """The file as a row of a table under `HEADS`."""
        found = self.figure
        cells = ("", None, None, None) if found is None else (found.name, found.before, found.today, found.change)
        return (self.file, self.state, self.through, *cells, self.why)


def watch(place: Path) -> Iterator[Watched]:
    """Yield every output below a folder in order of its name, or every run in a store, with what is left of it today.

    Errors: `InputError` for a place that is not there, and for a file that is no store.
    """
    if not place.exists():
        raise InputError(f"nothing to watch: got no {place.name}, want a folder of plans or a store. Correct the path.")
    yield from _outputs(place) if place.is_dir() else _runs(place)


def _runs(path: Path) -> Iterator[Watched]:
    with opened(path) as store:
        for stored in store.all():
            runs, name = store.runs(stored), f"{stored.label or stored.name} {stored.short}"
            if not runs:
                yield Watched(name, UNREADABLE, why="no run: work it out with 'sizebook store build'")
                continue
            try:
                today, problem = figures_today(stored), ""
            except SizebookError as error:
                today, problem = {}, str(error)
            for run in runs:
                then = (f"refused when it was run: {run.problem}",) if run.problem else ()
                moved = tuple(moved_figures(run.figures, today))
                yield _judged(f"{name} {run.made}", Inspection({}, (*run.causes, *then), moved, problem=problem))


def _outputs(folder: Path) -> Iterator[Watched]:
    done: dict[str, Inspection] = {}
    for path in sorted(each for each in folder.rglob("*") if each.suffix.casefold() in READERS and each.is_file()):
        name = path.relative_to(folder).as_posix()
        try:
            record = read_record(path)
        except (InputError, OSError, UnicodeDecodeError) as error:
            yield Watched(name, UNREADABLE, why=str(error))
            continue
        if "scenario" not in record:  # an index or a comparison: the files of its scenarios say more
            continue
        # The scenario itself, not the hash that the file states of it: who changes a file leaves the hash.
        key = json.dumps([record["scenario"], record["figures"], str(path.parent)], sort_keys=True, default=str)
        if key not in done:
            done[key] = _again(record, path)
        yield _judged(name, done[key])


def _again(record: Mapping[str, Any], path: Path) -> Inspection:
    try:
        return planned_again(record, path.name, path.parent)[0]
    except SizebookError as error:  # a scenario's file that is gone, a table that cannot be read
        return Inspection(record, (), problem=str(error))


def _judged(name: str, found: Inspection) -> Watched:
    why = "; ".join(found.causes)
    if found.problem:
        return Watched(name, REFUSED, why=found.problem)
    texts = [each for each in found.moved if isinstance(each.before, str) and isinstance(each.today, str)]
    numbers = [each for each in found.moved if each not in texts]
    if not numbers:  # every figure is the same; a basis may have grown old
        return Watched(name, HOLDS, why="; ".join(f"{each.name} is now: {each.today}" for each in texts))
    return Watched(name, MOVED, cause_of(found.moved), first(numbers), why)


def cause_of(moved: Iterable[ChangedFigure]) -> str:
    """Return what moved the figures of a plan: model, estimate, memory, price, power or grid, band, or other."""
    names = [each.name for each in moved]
    told = [cause for cause, words in THROUGH.items() if any(word in name for word in words for name in names)]
    return ", ".join(told) or "other"


def first(moved: Iterable[ChangedFigure]) -> ChangedFigure:
    """Return the figure that tells most of what moved: the cost, else GPUs, time, parameters, else the first."""
    by_name = {each.name: each for each in moved}
    return next((by_name[name] for name in _FIRST if name in by_name), next(iter(by_name.values())))


def as_csv(rows: Iterable[Watched]) -> str:
    """Return the files as CSV under `HEADS`."""
    return csv_text(HEADS, (neutral_cells(row.cells) for row in rows))


def as_page(rows: Iterable[Watched], title: str) -> str:
    """Return the files as an HTML page of one table, which stands alone."""
    lines = "".join(
        f"<tr>{''.join(f'<td>{html.escape(shown(cell))}</td>' for cell in row.cells)}</tr>\n" for row in rows
    )
    heads = "".join(f'<th scope="col">{head}</th>' for head in HEADS)
    return _page().replace("{title}", html.escape(title)).replace("{heads}", heads).replace("{lines}", lines)


@cache
def _page() -> str:
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>'
        "body{font:14px/1.5 Inter,sans-serif;color:#1B1F24;margin:2rem}table{border-collapse:collapse}"
        "th,td{text-align:left;padding:.3rem .8rem;border-bottom:1px solid #D8DEE4;vertical-align:top}"
        "</style></head><body><h1>{title}</h1><table><thead><tr>{heads}</tr></thead><tbody>\n{lines}"
        "</tbody></table></body></html>\n"
    )


def shown(cell: Any) -> str:
    """Return a cell as a person reads it."""
    return "" if cell is None else f"{cell:.6g}" if isinstance(cell, float) else str(cell)
