"""Logs of training runs as rows of measured runs: torchtitan, Megatron, NeMo.

How a log says what is told by ``data/training_logs.toml``: a new trainer is a table there and no code.
"""

import math
import re
from pathlib import Path
from statistics import median
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.tables import toml_tables
from sizebook.intake.files import check_regular, decoded

TRAINERS = toml_tables("training_logs")
KINDS = (".log", ".out", ".txt")
# Columns of a run that change its time: what a log does not say of them is asked for.
OF_THE_RUN = (
    "model",
    "gpu",
    "gpus",
    "batch",
    "seq",
    "tp",
    "pp",
    "micro_batch",
    "zero_stage",
    "recompute",
    "compute_dtype",
)
_COLOURS = re.compile(r"\x1b\[[\d;]*m")
_MS = "measured_step_ms"


def log_rows(path: Path) -> list[dict[str, Any]]:
    """Return the one row that a log is: its settings, and the median of its steps at the last size of batch.

    The first step of a log is left out, in which kernels are compiled and caches are cold.

    Errors: no line of a step that is known, one step alone, a figure that is no number.
    """
    check_regular(path, "a log of a training run", "table_bytes")
    text = _COLOURS.sub("", decoded(path.read_bytes(), path.name, "a log of a training run"))
    for said in TRAINERS.values():
        if steps := [(line, found) for line in text.splitlines() if (found := re.search(said["measured"], line))]:
            return [_row(path.name, text, said, steps)]
    raise InputError(
        f"unknown log: got no line of a step as {', '.join(TRAINERS)} write it in {path.name}, want some. Give a "
        "table with the columns of 'sizebook sweep' instead."
    )


def _row(name: str, text: str, said: dict[str, Any], steps: list[tuple[str, re.Match[str]]]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for pattern in said["settings"]:
        if found := re.search(pattern, text):
            row = {**found.groupdict(), **row}
    if "gpus" in said and all(name in row for name in said["gpus"]):
        row["gpus"] = math.prod(int(row[name]) for name in said["gpus"])
    batches = [_batch(line, said) for line, _ in steps]
    if batches[-1] is not None:
        row["batch"] = batches[-1]
    ((column, _),) = steps[0][1].groupdict().items()
    kept = [_number(found[column], name) for at, (_, found) in enumerate(steps) if at and batches[at] == batches[-1]]
    if not kept:
        raise InputError(f"too few steps: got 1 in {name}, want 2 or more, as the first warms up. Give a longer log.")
    row[column] = median(kept)
    if column == _MS:
        row["measured_step_seconds"] = row.pop(_MS) / 1000
    return {key: value for key, value in row.items() if not key.startswith("dp_")}


def _batch(line: str, said: dict[str, Any]) -> str | None:
    found = re.search(said["batch"], line) if "batch" in said else None
    return found["batch"] if found else None


def _number(text: str, name: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        raise InputError(f"no number: got '{text}' for a step in {name}, want one. Mend the log.") from None
