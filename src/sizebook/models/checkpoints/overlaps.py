"""Counts the numbers of a storage once, however many tensors look at them, in whole or in part."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import product

MOST_PIECES = 100_000
Piece = tuple[int, int]  # first element and the one behind the last


def covered_extent(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """Return the elements of a storage from the first to the last of a tensor."""
    return 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides, strict=True))


def pieces(offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> list[Piece] | None:
    """Return the unbroken pieces of a storage that a tensor covers; None for more than `MOST_PIECES`."""
    length, outer, n_pieces = 1, list[range](), 1
    for stride, extent in sorted(zip(strides, shape, strict=True)):
        if stride <= length:
            length += stride * (extent - 1)
        else:
            outer.append(range(0, stride * extent, stride))
            n_pieces *= extent
    if n_pieces > MOST_PIECES:
        return None
    return sorted((offset + sum(steps), offset + sum(steps) + length) for steps in product(*outer))


@dataclass
class Covered:
    """What tensors have covered of one storage: ends of disjoint pieces, in order."""

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)

    def add(self, piece: Piece) -> int:
        """Cover a piece; return how many of its elements nothing covered before."""
        start, end = piece
        low, high = bisect_left(self.ends, start), bisect_right(self.starts, end)
        known = sum(
            max(0, min(end, its_end) - max(start, its_start))
            for its_start, its_end in zip(self.starts[low:high], self.ends[low:high], strict=True)
        )
        joined = (min([start, *self.starts[low:high]]), max([end, *self.ends[low:high]]))
        self.starts[low:high], self.ends[low:high] = [joined[0]], [joined[1]]
        return end - start - known
