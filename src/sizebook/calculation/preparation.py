"""Makes of a workbook what the engine reads: plain formulas, and no more than the cells.

The engine is given a small file of its own: sheets, texts and cached cells of other workbooks. Formats are left out
(a date is a number then), as are names, tables and chart sheets, which the rewritten formulas no longer need.
"""

from collections.abc import Mapping
from itertools import repeat
from time import process_time
from typing import NamedTuple

from sizebook.calculation.callback_names import FIT, PLACE, REFUSED, SPILL
from sizebook.calculation.comparisons import ShortNumbers
from sizebook.calculation.copies import Copies, Copy, Pieces, copies_grow, down_kind, relative, stands_apart, template
from sizebook.calculation.formula_cache import LEAST_SECONDS, RewrittenFormulas, cache_file, read_cache, write_cache
from sizebook.calculation.links import links
from sizebook.calculation.names import Names, NotCalculableError
from sizebook.calculation.package import WORKBOOK, Package, tag
from sizebook.calculation.plain_file import plain_file
from sizebook.calculation.prepared import Prepared
from sizebook.calculation.rewriter import Rewriter
from sizebook.calculation.sheet_formulas import ArrayFormula, are_addresses, cell_area
from sizebook.calculation.sheet_text import MarkedFormula, SheetText, Span
from sizebook.calculation.tables import tables
from sizebook.calculation.tokens import Area, address, area, cell_at, shifted
from sizebook.calculation.used_cells import UsedCells
from sizebook.calculation.workbook_context import WorkbookContext
from sizebook.core.errors import InputError
from sizebook.core.registry import Function


def prepare(package: Package, functions: Mapping[str, Function]) -> Prepared:
    """Rewrite the formulas of a package in place, and return what the engine is to read."""
    _refuse_settings(package)
    outside = links(package)
    found = {}
    for sheet, part in package.sheets().items():
        found[sheet] = SheetText(package, part)
        package.settle(part)
    prepared = Prepared(_is_set(package, "workbookPr", "date1904"), tuple(found))
    anchors = _dynamic(found)
    with_formulas = frozenset(sheet for sheet, text in found.items() if text.spans or text.marked)
    book = WorkbookContext(
        names=Names(package),
        tables=tables(package),
        sheets=prepared.sheets,
        functions=functions,
        links=outside,
        anchors=anchors,
        used=UsedCells(package, frozenset(sheet for sheet, *_ in anchors)),
        short=ShortNumbers(package, with_formulas),
        dates_from_1904=prepared.dates_from_1904,
    )
    file, begun = cache_file(package, found, book), process_time()
    prepared.cached = read_cache(file, book)
    for sheet, text in found.items():
        _Preparing(prepared, book, sheet, text).all_formulas()
    if prepared.cached is None and process_time() - begun > LEAST_SECONDS:
        write_cache(file, prepared.all_rewritten(), book)
    prepared.cached = None
    prepared.hang_on_values = bool(book.used.known or book.short.known)
    for sheet, part in package.sheets().items():
        if (content := found.pop(sheet).changed()) is not package.content(part):
            package.put(part, content)
    prepared.file = plain_file(package, outside, dates_from_1904=prepared.dates_from_1904)
    return prepared


def _dynamic(found: Mapping[str, SheetText]) -> frozenset[tuple[str, int, int]]:
    """Return where the dynamic array formulas stand."""
    arrays = ((sheet, cell_at(each.address)) for sheet, text in found.items() for each in text.marked
              if each.dynamic and each.attributes["t"] == "array")  # fmt: skip
    return frozenset((sheet.casefold(), *place) for sheet, place in arrays if place is not None)


def _is_set(package: Package, element: str, attribute: str, default: str = "0") -> bool:
    found = package.xml(WORKBOOK).find(tag(element))
    return (default if found is None else found.get(attribute, default)) in ("1", "true")


def _refuse_settings(package: Package) -> None:
    """Raise for a workbook whose settings change what formulas give in ways that the engine does not follow."""
    if not _is_set(package, "calcPr", "fullPrecision", "1"):
        raise InputError(
            f"cannot calculate: got precision as displayed in {package.path.name}, want Excel's usual settings. "
            "Turn that off under Advanced options."
        )


