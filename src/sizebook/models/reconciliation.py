"""Published against computed: how each model's stated parameter count compares with what its dimensions give.

A statement carries its own precision ("70.6B" is a number between 70.55 and 70.65 billion) and its own scope (some
papers leave the embedding out). The computed count is taken in that scope. It may round to the statement, or be cut to
it ("70B" for 70.55); any other difference needs an explanation in ``data/models.csv``, with the number of parameters
that it accounts for where that is known.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from sizebook.core.errors import InputError
from sizebook.core.tables import Row
from sizebook.core.units import grouped
from sizebook.models import catalog
from sizebook.models.counting import Count

Status = Literal["exact", "rounds to it", "cut to it", "explained", "unexplained", "not stated", "not published"]
What = Literal["total", "active"]

_STATEMENT = re.compile(r"(\d+(?:\.(\d+))?)([KMBT]?)")
_SCALE = {"": 0, "K": 3, "M": 6, "B": 9, "T": 12}

# What a statement counts -> the parameters to take off the computed count.
_SCOPES: dict[str, Callable[[Count], int]] = {
    "": lambda count: 0,
    "without input embedding": lambda count: count.parts["embedding"],
    "without embeddings": lambda count: count.parts["embedding"] + count.parts["lm_head"],
    "without towers": lambda count: count.parts["tower"],
    "without embeddings and towers": lambda count: (
        count.parts["embedding"] + count.parts["lm_head"] + count.parts["tower"]
    ),
    "with MTP, without embeddings": lambda count: count.parts["embedding"] + count.parts["lm_head"] - count.mtp,
}
SCOPES = tuple(_SCOPES)


@dataclass(frozen=True)
class Statement:
    """A parameter count as printed, and half a unit of its last digit: 0 for a count given to the last parameter."""

    text: str
    parameters: int
    half_unit: int

    @property
    def shown(self) -> str:
        """The statement as printed, an exact count in groups of three."""
        return self.text if self.half_unit else grouped(self.parameters)


@dataclass(frozen=True)
class Comparison:
    """One model's stated count beside the computed one; ``difference`` is computed less stated, in the same scope.

    ``unexplained`` is what is left of the difference once the explanation's own number is taken off; it is None where
    the explanation gives no number.
    """

    key: str
    name: str
    family: str
    what: What
    stated: Statement | None
    scope: str
    computed: int | None
    difference: int | None
    explanation: str
    unexplained: int | None
    status: Status
    source: str

    @property
    def relative(self) -> float | None:
        """The difference as a share of the stated count."""
        return self.difference / self.stated.parameters if self.stated and self.difference is not None else None


def statement(text: str) -> Statement:
    """Return a stated count as a number: '70.6B' is 70.6 x 10^9 give or take 0.05 x 10^9.

    Every digit written counts, trailing zeros too. A count without a letter is exact.
    """
    match = _STATEMENT.fullmatch(text)
    if match is None:
        raise InputError(f"not a stated count: got '{text}', want digits with K, M, B or T. Correct data/models.csv.")
    digits, decimals, letter = match[1], len(match[2] or ""), match[3]
    value = int(Decimal(digits).scaleb(_SCALE[letter]))
    unit = Decimal(1).scaleb(_SCALE[letter] - decimals)
    return Statement(text, value, int(unit / 2) if letter else 0)


def compare(name: str, what: What = "total") -> Comparison:
    """Return how the stated total or active count of one model compares with the computed one."""
    row = catalog.facts(name)
    text = row[f"published_{what}"]
    stated = statement(text) if text else None
    scope = row[f"{what}_scope"]
    if not row["architecture"]:
        return _comparison(row, what, stated, scope, None)
    count = catalog.counted(row["key"])
    computed = (count.total if what == "total" else count.active) - _left_out(row, scope, count)
    return _comparison(row, what, stated, scope, computed)


def _left_out(row: Row, scope: str, count: Count) -> int:
    if scope not in _SCOPES:
        wanted = ", ".join(f"'{known}'" for known in SCOPES)
        raise InputError(
            f"unknown scope: got '{scope}' for {row['key']}, want one of {wanted}. Correct data/models.csv."
        )
    return _SCOPES[scope](count)


def _comparison(row: Row, what: What, stated: Statement | None, scope: str, computed: int | None) -> Comparison:
    explanation = row["explanation" if what == "total" else "explanation_active"]
    accounted = row["explained_parameters"] if what == "total" else ""
    difference = computed - stated.parameters if stated is not None and computed is not None else None
    unexplained = difference + int(accounted) if difference is not None and accounted else None
    return Comparison(
        key=row["key"],
        name=row["name"],
        family=row["family"],
        what=what,
        stated=stated,
        scope=scope,
        computed=computed,
        difference=difference,
        explanation=explanation,
        unexplained=unexplained,
        status=agreement(stated, computed, explanation, unexplained),
        source=row["source"],
    )


def agreement(
    stated: Statement | None, computed: int | None, explanation: str = "", unexplained: int | None = None
) -> Status:
    """Return how a computed count stands to a stated one; see `Comparison` for what is left ``unexplained``."""
    if computed is None:
        return "not published"
    if stated is None:
        return "not stated"
    difference = computed - stated.parameters
    if difference == 0:
        return "exact"
    if abs(difference) <= stated.half_unit:
        return "rounds to it"
    if explanation and (unexplained is None or abs(unexplained) <= stated.half_unit):
        return "explained"
    return "cut to it" if 0 < difference < 2 * stated.half_unit else "unexplained"


def reconcile() -> tuple[Comparison, ...]:
    """Return the comparison of totals for the whole catalog, then of active parameters where they are stated."""
    totals = [compare(key) for key in catalog.model_keys()]
    active = [compare(key, "active") for key in catalog.model_keys() if catalog.facts(key)["published_active"]]
    return (*totals, *active)
