"""What a recalculation gives."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sizebook.calculation.tokens import Area
from sizebook.calculation.values import ErrorCode

# What a cell shows for a formula that cannot be read, is not calculated here, or names what nobody defined.
_NOT_CALCULATED = ("#ERROR!", "#N/IMPL!", "#NAME?")
Place = tuple[str, str]  # sheet and address


class Later(Mapping[Place, Any]):
    """Cells of a workbook without formulas and errors, which are read once somebody asks for one."""

    def __init__(self, read: Callable[[], Mapping[Place, Any]]) -> None:
        self._read = read

    @cached_property
    def _cells(self) -> Mapping[Place, Any]:
        return self._read()

    def __getitem__(self, place: Place) -> Any:
        return self._cells[place]

    def __iter__(self) -> Iterator[Place]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)


@dataclass(frozen=True)
class Calculated:
    """The cells of a recalculated workbook.

    Attributes:
        values: what each used cell shows, by sheet and address; an error is an `ErrorCode`, a whole number an integer.
        spilled: the area that each array formula fills, by the sheet and address of its first cell.
        problems: for every cell where an error begins, what is wrong: a registered function's own message, otherwise
            the formula. Cells that show an error because another does are left out.
        not_calculated: the cells that cannot be calculated: what they would need is refused, or nobody knows it, or
            they rest on such a cell. They show ``#N/IMPL!``, ``#ERROR!`` or ``#NAME?``.
        engine: which engine worked it out, name and version; nothing where there was no formula to work out.
    """

    values: Mapping[Place, Any]
    spilled: Mapping[Place, Area]
    problems: Mapping[Place, str]
    not_calculated: tuple[Place, ...] = ()
    engine: str = ""

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs: the cells as three lists, in half the time of a pair for each."""
        sheets = [sheet for sheet, _ in self.values]
        addresses = "\0".join(at for _, at in self.values)
        return {**vars(self), "values": (sheets, addresses, list(self.values.values()))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        sheets, addresses, shown = state["values"]
        values = dict(zip(zip(sheets, addresses.split("\0"), strict=True), shown, strict=True)) if sheets else {}
        self.__dict__.update(state, values=values)

    def __getitem__(self, place: Place) -> Any:
        """Return what a cell shows, None for an empty one."""
        return self.values.get(place)

    @property
    def n_errors(self) -> int:
        """How many cells show an error, whether it begins there or comes from another cell."""
        if isinstance(self.values, Later):
            return 0
        return sum(isinstance(value, ErrorCode) for value in self.values.values())


def is_not_calculated(value: Any) -> bool:
    """Return whether a value is an error that says that the formula itself was not understood."""
    return isinstance(value, ErrorCode) and value in _NOT_CALCULATED
