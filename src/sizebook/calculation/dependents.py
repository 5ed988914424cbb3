"""What rests on what: the cells that cannot be calculated with all that rest on them, and where errors begin."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from sizebook.calculation.calculated import Place, is_not_calculated
from sizebook.calculation.prepared import Prepared
from sizebook.calculation.tokens import Area, address, area, cell_at, references
from sizebook.calculation.values import ErrorCode

RESTS = "it rests on a cell that cannot be calculated"
_MOST_CELLS = 50_000  # areas longer than this are looked through by the cells in error instead


def not_calculable(prepared: Prepared, errors: Mapping[Place, ErrorCode]) -> dict[Place, str]:
    """Return the cells that cannot be calculated and why: those refused, those not understood, and what rests on them.

    An error is seen as such also where a formula would hide it (IFERROR, COUNT): its value would be a guess. A cell
    that Excel too shows as #NAME? is an error like others.
    """
    found = dict(prepared.refused)
    for place, code in errors.items():
        if is_not_calculated(code) and place in prepared.formula_places and prepared.stored_errors.get(place) != code:
            found.setdefault(place, "")
    if not found:
        return found
    users = _Users(prepared)
    todo = list(found)
    while todo:
        place = todo.pop()
        for user in users.of(place):
            if user not in found:
                found[user] = RESTS
                todo.append(user)
    return found


class _Users:
    """Which formulas refer to a cell; those that may refer to a sheet are read once it is asked for."""

    def __init__(self, prepared: Prepared) -> None:
        self._prepared = prepared
        self._by_sheet: dict[str, _UsersOfSheet] = {}

    def of(self, place: Place) -> Iterator[Place]:
        at = area(place[1], place[0])
        if at is None:
            return
        sheet = at.sheet.casefold()
        if sheet not in self._by_sheet:
            self._by_sheet[sheet] = self._of_sheet(sheet)
        yield from self._by_sheet[sheet].of(at)

    def _of_sheet(self, sheet: str) -> _UsersOfSheet:
        """Return what refers to a sheet: formulas that stand on it or name it."""
        found = _UsersOfSheet()
        for place, text in self._prepared.may_refer_to(sheet):
            for source in _references(place, text):
                if source.sheet.casefold() == sheet:
                    found.note(source, place)
        for number, array in self._prepared.arrays.items():
            own, at = self._prepared.places[number]
            if own.casefold() == sheet and (anchor := cell_at(at)) is not None:
                found.single[anchor] += [(own, address(*cell)) for cell in array.filled.cells() if cell != anchor]
        return found


class _UsersOfSheet:
    """Which formulas refer to the cells of one sheet."""

    def __init__(self) -> None:
        self.single: dict[tuple[int, int], list[Place]] = defaultdict(list)
        self._areas: list[tuple[Area, Place]] = []

    def note(self, source: Area, user: Place) -> None:
        if source.is_cell:
            self.single[source.top, source.left].append(user)
        else:
            self._areas.append((source, user))

    def of(self, at: Area) -> Iterator[Place]:
        yield from self.single.get((at.top, at.left), ())
        for source, user in self._areas:
            if _inside(at, source):
                yield user


def _references(place: Place, text: str) -> Iterator[Area]:
    for reference in references(text):
        source = area(reference.rstrip("#"), place[0])
        if source is not None:
            yield source


def problems(
    prepared: Prepared, errors: Mapping[Place, ErrorCode], messages: Mapping[Place, str], refused: Mapping[Place, str]
) -> dict[Place, str]:
    """Return for every cell where an error begins what is wrong, in the order of the sheets."""
    if not errors:
        return {}
    texts = dict(zip(prepared.places, prepared.texts, strict=True))
    wrong = _Cells(errors)
    filled = _filled_in_error(prepared, errors)
    found = {}
    for place, code in errors.items():
        reason = refused.get(place) or messages.get(place)
        text = texts.get(place, "")
        if reason == RESTS or (reason is None and (place in filled or _follows(place, text, wrong))):
            continue
        found[place] = reason or (f"={text} gives {code}" if text else f"the cell gives {code}")
    return found


class _Cells:
    """Cells to be looked up by area."""

    def __init__(self, places: Iterable[Place]) -> None:
        self._by_sheet: dict[str, dict[tuple[int, int], Area]] = defaultdict(dict)
        for sheet, at in places:
            found = area(at, sheet)
            if found is not None:
                self._by_sheet[sheet.casefold()][found.top, found.left] = found

    def any_in(self, source: Area, but: Area) -> bool:
        cells = self._by_sheet.get(source.sheet.casefold(), {})
        if (source.bottom - source.top + 1) * (source.right - source.left + 1) < min(len(cells), _MOST_CELLS):
            return any(at in cells and cells[at] != but for at in source.cells())
        return any(_inside(cell, source) and cell != but for cell in cells.values())


def _follows(place: Place, text: str, errors: _Cells) -> bool:
    """Return whether a formula refers to a cell that is itself in error, so that mending that one may mend this."""
    own = area(place[1], place[0])
    sources = (area(reference, place[0]) for reference in references(text))
    return own is not None and any(source is not None and errors.any_in(source, own) for source in sources)


def _filled_in_error(prepared: Prepared, errors: Mapping[Place, ErrorCode]) -> set[Place]:
    """Return the cells that an array formula of a fixed area fills with the error of its first cell."""
    found: set[Place] = set()
    for number, array in prepared.arrays.items():
        anchor = prepared.places[number]
        if not array.dynamic and anchor in errors:
            found |= {(anchor[0], address(*at)) for at in array.filled.cells()} - {anchor}
    return found


def _inside(cell: Area, source: Area) -> bool:
    same_sheet = cell.sheet.casefold() == source.sheet.casefold()
    return same_sheet and source.top <= cell.top <= source.bottom and source.left <= cell.left <= source.right
