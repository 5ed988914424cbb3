"""Writes docs/fine_tuning_table.md: measured memory and step time of adapters beside what the plan gives.

Run `python calibration/fine_tuning.py` from the root, where the table of measured runs lies beside the repository.
Memory is compared with the counter that was read: a framework's peak of live tensors with what is allocated, the whole
device with everything. Nothing of memory is fitted to these rows. Time is that of a fit that saw no run of the same
model family on the same generation, in the folds of calibration/training.py.
"""

from collections import defaultdict
from math import log
from pathlib import Path

import numpy as np
from command import parser
from training import FITTED, unseen
from training_measured import cells, runs, shared_rows, unusable
from training_memory import counted

from sizebook.plans.training.rows import work_of_row
from sizebook.training.machine import calibration

OUTPUT = Path(__file__).parents[1] / "docs" / "fine_tuning_table.md"
Errors = dict[tuple[str, str], list[float]]


def settings(row: dict[str, str]) -> dict[str, str]:
    """Return the settings of a row, with what its notes say of them in words."""
    found = cells(row)
    if row["family"] == "torchtune":
        found["stack"] = "torchtune"
    if "query" in row["notes"] and "mlp" not in row["notes"]:
        found["lora_on"] = "query-value"
    return found


def memory_errors() -> Errors:
    """Return predicted over measured memory less 1 by source and kind."""
    found: Errors = defaultdict(list)
    for row in shared_rows():
        if row["kind"] not in ("lora", "qlora") or not row["peak_memory_gib"] or unusable(row):
            continue
        needed = work_of_row(settings(row)).fullest
        found[row["family"], row["kind"]].append(
            counted(row["memory_kind"], needed) / 2**30 / float(row["peak_memory_gib"]) - 1
        )
    return found


def time_errors() -> Errors:
    """Return predicted over measured seconds less 1 by model family, generation and kind, the family left out."""
    every = runs()
    held = unseen(every, np.array([log(calibration()[name]) for name in FITTED]))
    found: Errors = defaultdict(list)
    for run, off in zip(every, held, strict=True):
        recipe = run.work.setup.method.recipe
        if recipe.lora_rank:
            found[run.group, recipe.trained].append(float(np.expm1(off)))
    return found


def _table(found: Errors, what: str) -> list[str]:
    lines = [f"| {what} | trained | runs | mean error | mean difference |", "|---|---|--:|--:|--:|"]
    for (name, kind), errors in sorted(found.items()):
        mean = sum(map(abs, errors)) / len(errors)
        lines.append(f"| {name} | {kind} | {len(errors)} | {mean:.1%} | {sum(errors) / len(errors):+.1%} |")
    every = [error for errors in found.values() for error in errors]
    groups = sum(sum(map(abs, errors)) / len(errors) for errors in found.values()) / len(found)
    mean = sum(map(abs, every)) / len(every)
    lines.append(f"| all | | {len(every)} | {mean:.1%}, of groups {groups:.1%} | {sum(every) / len(every):+.1%} |")
    return lines


def main() -> None:
    """Write and print the table."""
    parser(__doc__).parse_args()
    lines = [
        "Memory, nothing fitted:", "", *_table(memory_errors(), "source"), "",
        "Step time, model family and generation left out of the fit:", "",
        *_table(time_errors(), "model family, generation, framework"), "",
    ]  # fmt: skip
    OUTPUT.write_text("\n".join(lines), encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
