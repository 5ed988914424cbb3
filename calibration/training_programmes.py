"""Writes the planned GPU-hours of `data/training_programmes.csv`, and docs/training_programmes_table.md.

Run `python calibration/training_programmes.py` from the root of the repository whenever the model of time changes. The
plan is that of `sizebook plan train` for the published model, GPUs, tokens and batch; where no layout is published the
fastest that fits is searched. Default failures and checkpoints are in it, start-up is not.
"""

from __future__ import annotations

import csv
from math import exp, log, sqrt
from pathlib import Path

from sizebook.batch.jobs import scenario_of
from sizebook.core.tables import DATA, Row, table
from sizebook.plans.training.plan import unchecked_plan
from sizebook.scenarios.training import TrainingScenario, training_inputs
from sizebook.training.programme import error, law, points

SOURCE = DATA / "training_programmes.csv"
OUTPUT = Path(__file__).parents[1] / "docs" / "training_programmes_table.md"


def planned_gpu_hours(row: Row) -> float:
    """Return the GPU-hours that the plan gives a programme."""
    given: dict[str, object] = {name: row[name] for name in ("model", "gpu", "gpus", "tokens", "batch", "seq")}
    for setting in filter(None, row["layout"].split(";")):
        name, _, value = setting.partition("=")
        given[name] = value
    numbers = {name: _number(str(value)) for name, value in given.items()}
    # The price plays no part in hours, and not every accelerator has one.
    scenario = scenario_of({"plan": "training", "price_usd_per_gpu_hour": 1.0, **numbers}, row["model"], Path())
    assert isinstance(scenario, TrainingScenario)
    return unchecked_plan(training_inputs(scenario)).middle.gpu_hours


def _number(text: str) -> object:
    return int(text) if text.isdigit() else text


def write(rows: tuple[Row, ...]) -> None:
    """Write the table with its planned hours."""
    with SOURCE.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            hours = planned_gpu_hours(row)
            ratio = float(row["gpu_hours"]) / hours
            writer.writerow({**row, "planned_gpu_hours": f"{hours:.0f}", "ratio": f"{ratio:.3f}"})


def page() -> str:
    """Return the table beside the law as Markdown."""
    lines = [
        "| programme | GPUs | published GPU-hours | planned | ratio | law |", "|---|--:|--:|--:|--:|--:|"
    ]  # fmt: skip
    for row in table("training_programmes"):
        gpus = f"{row['gpus']} {row['gpu']}" + ("" if row["gpus_published"] == "yes" else " (taken, not in the law)")
        hours, planned = (f"{float(row[name]) / 1000:,.1f} k" for name in ("gpu_hours", "planned_gpu_hours"))
        lines.append(
            f"| {row['model']} | {gpus} | {hours} | {planned} | {row['ratio']} | "
            f"{law().factor(float(row['gpus'])):.2f} |"
        )
    found = law()
    return "\n".join(
        [*lines, "", f"Law: {exp(found.intercept):.3f} x GPUs^{found.slope:.4f}, "
         f"held outside {found.fewest:.0f} to {found.most:.0f} GPUs. A family that it had not seen lies off it by a "
         f"factor of {error():.2f} (root mean square); off one constant for all by {_constant_error():.2f}.", ""]
    )  # fmt: skip


def _constant_error() -> float:
    """Return the same of one geometric mean for every number of GPUs: what scale adds to it."""
    found = points()
    families = list(dict.fromkeys(each[0] for each in found))
    means = {one: _mean([log(ratio) for name, _, ratio in found if name == one]) for one in families}
    squares = []
    for one in families:
        rest = _mean([means[other] for other in families if other != one])
        squares.append(_mean([(log(ratio) - rest) ** 2 for name, _, ratio in found if name == one]))
    return exp(sqrt(_mean(squares)))


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


def main() -> None:
    write(table("training_programmes"))
    for cached in (table, law, error):
        cached.cache_clear()
    OUTPUT.write_text(page(), encoding="utf-8")
    print(page())


if __name__ == "__main__":
    main()
