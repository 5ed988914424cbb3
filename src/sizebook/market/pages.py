"""Rows of tables on a saved page: the cells of a row are A, B, C ... as on a sheet, beside the heading above the table.

A page marks rows and cells by elements (`tr`, `td`) or by classes of its own; a catalog says which, and what the first
cells of a head row say. Rows count from there on while they have as many cells.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from string import ascii_uppercase

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr")
)
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


@dataclass
class _Row:
    """One row of a page: the heading above it, and the texts of its cells."""

    heading: str
    cells: list[str] = field(default_factory=list)


class _Page(HTMLParser):
    """Collects the rows of a page. What closes no open element is passed over, as browsers do."""

    def __init__(self, row: str, cell: str) -> None:
        super().__init__()
        self._marks = {"row": frozenset(row.split()), "cell": frozenset(cell.split()), "heading": _HEADINGS}
        self._open: list[tuple[str, str]] = []
        self._heading = ""
        self.rows: list[_Row] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            return
        names = {tag, *(dict(attrs).get("class") or "").split()}
        role = next((role for role, marks in self._marks.items() if names & marks), "")
        within = {each for _, each in self._open}
        if role == "row":
            self.rows.append(_Row(self._heading))
        elif role == "cell" and "row" in within:
            self.rows[-1].cells.append("")
        elif role == "heading" and "row" not in within:
            self._heading = ""
        else:
            role = ""
        self._open.append((tag, role))

    def handle_endtag(self, tag: str) -> None:
        if tag in (name for name, _ in self._open):
            while self._open.pop()[0] != tag:
                pass

    def handle_data(self, data: str) -> None:
        roles = {role for _, role in self._open}
        if "cell" in roles:
            self.rows[-1].cells[-1] += f"{data} "
        elif "heading" in roles:
            self._heading = " ".join(f"{self._heading} {data}".split())


def page_records(text: str, row: str, cell: str, heads: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the rows below each head row that begins with ``heads``. Errors: `ValueError` where no row does."""
    page = _Page(row, cell)
    page.feed(text)
    n_cells = found = 0
    for each in page.rows:
        cells = [" ".join(text.split()) for text in each.cells]
        if len(cells) >= len(heads) and all(map(str.startswith, cells, heads)):
            n_cells, found = len(cells), found + 1
        elif len(cells) != n_cells:
            n_cells = 0
        elif n_cells:
            yield {"heading": each.heading, **dict(zip(ascii_uppercase, cells, strict=False))}
    if not found:
        raise ValueError(f"no table headed {', '.join(heads)}")
