"""How long and with how much memory a workbook may be calculated."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of one calculation.

    Attributes:
        seconds: on the clock, from handing the workbook over to having its values.
        mebibytes: memory of the process that calculates, beyond what it has when it starts.
    """

    seconds: float = 120.0
    mebibytes: int = 4096


LIMITS = Limits()
