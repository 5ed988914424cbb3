"""Writes which releases of engines the fit has seen, and judges what their defaults would do to its predictions.

Run `python calibration/serving_releases.py FOLDER` from the root of the repository, with the folder of `serving.py`.
Needs NumPy. Nothing is fitted to a release: measured rows that state one are predicted by fits that saw no server of
their engine on their GPU, once as they are and once with the caps and chunks of `data/engine_releases.csv`.
"""

import csv
import datetime
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from command import parser
from serving_fit import DATA, LAYOUT, ROUNDS_LEFT_OUT, Pair, Rows, fit, part, part_with, predict, read_rows
from serving_folds import demand_of
from serving_page import summary
from serving_recipes import read_recipes
from serving_tables import DOCS, TABLE

from sizebook.serving.case import Case, most_at_once
from sizebook.serving.quantities import ENGINE_NAMES, ENGINES, Replica
from sizebook.serving.releases import place_of, usual_of
from sizebook.serving.time import latency
from sizebook.tables.hardware import accelerator

SOURCE = f"calibration/serving_releases.py; {TABLE}"
DEFAULTS = ("rank_running", "drafting_running", "chunk_tokens", "chunk_shared", "mixed")


def with_defaults(rows: Rows) -> Rows:
    """Return the rows with what their releases do by default on their accelerators; a cap that they state holds."""
    columns: dict[str, list[float]] = {name: [] for name in DEFAULTS}
    blank = {f.name: f.default for f in fields(Case) if f.name in DEFAULTS}
    for engine, gpu, release in zip(engine_of(rows), rows.gpu, rows.release, strict=True):
        found = {**blank, **usual_of(Replica(engine=str(engine), release=str(release)), accelerator(str(gpu)))}
        for name, values in columns.items():
            values.append(float(found[name]))
    return part_with(rows, **{name: np.array(values) for name, values in columns.items()})


def engine_of(rows: Rows) -> Any:
    """Return the engine of every row."""
    return np.array(ENGINES)[rows.levels["engine"].argmax(1)]


def capped(theta: Any, rows: Rows) -> Pair:
    """Return TTFT and TPOT of rows of which no more run at once than the engine's cap; the others wait for a place."""
    case = Case(**{**rows.case.__dict__, "rates": LAYOUT.rates(theta, rows)})
    cap = most_at_once(case)
    running = np.where(cap > 0, np.minimum(cap, rows.concurrency), rows.concurrency)
    demand = demand_of(rows)
    found = latency(case, type(demand)(**{**demand.__dict__, "concurrency": running}))
    after_first = found.tpot_seconds * (rows.tokens_out - 1)
    stay = (found.ttft_seconds + after_first) * rows.concurrency / running
    return stay - after_first, found.tpot_seconds


def judged(rows: Rows, bare: Rows, theta: Any) -> dict[str, Pair]:
    """Return predictions by fits without the engine on the GPU, with and without defaults of the release.

    Of rows as they ran, and as their columns alone tell of them.
    """
    found = {name: np.zeros((2, len(rows.tpot))) for name in ("ran", "ran, defaults", "told", "told, defaults")}
    for unit in np.unique(rows.pair):
        inside = rows.pair == unit
        fitted, mine, told = (
            fit(part(rows, ~inside), theta, rounds=ROUNDS_LEFT_OUT),
            part(rows, inside),
            part(bare, inside),
        )
        found["ran"][:, inside] = capped(fitted, mine)
        found["ran, defaults"][:, inside] = capped(fitted, with_defaults(mine))
        found["told"][:, inside] = predict(fitted, told)
        found["told, defaults"][:, inside] = capped(fitted, with_defaults(told))
    return {name: (pair[0], pair[1]) for name, pair in found.items()}


def write_spans(path: Path, rows: Rows) -> None:
    """Write between which releases of each engine the servers in the fit ran, and how many rows state none."""
    today = datetime.date.today().isoformat()
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["engine", "first", "last", "rows", "unnamed", "meaning", "source", "retrieved"])
        for engine in ENGINES:
            named = [str(each) for each in rows.release[engine_of(rows) == engine]]
            stated = sorted((each for each in named if each), key=lambda each: place_of(each) or ())
            said = (
                "releases of the servers in the fit; unnamed are rows of none, of a nightly or of a build of their own"
            )
            writer.writerow([engine, stated[0], stated[-1], len(stated), len(named) - len(stated), said, SOURCE, today])


_HEAD = (
    "| rows | defaults of the release | rows | groups | TPOT mean % | TPOT median % | TPOT mean of groups % "
    "| TTFT median % | throughput mean % |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
)


def page(rows: Rows, bare: Rows, found: dict[str, Pair]) -> str:
    """Return docs/serving_releases_table.md."""
    text = [
        "# Defaults of releases\n\nWritten by `calibration/serving_releases.py`: rows that state a release, predicted "
        "by fits without the engine on the GPU, without and with what the release does by default "
        "(`src/sizebook/data/engine_releases.csv`).\n\n",
        _HEAD,
    ]
    for words, name, told in ((", as the rows ran", "ran", rows), (", by the table's columns alone", "told", bare)):
        pairs = {"not applied": found[name], "applied": found[f"{name}, defaults"]}
        for part_words, at in _parts(told, *pairs.values()):
            if at.any():
                lines = (f"| {said} | {' | '.join(summary(rows, *pair, at))} |\n" for said, pair in pairs.items())
                text += [f"| {part_words}{words} {line}" for line in lines]
    return "".join(text)


def _parts(rows: Rows, without: Pair, with_them: Pair) -> list[tuple[str, Any]]:
    """Return the rows that state a release, those of them that its defaults change, and those of each engine."""
    stated, engines = rows.release != "", engine_of(rows)
    changed = sum(np.abs(a / b - 1) > 1e-9 for a, b in zip(with_them, without, strict=True)) > 0
    cap = most_at_once(with_defaults(rows).case)
    waits = stated & (cap > 0) & (rows.concurrency > cap)
    parts = [("all that state a release", stated), ("of them, a default changes the estimate", stated & changed)]
    parts.append(("of them, more in flight than the cap", waits))
    return parts + [(ENGINE_NAMES[engine], stated & (engines == engine)) for engine in ENGINES]


def main() -> None:
    """Write the spans of releases and the table that judges their defaults."""
    asked = parser(__doc__)
    asked.add_argument("folder", type=Path)
    folder = asked.parse_args().folder
    rows, _ = read_rows(folder, read_recipes())
    bare, _ = read_rows(folder, read_recipes(), told=True)
    usable, told = part(rows, rows.usable), part(bare, rows.usable)
    write_spans(DATA / "calibration_serving_releases.csv", usable)
    text = page(usable, told, judged(usable, told, fit(usable)))
    (DOCS / "serving_releases_table.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
