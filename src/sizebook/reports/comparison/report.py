"""The comparison report: which scenario is best, how each differs from a base, which none betters in two figures."""

from collections.abc import Iterator, Sequence
from datetime import date

from sizebook.core.figure_label import FigureLabel
from sizebook.core.texts import Figure, Text, joined, plural, text
from sizebook.core.units import NO_BREAK_SPACE, grouped, significant, usd
from sizebook.reports.charts.chart_types import Bar, Bars, Line, Lines
from sizebook.reports.comparison.ranking import Ranking, sign
from sizebook.reports.document import (
    Column,
    Notes,
    Report,
    Row,
    Section,
    Table,
    Tile,
    figure_columns,
    headings,
    section,
)
from sizebook.reports.number_columns import MINUS, aligned, fixed
from sizebook.reports.phrases import scenarios

_FEW = 8  # scenarios, whose sections share pages
MOST_ROWS = 60  # of a table; a batch has its index for the rest
_MOST_BARS, _MOST_POINTS, _FIGURES_A_TABLE = 20, 8, 2


def report(found: Ranking, as_of: date) -> Report:
    """Return the report of a comparison."""
    best, n = found.ranked[0], len(found.scenarios)
    return Report(
        kind=text("Comparison"),
        title=text("{scenarios} compared", scenarios=scenarios(n)),
        subtitle=text("ranked by {figure}, against {base}", figure=heading(found.rank_by), base=found.base),
        as_of=as_of,
        sentences=_sentences(found, best),
        tiles=_tiles(found, best),
        chart=_ranking_chart(found),
        sections=(_ranking(found), *_differences(found), *_pareto(found), _notes(found)),
        warnings=_warnings(found),
    )


def heading(figure: FigureLabel) -> Text:
    """Return a figure with its unit, as a head says it."""
    if figure.heading == figure.label:
        return text(figure.label)
    return text("{figure}, {unit}", figure=text(figure.label), unit=text(figure.unit))


def _shown(figure: FigureLabel, value: float) -> str:
    if figure.unit == "USD":
        return usd(value)
    return Figure(f"{significant(value)}{NO_BREAK_SPACE}{figure.unit}".rstrip(NO_BREAK_SPACE))


def _change(ratio: float | None) -> str:
    """Return a change as per cent with its sign, a dash where there is none."""
    if ratio is None:
        return "–"
    return fixed(0, 1) if ratio == 0 else Figure(f"{'+' if ratio > 0 else MINUS}{fixed(abs(100 * ratio), 1)}")


def _sentences(found: Ranking, best: str) -> tuple[str, str, str]:
    """Return which scenario is best, which is last, and which nothing betters in two figures."""
    figure, values = found.rank_by, found.scenarios
    name, worst = text(figure.label), found.ranked[-1]
    change = found.change(best, figure)
    value = _shown(figure, values[best][figure])
    first = text("Best is {best}: {figure} {value}.", best=best, figure=name, value=value)
    if change is not None and best != found.base:
        first = text(
            "Best is {best}: {figure} {value}, {change} % against {base}.",
            best=best,
            figure=name,
            value=value,
            change=_change(change),
            base=found.base,
        )
    last = text("Last is {worst} with {value}.", worst=worst, value=_shown(figure, values[worst][figure]))
    if found.against is None or not found.front:
        return first, last, text("No second figure differs, so there is nothing to trade.")
    front = text(
        "{figure} and {other} together: nothing betters {names} in both.",
        names=_listed(found.front),
        figure=name,
        other=text(found.against.label),
    )
    return first, last, front


def _warnings(found: Ranking) -> tuple[str, ...]:
    """Return what to know before scenarios are told apart by their figures."""
    bands = text("Bands of the figures are in each scenario's own report: differences within them may be none.")
    missing = len(found.scenarios) - len(found.ranked)
    if not missing:
        return (bands,)
    without = plural(
        missing,
        "{n} scenario has no {figure} and is left out of the ranking.",
        "{n} scenarios have no {figure} and are left out of the ranking.",
        figure=text(found.rank_by.label),
    )
    return without, bands


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    if len(names) <= 3:
        return shown
    return text("{names} and {n} more", names=shown, n=grouped(len(names) - 3))


def _tiles(found: Ranking, best: str) -> tuple[Tile, ...]:
    figure, values = found.rank_by, found.scenarios
    name, change = text(figure.label), found.change(best, figure)
    tiles = [
        Tile(text("Scenarios"), grouped(len(values)), text("base: {base}", base=found.base)),
        Tile(text("Best: {figure}", figure=name), _shown(figure, values[best][figure]), best),
    ]
    if figure in values[found.base]:
        tiles.append(Tile(text("The base"), _shown(figure, values[found.base][figure]), found.base))
    if change is not None:
        tiles.append(Tile(text("Best against base"), text("{change}\u00a0%", change=_change(change)), name))
    return tuple(tiles)


def _cut(n: int) -> str:
    """Return that a table of so many scenarios shows the first of them; nothing where it shows all."""
    if n <= MOST_ROWS:
        return ""
    return text("The first {most} of {n} scenarios are shown.", most=grouped(MOST_ROWS), n=grouped(n))


