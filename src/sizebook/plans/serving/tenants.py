"""Tenants of a fleet: the shares by which its cost is split, to the cent."""

import math
from collections.abc import Sequence
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.sections import quantity, section


@section
class Tenants:
    """Who shares a fleet."""

    tenant_shares: Any = quantity(
        "shares of the traffic of tenants, among whom the cost is split; they add up to 1",
        default=None,
        label="Shares of tenants",
    )

    def __post_init__(self) -> None:
        _ = self.shares

    @property
    def shares(self) -> tuple[float, ...]:
        """The shares of tenants, none where nobody named any."""
        given = self.tenant_shares
        if given is None:
            return ()
        shares = tuple(given) if isinstance(given, (list, tuple)) else (given,)
        if not all(isinstance(each, (int, float)) and each >= 0 for each in shares) or abs(sum(shares) - 1) > 1e-6:
            raise InputError(
                f"tenants are not the whole: got {given!r} in tenant_shares, want shares of 0 or more that add up to "
                "1. Correct them."
            )
        return shares


def in_cents(total: float, parts: Sequence[float]) -> tuple[float, ...]:
    """Return the parts of a bill in whole cents, which add up to the bill: the last part takes what rounding leaves.

    Nothing where there are no parts; a bill that is not listed has parts that are not.
    """
    if not parts or math.isnan(total):
        return tuple(parts)
    cents = [round(part * 100) for part in parts[:-1]]
    return tuple(each / 100 for each in (*cents, round(total * 100) - sum(cents)))
