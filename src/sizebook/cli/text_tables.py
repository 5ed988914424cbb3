"""Tables as lines of text."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sizebook.core.units import thousands


def text_table(rows: Iterable[Sequence[object]], left: Collection[int] = (0,)) -> list[str]:
    """Return rows, heads first, as lines whose columns are as wide as their longest cell.

    The columns ``left``, counted from 0, are aligned to the left, all others to the right.
    """
    texts = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in texts
    ]


def ledger_table(first: str, columns: Mapping[str, str], rows: Iterable[tuple[object, Any]]) -> list[str]:
    """Return months or years as lines: the name of each, then its figures, whose names stand by their heads."""
    cells = ((name, *(thousands(getattr(each, figure)) for figure in columns.values())) for name, each in rows)
    return text_table([(first, *columns), *cells])
