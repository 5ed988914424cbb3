"""The comparison report: which scenario is best, how each differs from a base, which none betters in two figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from sizebook.core.units import NO_BREAK_SPACE, significant, usd
from sizebook.reports.charts.kinds import Bar, Bars, Line, Lines
from sizebook.reports.comparison.compared import Compared, Figured
from sizebook.reports.figures import MINUS, aligned, counted, fixed
from sizebook.reports.view import Column, Notes, Report, Row, Section, Table, Tile

MOST_ROWS = 60  # of a table; a batch has its index for the rest
_MOST_BARS, _MOST_POINTS, _FIGURES_A_TABLE = 20, 8, 2


def report(found: Compared, as_of: date, title: str = "") -> Report:
    """Return the report of a comparison."""
    best, n = found.ranked[0], len(found.scenarios)
    return Report(
        kind="Comparison",
        title=title or f"{counted(n, 'scenario')} compared",
        subtitle=f"ranked by {found.rank_by.heading}, against {found.base}",
        as_of=as_of,
        summary=_summary(found, best),
        tiles=_tiles(found, best),
        sections=(_ranking(found), *_differences(found), *_pareto(found), _notes(found)),
    )


def _shown(figure: Figured, value: float) -> str:
    return usd(value) if figure.unit == "USD" else f"{significant(value)}{NO_BREAK_SPACE}{figure.unit}".rstrip()


def _change(ratio: float | None) -> str:
    """Return a change as per cent with its sign, a dash where there is none."""
    if ratio is None:
        return "–"
    text = fixed(abs(100 * ratio), 1)
    return "0.0" if ratio == 0 else f"{'+' if ratio > 0 else MINUS}{text}"


def _summary(found: Compared, best: str) -> str:
    figure, values = found.rank_by, found.scenarios
    said = f"{best} is best in {figure.label.lower()}: {_shown(figure, values[best][figure])}"
    change = found.change(best, figure)
    against = "" if change is None or best == found.base else f", {_change(change)} % against {found.base}"
    worst = found.ranked[-1]
    last = "" if worst == best else f" {worst} is last with {_shown(figure, values[worst][figure])}."
    front = f" Nothing betters {_listed(found.front)} in {figure.label.lower()} and {found.against.label.lower()} " \
        "at once." if found.against and found.front else ""  # fmt: skip
    return f"{said}{against}.{last}{front}"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def _tiles(found: Compared, best: str) -> tuple[Tile, ...]:
    figure, values = found.rank_by, found.scenarios
    tiles = [Tile("Scenarios", str(len(values)), f"base: {found.base}")]
    tiles.append(Tile(f"Best: {figure.label.lower()}", _shown(figure, values[best][figure]), best))
    if figure in values[found.base]:
        tiles.append(Tile("The base", _shown(figure, values[found.base][figure]), found.base))
    if (change := found.change(best, figure)) is not None:
        tiles.append(Tile("Best against base", f"{_change(change)}{NO_BREAK_SPACE}%", figure.label.lower()))
    return tuple(tiles)


def _cut(n: int, most: int, what: str) -> str:
    return f"The first {most} of {n} {what} are shown." if n > most else ""


def _ranking(found: Compared) -> Section:
    figure, ranked = found.rank_by, found.ranked
    values = [found.scenarios[name][figure] for name in ranked]
    bars = tuple(
        Bar(name, value, _shown(figure, value), marked=name == found.base)
        for name, value in list(zip(ranked, values, strict=True))[:_MOST_BARS]
    )
    rows = tuple(
        Row((name, str(place), cell, _change(found.change(name, figure))), "marked" if name == found.base else "plain")
        for place, (name, cell) in enumerate(list(zip(ranked, aligned(values), strict=True))[:MOST_ROWS], 1)
    )
    missing = len(found.scenarios) - len(ranked)
    left_out = f"{counted(missing, 'scenario')} without this figure left out." if missing else ""
    note = " ".join(filter(None, [_cut(len(ranked), MOST_ROWS, "scenarios"), left_out]))
    heads = (Column("Scenario"), Column("Place", figures=True), Column(figure.label, figure.unit, figures=True),
             Column("Against base", "%", figures=True))  # fmt: skip
    chart = Bars(f"{ranked[0]} is best of {len(ranked)}", figure.heading, bars)
    return Section(
        "Ranking",
        f"From {ranked[0]} to {ranked[-1]}",
        (chart, Table(f"Ranked by {figure.label}", heads, rows, note=note)),
    )


def _differences(found: Compared) -> Iterator[Section]:
    names = list(found.scenarios)[:MOST_ROWS]
    tables = []
    for at in range(0, len(found.figures), _FIGURES_A_TABLE):
        figures = found.figures[at : at + _FIGURES_A_TABLE]
        heads = [Column("Scenario")]
        cells = [list(names)]
        for figure in figures:
            heads += [Column(figure.label, figure.unit, figures=True), Column("Change", "%", figures=True)]
            cells += [_column(found, names, figure), [_change(found.change(name, figure)) for name in names]]
        rows = tuple(
            Row(tuple(line), "marked" if line[0] == found.base else "plain") for line in zip(*cells, strict=True)
        )
        note = _cut(len(found.scenarios), MOST_ROWS, "scenarios")
        tables.append(Table(" and ".join(figure.label for figure in figures), tuple(heads), rows, note=note))
    yield Section("Differences", f"Every scenario against {found.base}", tuple(tables), new_page=True)


def _column(found: Compared, names: Sequence[str], figure: Figured) -> list[str]:
    having = [name for name in names if figure in found.scenarios[name]]
    texts = dict(zip(having, aligned([found.scenarios[name][figure] for name in having]), strict=True))
    return [texts.get(name, "–") for name in names]


def _pareto(found: Compared) -> Iterator[Section]:
    if found.against is None or not found.front:
        return
    front, x, y = found.front, found.rank_by, found.against
    points = [(found.scenarios[name][x], found.scenarios[name][y], name) for name in front]
    rows = tuple(Row((name, significant(a), significant(b))) for a, b, name in points[:MOST_ROWS])
    heads = (Column("Scenario"), Column(x.label, x.unit, figures=True), Column(y.label, y.unit, figures=True))
    caption = f"Nothing is better in {x.label} without being worse in {y.label}"
    blocks: list[Lines | Table] = [Table(caption, heads, rows, note=_cut(len(front), MOST_ROWS, "of them"))]
    if len({(a, b) for a, b, _ in points}) > 1:
        line = Line("the front", tuple(sorted((a, b) for a, b, _ in points)))
        marked = tuple(points[:_MOST_POINTS])
        blocks.insert(0, Lines(f"What {x.label.lower()} buys in {y.label.lower()}", x.heading, y.heading,
                               lines=(line,), points=marked))  # fmt: skip
    noun = counted(len(front), "scenario")
    message = f"{noun} of {len(found.scenarios)} cannot be bettered in both figures"
    yield Section("Trade-off", message, tuple(blocks), new_page=True)


def _notes(found: Compared) -> Section:
    better = "more" if found.rank_by.sign < 0 else "less"
    items = (
        f"Ranked by {found.rank_by.heading}: {better} is better. Equal figures stand in the order of the batch.",
        "A change is a scenario's figure over the base's, less 1; – where either has none, or the base's is 0.",
        "Bands of the figures are in each scenario's own report: differences within them may be none.",
    )
    return Section("Notes", "How the scenarios were compared", (Notes(items),))
