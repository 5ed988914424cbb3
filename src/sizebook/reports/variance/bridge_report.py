"""The report of a bridge: what the cost was, what it is, and what each thing that differs adds."""

from datetime import date
from itertools import accumulate

from sizebook.core.texts import text
from sizebook.plans.bridges import Bridge
from sizebook.reports.document import Notes, Report, Row, Section, Table, Tile, figure_columns, headings, section
from sizebook.reports.number_columns import aligned
from sizebook.reports.variance.drawing import chart_of, money, shown, signed, with_signs


def report(found: Bridge, as_of: date) -> Report:
    """Return the report of a bridge."""
    (one, other), unit, difference = found.ends, found.unit, found.end - found.start
    start, end = money(found.start, unit), money(found.end, unit)
    largest = sorted(found.named_bars, key=lambda bar: -abs(bar[1]))[:2]
    first = text(
        "{one} costs {start}, and {other} costs {end}: {difference}.",
        other=other,
        end=end,
        one=one,
        start=start,
        difference=signed(difference, unit),
    )
    return Report(
        kind=text("Bridge"),
        title=found.title,
        subtitle=text("what each change adds, in {unit}", unit=unit),
        as_of=as_of,
        sentences=(first, *(text("{cause}: {amount}.", cause=name, amount=signed(v, unit)) for name, v in largest)),
        tiles=(
            Tile(text("From"), start, one),
            Tile(text("To"), end, other),
            Tile(text("Difference"), signed(difference, unit)),
        ),
        chart=chart_of(found),
        sections=(_steps(found),),
        warnings=found.remarks,
    )


def _steps(found: Bridge) -> Section:
    known = [move for move in found.moves if move is not None]
    cells = zip(with_signs(known), aligned([*accumulate(known, initial=found.start)], digits=4)[1:], strict=True)
    rows = tuple(
        Row((step.name, shown(step.before), shown(step.after), *(("–", "–") if move is None else next(cells))))
        for step, move in zip(found.steps, found.moves, strict=True)
    )
    heads = headings(
        text("Change"), text("From"), text("To"), figure_columns(text("Adds"), text("Total so far"), unit=found.unit)
    )
    notes = [text("Inputs change one after another, in the order of their keys; another order gives other amounts.")]
    if None in found.moves:
        notes.append(text("Where Adds shows –, that change alone gives no plan; the next line adds both changes."))
    table = Table(text("Changes in order"), heads, rows)
    return section(text("Changes"), text("What differs, one by one"), table, Notes(tuple(notes)))
