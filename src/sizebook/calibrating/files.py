"""Writes the file of own rates that `sizebook.tables.own_rates` reads."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from sizebook import __version__
from sizebook.calibrating.calibration import SetupCalibration
from sizebook.sources.writing import csv_text, write_whole
from sizebook.tables.own_rates import COLUMNS, FACTORS, QUANTILES


def write(found: Sequence[SetupCalibration], tables: Sequence[Path], output: Path) -> None:
    """Write the factors and spreads of the setups that are kept; the file appears whole or not at all."""
    named = ", ".join(table.name for table in tables)
    head = f"# Own rates: factors on seconds of the rates that sizebook {__version__} ships, fitted to {named}.\n"
    rows = (row for each in found if each.kept for row in _rows(each))
    write_whole(output, (head + csv_text(COLUMNS, rows)).encode())


def _rows(each: SetupCalibration) -> Iterator[tuple[object, ...]]:
    setup, fitted = each.setup, each.fitted
    head = (setup.plan, setup.gpu, setup.software)
    for name, value in fitted.factors.items():
        yield (*head, "", name, f"{value:.4g}", fitted.runs, each.groups, FACTORS[setup.plan][name])
    for (kind, figure), spread in fitted.spreads.items():
        for quantile, value in zip(QUANTILES, (spread.low, spread.middle, spread.high), strict=True):
            meaning = f"measured over predicted {figure} of runs left out"
            yield (*head, kind, f"{figure}_{quantile}", f"{value:.4g}", spread.runs, spread.groups, meaning)
