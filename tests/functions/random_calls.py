"""Random calls of registered functions: admissible values and what people, spreadsheets and attackers put into cells.

Each argument is drawn from what its quantity declares; now and then one argument, or every one, holds something else:
errors, blanks, huge and tiny numbers, fractions, text, lists, ranges. The same seed gives the same calls.
"""

import math
import random
from collections.abc import Iterator
from datetime import date, datetime
from typing import Any

from sizebook.core.errors import CellError, InputError
from sizebook.core.registry import Function
from sizebook.core.sections import Argument
from sizebook.models import catalog
from tests.functions.points import drawn

# Of ten calls so many have admissible arguments only, one that is not, and nothing but such.
ADMISSIBLE, ONE_WILD, ALL_WILD = 5, 4, 1
MEANT = 3  # arguments drawn at a time, of many
FROM_TABLE = 0.7  # chance of a key of a table, where the example has one too
MUTATED = 0.15  # chance that a cell of an example's range is replaced
CUT = 0.1  # chance that a call ends before its last argument

# fmt: off
WHOLE = (
    0, 1, -1, 2, 3, 7, 61, 1000, 1200, 2**31, 2**53, 2**53 + 1, 10**15, 10**18, 10**30, -(10**18), 10**400, 10**4000,
    10**5000, -(10**5000),
)
FRACTIONS = (
    0.0, -0.0, 0.5, 1.5, -0.5, 1e-9, 5e-324, 1e-308, 0.1 + 0.2, 1 - 1e-16, 1 + 1e-12, 1e15, 1e100, 1e154, 1e300,
    1.7976931348623157e308, -1.7976931348623157e308, math.inf, -math.inf, math.nan,
)
TEXTS = (
    "", " ", "abc", "0", "-1", "2T", "70B", "4k", "1e400", "1e-400", "9" * 400, "9" * 5000, "0" * 5000 + "1", "½", "٣",
    "१२", "1,5", "1.000,5", "TRUE", "no", "=1+1", "llama-3.1-8b", "h100-sxm", "h100-smx", "bf16", "/dev/zero",
    "../x.json", ".", "\0", "\ud800", "x" * 40_000, "a\nb", "tp=8", "tp=8; tp=4", "a=b=c", "100:0.5, 200:0.5",
    "1, 1, x", "1:2:3:4", ",", "2026-12-31", "2026-13-01", "0000-00-00", "{}", "%s", "-" * 1000, "#REF!", "#N/A",
)
OTHERS = (
    None, True, False, date(2026, 11, 22), datetime(2026, 11, 22, 6, 0), CellError("#REF!"),
    InputError("x: got y, want z. Mend it."), [], [[]], [[None]], [[1]], [[1, 2], [3, 4]], [[1], [None], ["x"]],
    [[1], [2, 3]], [1, 2, 3], (1,), [["tp", 8], ["dp", 0]], [["a"], [CellError("#N/A")]], [[math.nan]], {}, {"a": 1},
    b"x", 1j, object(),
)
# fmt: on


def calls(function: Function, n_calls: int, seed: int) -> Iterator[list[Any]]:
    """Yield the cells of so many calls of a function."""
    rng = random.Random(f"{function.name} {seed}")
    arguments = function.arguments
    for _ in range(n_calls):
        # Of many arguments drawn at once, two contradict each other: half of the calls keep most of the example.
        share = rng.choice((1.0, MEANT / len(arguments)))
        cells = [
            _admissible(function, each, rng) if rng.random() < share else function.example[0].get(each.name)
            for each in arguments
        ]
        mode = rng.randrange(ADMISSIBLE + ONE_WILD + ALL_WILD)
        if mode >= ADMISSIBLE + ONE_WILD:
            cells = [_wild(rng) for _ in arguments]
        elif mode >= ADMISSIBLE:
            cells[rng.randrange(len(cells))] = _wild(rng)
        yield cells[: rng.randrange(len(cells) + 1)] if rng.random() < CUT else cells


def _admissible(function: Function, argument: Argument, rng: random.Random) -> Any:
    """Return a value that the quantity of an argument allows, or that the function's example has."""
    if argument.quantity.kind not in ("range", "list", "text", "date"):
        return drawn(argument, rng)
    keys = catalog.model_keys() if argument.name == "model" else argument.quantity.allowed
    if keys and rng.random() < FROM_TABLE:
        return rng.choice(keys)
    example = function.example[0].get(argument.name)
    return [_mutated(each, rng) for each in example] if isinstance(example, (list, tuple)) else example


def _mutated(cell: Any, rng: random.Random) -> Any:
    """Return a cell, or the cells of a row, of which some are multiplied or replaced."""
    if isinstance(cell, (list, tuple)):
        return [_mutated(each, rng) for each in cell]
    if rng.random() > MUTATED:
        return cell
    return cell * rng.choice((0, 0.5, 2, 1e9)) if isinstance(cell, (int, float)) else _wild(rng)


def _wild(rng: random.Random) -> Any:
    """Return one of the things that stand in cells without being meant for an argument."""
    kind = rng.randrange(5)
    if kind == 4:
        return rng.choice((1, -1)) * 10 ** rng.uniform(-320, 308)
    return rng.choice((WHOLE, FRACTIONS, TEXTS, OTHERS)[kind])
