"""Rates fitted to somebody's own measured runs: the file that `sizebook calibrate` writes.

A row is one number of one *setup*: a plan, an accelerator and a framework or engine. Factors multiply the seconds that
the shipped rates give, 1.1 is a tenth slower; quantiles are measured over predicted for one kind of model. A setup that
the file does not hold keeps the shipped rates, and its basis says so.
"""

import csv
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from sizebook.core.errors import InputError, RangeError
from sizebook.core.sections import Quantity
from sizebook.core.tables import Row
from sizebook.core.texts import text
from sizebook.intake.files import as_it_stands, decoded, read_bytes
from sizebook.intake.text_formats import refuse_repeated

TRAINING, SERVING = "training", "serving"
COLUMNS = ("plan", "gpu", "software", "kind", "name", "value", "runs", "groups", "meaning")
# What is fitted of each plan: factors on seconds. Few, so that few runs suffice.
FACTORS = {
    TRAINING: {
        "compute": "factor on the seconds of products, scores and memory traffic",
        "network": "factor on the seconds of collectives inside and across nodes",
        "launch": "factor on the seconds of launching kernels and of what is fixed in a step",
    },
    SERVING: {
        "compute": "factor on the seconds of kernels: products, attention, experts",
        "network": "factor on the seconds of collectives",
        "launch": "factor on the seconds of scheduling and of what is fixed in a layer",
        "first_token": "factor on the seconds that stand before a first token beside its prompt",
    },
}
FIGURES = {TRAINING: ("step",), SERVING: ("tpot", "ttft", "throughput")}
# What kinds of model are told apart around predictions.
KINDS = {TRAINING: ("dense", "experts", "hybrid", "adapters"), SERVING: ("dense", "experts")}
QUANTILES = ("p10", "p50", "p90")
LEAST, MOST = 0.02, 50.0
SHIPPED = text("shipped rates")

RatesFile = Annotated[
    str,
    Quantity(
        "file of own rates that sizebook calibrate wrote, blank for the shipped rates",
        default="",
        label="Own rates",
        check=lambda file: own_rates(file),
    ),
]


@dataclass(frozen=True)
class Setup:
    """What rates are fitted for: training or serving, an accelerator, a framework or engine."""

    plan: str
    gpu: str
    software: str

    @property
    def words(self) -> str:
        return f"{self.plan} on {self.gpu} with {self.software}"


@dataclass(frozen=True)
class Spread:
    """Measured over predicted of own runs: 10th, 50th and 90th percentile, and how many runs and groups gave them."""

    low: float
    middle: float
    high: float
    runs: int
    groups: int


@dataclass(frozen=True)
class Fitted:
    """What the file holds of one setup: factors by name, spreads by kind of model and figure, and how many runs."""

    factors: Mapping[str, float]
    spreads: Mapping[tuple[str, str], Spread]
    runs: int


@dataclass(frozen=True)
class OwnRates:
    """A file of own rates: its name, the first digits of its SHA-256, and what it holds of each setup."""

    name: str
    digest: str
    setups: Mapping[Setup, Fitted] = field(default_factory=dict)


def fitted_of(rates_file: str, setup: Setup) -> Fitted | None:
    """Return what a file of own rates holds of a setup; None where no file is named or it holds nothing of it."""
    return own_rates(rates_file).setups.get(setup) if rates_file else None


def factors_of(rates_file: str, setup: Setup) -> Mapping[str, float]:
    """Return the factors on seconds of a setup by name, empty where the shipped rates hold."""
    found = fitted_of(rates_file, setup)
    return found.factors if found else {}


def spread_of(rates_file: str, setup: Setup, kind: str, figure: str) -> Spread | None:
    """Return the spread of own runs of a kind of model around predictions, None where too few were measured."""
    found = fitted_of(rates_file, setup)
    return found.spreads.get((kind, figure)) if found else None


def basis_of(rates_file: str, setup: Setup) -> str:
    """Return in words which rates a plan of a setup takes: the shipped ones, or the file, its hash and its runs."""
    if not rates_file:
        return SHIPPED
    rates = own_rates(rates_file)
    said, found = f"own rates {rates.name}, sha256 {rates.digest}", rates.setups.get(setup)
    if found is None:
        return f"{SHIPPED}: {said}, hold no runs of {setup.words}"
    return f"{said}: {found.runs} runs of {setup.words}"


def digest_of(rates_file: str) -> str:
    """Return the first digits of the SHA-256 of a file of own rates, blank for the shipped: what caches ask for."""
    return own_rates(rates_file).digest if rates_file else ""


