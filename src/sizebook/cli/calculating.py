"""The options of a command that calculates a workbook: how long, with how much memory, and whether all of it must."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click

from sizebook.calculation.limits import LIMITS, Limits


@dataclass(frozen=True)
class Calculation:
    """What the options of a calculation say."""

    limits: Limits
    strict: bool


def calculation_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--strict`` and the limits to a command, which takes them together as ``calculation``."""

    @click.option("--strict", is_flag=True, help="Refuse a workbook with formulas that cannot be calculated.")
    @click.option(
        "--calculation-seconds",
        type=click.FloatRange(min=0, min_open=True),
        default=LIMITS.seconds,
        show_default=True,
        help="Most time to calculate.",
    )
    @click.option(
        "--calculation-mib",
        type=click.IntRange(min=64),
        default=LIMITS.mebibytes,
        show_default=True,
        help="Most memory to calculate with.",
    )
    @wraps(command)
    def together(*, strict: bool, calculation_seconds: float, calculation_mib: int, **others: Any) -> Any:
        return command(calculation=Calculation(Limits(calculation_seconds, calculation_mib), strict), **others)

    return together