def _ranking_chart(found: Ranking) -> Bars:
    """Return the best scenarios in order, the base marked."""
    figure, ranked = found.rank_by, found.ranked
    bars = tuple(
        Bar(
            name,
            found.scenarios[name][figure],
            _shown(figure, found.scenarios[name][figure]),
            marked=name == found.base,
        )
        for name in ranked[:_MOST_BARS]
    )
    title = text("{best} is best of {scenarios}", best=ranked[0], scenarios=scenarios(len(ranked)))
    if len(ranked) > _MOST_BARS:
        title = text("{title}, of which the first {n} are shown", title=title, n=grouped(_MOST_BARS))
    return Bars(title, heading(figure), bars)


def _ranking(found: Ranking) -> Section:
    figure, ranked = found.rank_by, found.ranked
    values = [found.scenarios[name][figure] for name in ranked]
    rows = tuple(
        Row(
            (name, grouped(place), cell, _change(found.change(name, figure))),
            "marked" if name == found.base else "plain",
        )
        for place, (name, cell) in enumerate(list(zip(ranked, aligned(values), strict=True))[:MOST_ROWS], 1)
    )
    heads = headings(
        text("Scenario"),
        figure_columns(text("Place")),
        figure_columns(text(figure.label), unit=text(figure.unit)),
        figure_columns(text("Against base"), unit="%"),
    )
    caption = text("Ranked by {figure}", figure=text(figure.label))
    return section(
        text("Ranking"),
        text("From {first} to {last}", first=ranked[0], last=ranked[-1]),
        Table(caption, heads, rows, note=_cut(len(ranked))),
    )


def _differences(found: Ranking) -> Iterator[Section]:
    names = list(found.scenarios)[:MOST_ROWS]
    tables = []
    for at in range(0, len(found.figures), _FIGURES_A_TABLE):
        figures = found.figures[at : at + _FIGURES_A_TABLE]
        heads = [Column(text("Scenario"))]
        cells = [list(names)]
        for figure in figures:
            heads += [
                Column(text(figure.label), text(figure.unit), figures=True),
                Column(text("Change"), "%", figures=True),
            ]
            cells += [_column(found, names, figure), [_change(found.change(name, figure)) for name in names]]
        rows = tuple(
            Row(tuple(line), "marked" if line[0] == found.base else "plain") for line in zip(*cells, strict=True)
        )
        note = _cut(len(found.scenarios))
        tables.append(
            Table(joined((text(figure.label) for figure in figures), text(" and ")), tuple(heads), rows, note=note)
        )
    yield section(
        text("Differences"),
        text("Every scenario against {base}", base=found.base),
        *tuple(tables),
        new_page=len(found.scenarios) > _FEW,
    )


def _column(found: Ranking, names: Sequence[str], figure: FigureLabel) -> list[str]:
    having = [name for name in names if figure in found.scenarios[name]]
    values = [found.scenarios[name][figure] for name in having]
    whole = all(float(value).is_integer() for value in values)  # GPUs and other counts
    texts = dict(zip(having, map(grouped, values) if whole else aligned(values), strict=True))
    return [texts.get(name, "–") for name in names]


def _pareto(found: Ranking) -> Iterator[Section]:
    if found.against is None or not found.front:
        return
    front, x, y = found.front, found.rank_by, found.against
    points = [(found.scenarios[name][x], found.scenarios[name][y], name) for name in front]
    rows = tuple(Row((name, significant(a), significant(b))) for a, b, name in points[:MOST_ROWS])
    heads = headings(
        text("Scenario"),
        figure_columns(text(x.label), unit=text(x.unit)),
        figure_columns(text(y.label), unit=text(y.unit)),
    )
    caption = text(
        "Nothing is better in {figure} without being worse in {other}", figure=text(x.label), other=text(y.label)
    )
    blocks: list[Lines | Table] = [Table(caption, heads, rows, note=_cut(len(front)))]
    if len({(a, b) for a, b, _ in points}) > 1:
        line = Line(text("the front"), tuple(sorted((a, b) for a, b, _ in points)))
        marked = tuple(points[:_MOST_POINTS])
        title = text("What {figure} buys in {other}", figure=text(x.label), other=text(y.label))
        chart = Lines(title, heading(x), heading(y), lines=(line,), points=marked)
        blocks.insert(0, chart)
    message = plural(
        len(front),
        "{n} scenario of {all} cannot be bettered in both figures",
        "{n} scenarios of {all} cannot be bettered in both figures",
        all=grouped(len(found.scenarios)),
    )
    yield section(text("Trade-off"), message, *tuple(blocks), new_page=len(found.scenarios) > _FEW)


def _notes(found: Ranking) -> Section:
    better = text("more") if sign(found.rank_by) < 0 else text("less")
    items = (
        text(
            "Ranked by {heading}: {better} is better. Equal figures stand in the order given.",
            heading=heading(found.rank_by),
            better=better,
        ),
        text("A change is a scenario's figure over the base's, less 1; – where either has none, or the base's is 0."),
    )
    return section(text("Notes"), text("How the scenarios were compared"), Notes(items))