def own_rates(rates_file: str) -> OwnRates:
    """Return a file of own rates, read again when it has changed.

    Errors: no such file, a column, name or number that is not one of its.
    """
    return as_it_stands(Path(rates_file), _read)


def _read(path: Path) -> OwnRates:
    content = read_bytes(path, _WANTED, "scenario_bytes")
    rows = _rows(decoded(content, path.name, _WANTED), path)
    return OwnRates(path.name, hashlib.sha256(content).hexdigest()[:12], _setups(rows, path.name))


_WANTED = "own rates that sizebook calibrate wrote"
_FIX = "Give the file that sizebook calibrate wrote."


def _rows(text: str, path: Path) -> list[tuple[int, Row]]:
    """Return the rows of the file, each with its line; lines that start with # are remarks."""
    at = 0

    def counted() -> Iterator[str]:
        nonlocal at
        for line in text.splitlines():
            at += 1
            if not line.startswith("#"):
                yield line

    reader = csv.DictReader(counted())
    refuse_repeated(list(reader.fieldnames or ()), path)
    return [(at, row) for row in reader]


def _setups(rows: list[tuple[int, Row]], where: str) -> dict[Setup, Fitted]:
    if not rows:
        raise InputError(f"not own rates: got no rows in {where}, want at least one. {_FIX}")
    factors: dict[Setup, dict[str, float]] = {}
    quantiles: dict[Setup, dict[tuple[str, str], dict[str, float]]] = {}
    counts: dict[tuple[Setup, str], tuple[int, int]] = {}
    for line, row in rows:
        setup, name, value = _checked(row, f"{where}, line {line}")
        figure, _, quantile = name.rpartition("_")
        kind = row["kind"] if quantile in QUANTILES else ""
        counts[setup, kind] = _whole(row["runs"], line, where), _whole(row["groups"], line, where)
        into = factors.setdefault(setup, {})
        if quantile in QUANTILES:
            into, name = quantiles.setdefault(setup, {}).setdefault((kind, figure), {}), quantile
        if name in into:
            raise InputError(f"{where}, line {line}: rate given twice: got {row['name']} again, want it once. {_FIX}")
        into[name] = value
    return {
        setup: Fitted(
            found,
            {key: _spread(ends, *counts[setup, key[0]], where) for key, ends in quantiles.get(setup, {}).items()},
            counts.get((setup, ""), (0, 0))[0],
        )
        for setup, found in factors.items()
    }


def _checked(row: Row, where: str) -> tuple[Setup, str, float]:
    """Return the setup, the name and the number of a row, or refuse what no such file holds."""
    if missing := [name for name in COLUMNS if row.get(name) is None]:
        raise InputError(f"{where}: not own rates: got no {', '.join(missing)}, want {', '.join(COLUMNS)}. {_FIX}")
    plan, name = row["plan"], row["name"]
    known = [*FACTORS.get(plan, ()), *(f"{figure}_{q}" for figure in FIGURES.get(plan, ()) for q in QUANTILES)]
    if name not in known:
        raise InputError(
            f"{where}: unknown rate: got '{name}' of plan '{plan}', want one of "
            f"{', '.join(known) or f'plan {TRAINING} or {SERVING}'}. {_FIX}"
        )
    if name.rpartition("_")[2] in QUANTILES and row["kind"] not in KINDS[plan]:
        raise InputError(
            f"{where}: unknown kind: got '{row['kind']}' of {name}, want one of {', '.join(KINDS[plan])}. {_FIX}"
        )
    try:
        value = float(row["value"])
    except ValueError:
        value = float("nan")
    if not LEAST <= value <= MOST:
        raise RangeError(
            f"{where}: {name} is out of range: got {row['value']}, want {LEAST:g} to {MOST:g}. Calibrate again."
        )
    return Setup(plan, row["gpu"], row["software"]), name, value


def _whole(text: str, line: int, where: str) -> int:
    if not text.isdecimal():
        raise InputError(f"{where}, line {line}: not a count: got '{text}', want a whole number. {_FIX}")
    return int(text)


def _spread(ends: Mapping[str, float], runs: int, groups: int, where: str) -> Spread:
    found = [ends.get(quantile, float("nan")) for quantile in QUANTILES]
    low, middle, high = found
    if not (low <= middle <= high and low <= 1 <= high):  # what is predicted, 1, is the middle case of every plan
        raise InputError(
            f"{where}: not a band: got {', '.join(f'{each:g}' for each in found)}, want p10, p50 and p90 that grow, 1 "
            f"between the first and the last. {_FIX}"
        )
    return Spread(low, middle, high, runs, groups)