class _Shared(NamedTuple):
    """A formula that cells share: its text in the first of them, whether that reads on as it is, and its pieces.

    Where an area grows it is rewritten in each cell, and has no pieces.
    """

    text: str
    at: Area
    is_plain: bool
    pieces: Pieces


class _Preparing:
    """One sheet while its formulas are rewritten."""

    def __init__(self, prepared: Prepared, book: WorkbookContext, sheet: str, found: SheetText) -> None:
        self.prepared, self.book, self.sheet, self.found = prepared, book, sheet, found
        self.cached = prepared.cached
        # The same text in all copies, so that the engine takes them apart once.
        self.own_place = f"{book.sheets.index(sheet)},ROW(),COLUMN()"
        self.shared: dict[str, _Shared] = {}
        self.copied: dict[Pieces, Copy] = {}  # formulas as they read from their cells, and as they are rewritten
        self.copies = Copies()
        self.plain: set[str] = set()  # kinds of formulas that stand as they are
        self.latest: Copy | None = None  # of which the formula written last is one, where its copies read alike

    def all_formulas(self) -> None:
        """Rewrite what needs it; a sheet without such a formula keeps its part as it is."""
        filled: list[tuple[Area, Area]] = []
        self.prepared.stored_errors |= {(self.sheet, at): code for at, code in self.found.errors.items()}
        self._ordinary()
        for formula in self.found.marked:
            kind = formula.attributes["t"]
            if kind == "dataTable":
                self._data_table(formula)
            elif kind == "array":
                filled.append(self._array(formula))
            else:
                self._shared(formula)
        self._make_room(filled)

    def _ordinary(self) -> None:
        """Rewrite formulas of one cell each: there may be a hundred thousand, of which a few differ in kind."""
        texts, addresses, spans = self.found.texts, self.found.addresses, self.found.spans
        if not are_addresses(addresses):
            for at in addresses:
                cell_area(at, self.sheet)  # says what is wrong
        first = self.prepared.add_all(list(zip(repeat(self.sheet), addresses)), texts)
        if self.cached is not None:
            for number, (at, span) in enumerate(zip(addresses, spans, strict=True), first):
                self._put_cached(self.cached, number, at, span)
            return
        for number, (at, span, text) in enumerate(zip(addresses, spans, texts, strict=True), first):
            row, column = cell_at(at) or (1, 1)
            copy = self.copies.find(text, row, column)
            if copy is None and (down_kind(text) not in self.plain or stands_apart(text)):
                self._write(number, at, span, text)
                copy = self.latest
            elif copy is not None and copy.rewritten is not None:
                self._put(number, span, copy.rewritten.written(row, column))
            self.copies.note(copy, row, column)

    def _array(self, formula: MarkedFormula) -> tuple[Area, Area]:
        """Rewrite an array formula; return the area that it fills and its cell."""
        own = cell_area(formula.address, self.sheet)
        array = ArrayFormula(area(formula.attributes.get("ref", ""), self.sheet) or own, formula.dynamic)
        number = self.prepared.add((self.sheet, formula.address), formula.text)
        self.prepared.arrays[number] = array
        self._write(number, formula.address, formula.span, formula.text)
        return array.filled, own

    def _put_cached(self, kept: RewrittenFormulas, number: int, at: str, span: Span) -> None:
        """Put in place what became of a formula before."""
        text = kept.texts[number]
        if text is not None:
            self._put(number, span, text)
        if number in kept.refused:
            self.prepared.refused[self.sheet, at] = kept.refused[number]

    def _shared(self, formula: MarkedFormula) -> None:
        """Rewrite a formula that cells share: the first has its text, the others that of the first, shifted."""
        index, at, span = formula.attributes.get("si", ""), cell_area(formula.address, self.sheet), formula.span
        place, text = (self.sheet, formula.address), formula.text
        if text:
            number = self.prepared.add(place, text)
            is_plain = self._write(number, formula.address, span, text)
            seen = relative(text, at)
            grown = copies_grow(seen)
            self.shared[index] = _Shared(text, at, is_plain and not grown, () if grown else seen)
            return
        if index not in self.shared:
            raise InputError(
                f"damaged workbook: got a shared formula without its text at {'!'.join(place)}, want "
                "one. Open and save it in Excel."
            )
        master, origin, is_plain, seen = self.shared[index]
        down, across = at.top - origin.top, at.left - origin.left
        number = self.prepared.add(place, master, down, across)
        copy = self.copied.get(seen)
        if copy is not None and copy.rewritten is not None:
            self._put(number, span, copy.rewritten.written(at.top, at.left))
        elif not is_plain:
            text = shifted(master, down, across)
            if self._write(number, formula.address, span, text):  # the first may no longer have it
                self._put(number, span, text)

    def _write(self, number: int, address: str, span: Span, text: str) -> bool:
        """Put the rewritten formula in place; return whether nothing had to be done, here nor anywhere further down."""
        self.latest = None
        if self.cached is not None:
            self._put_cached(self.cached, number, address, span)
            return False
        at, array = cell_area(address, self.sheet), self.prepared.arrays.get(number)
        if array is not None:
            self._put(number, span, self._filling(array, number, text, at))
            return False
        seen = relative(text, at)
        if stands_apart(text):
            alone = self._rewritten(Rewriter(self.book, at), number, text)
            self._put(number, span, template(alone).written(at.top, at.left))
            return False
        if seen not in self.copied:
            rewriter = Rewriter(self.book, at)
            rewritten = self._rewritten(rewriter, number, text)
            if not rewriter.moves:
                self._put(number, span, template(rewritten).written(at.top, at.left))
                return False
            is_plain = rewritten == seen and not rewriter.depends_on_place
            self.copied[seen] = Copy(template(seen), None if is_plain else template(rewritten))
        copy = self.copied[seen]
        if not copies_grow(seen):
            self.latest = copy
        if copy.rewritten is None:
            self.plain.add(down_kind(text))
        else:
            self._put(number, span, copy.rewritten.written(at.top, at.left))
        return copy.rewritten is None

    def _filling(self, array: ArrayFormula, number: int, text: str, at: Area) -> str:
        """Return an array formula rewritten so that it fills its area."""
        rewriter = Rewriter(self.book, at, ordinary=False, spills=array.dynamic)
        rewritten = template(self._rewritten(rewriter, number, text)).written(at.top, at.left)
        return f"{SPILL if array.dynamic else FIT}({number},{rewritten})"

    def _rewritten(self, rewriter: Rewriter, number: int, text: str) -> Pieces:
        """Return a formula rewritten, as it reads from its cell, or one that says that it is refused."""
        try:
            rewritten = rewriter.rewritten(text)
        except NotCalculableError as reason:
            why = self.prepared.refused_formulas[number] = f"={text} cannot be calculated: {reason}"
            self.prepared.refused[self.prepared.places[number]] = why
            rewriter.moves = False
            rewritten = f"{REFUSED}()"
        return tuple(self.own_place if piece == PLACE else piece for piece in relative(rewritten, rewriter.at))

    def _put(self, number: int, span: Span, text: str) -> None:
        self.prepared.rewritten[number] = text
        self.found.put(span, text)

    def _data_table(self, formula: MarkedFormula) -> None:
        """Leave the results of a what-if data table as they are stored: nothing but Excel works them out."""
        own = cell_area(formula.address, self.sheet)
        self.found.put(formula.span, None)
        for at in (area(formula.attributes.get("ref", ""), self.sheet) or own).cells():
            self.prepared.refused[self.sheet, address(*at)] = "it is a result of a what-if data table"

    def _make_room(self, filled: list[tuple[Area, Area]]) -> None:
        """Empty the cells that array formulas fill, so that the engine finds room there."""
        within = {address(*at) for array, _ in filled for at in array.cells() if not array.is_cell}
        anchors = {address(anchor.top, anchor.left) for _, anchor in filled}
        if within:
            self.found.empty(within - anchors)
