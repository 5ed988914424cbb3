"""Writes the planned GPU-hours of `data/training_programmes.csv`, and docs/training_programmes_table.md.

Run `python calibration/training_programmes.py` from the root of the repository whenever the model of time changes. The
plan is that of `sizebook plan train` for the published model, GPUs, tokens and batch; where no layout is published the
fastest that fits is searched. Default failures and checkpoints are in it, start-up is not.
"""

import csv
from collections import Counter
from collections.abc import Sequence
from math import exp, log, sqrt
from pathlib import Path

import numpy as np
from command import parser

from sizebook.batch.plan_kinds import scenario_of
from sizebook.core.tables import DATA, Row, shipped, table
from sizebook.plans.cost_range import joint
from sizebook.plans.training.plan import TrainingPlan, unchecked_plan
from sizebook.scenarios.training import TrainingScenario, training_inputs
from sizebook.training.whole_run import TENTH, default, error, mean, programme_spread, published_programmes

SOURCE = DATA / "training_programmes.csv"
OUTPUT = Path(__file__).parents[1] / "docs" / "training_programmes_table.md"


def planned(row: Row) -> TrainingPlan:
    """Return the plan of a programme."""
    given: dict[str, object] = {name: row[name] for name in ("model", "gpu", "gpus", "tokens", "batch", "seq")}
    for setting in filter(None, row["layout"].split(";")):
        name, _, value = setting.partition("=")
        given[name] = value
    numbers = {name: _number(str(value)) for name, value in given.items()}
    # The price plays no part in hours, and not every accelerator has one.
    scenario = scenario_of({"plan": "training", "price_usd_per_gpu_hour": 1.0, **numbers}, row["model"], Path())
    assert isinstance(scenario, TrainingScenario)
    return unchecked_plan(training_inputs(scenario))


def _number(text: str) -> object:
    return int(text) if text.isdigit() else text


def write(rows: tuple[Row, ...]) -> None:
    """Write the table with its planned hours."""
    with SOURCE.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            plan = planned(row)
            hours, band = plan.middle.gpu_hours, plan.work.band
            ratio = float(row["gpu_hours"]) / hours
            ends = {"step_low": f"{band.low:g}", "step_high": f"{band.high:g}"}
            writer.writerow({**row, "planned_gpu_hours": f"{hours:.0f}", "ratio": f"{ratio:.3f}", **ends})


def page() -> str:
    """Return the table as Markdown, and what the default is worth beside a power law in the number of GPUs."""
    lines = [
        "| programme | GPUs | published GPU-hours | planned | ratio | range without its family |",
        "|---|--:|--:|--:|--:|--:|",
    ]
    inside: dict[str, list[bool]] = {}
    for row in table("training_programmes"):
        gpus = f"{row['gpus']} {row['gpu']}" + ("" if row["gpus_published"] == "yes" else " (taken)")
        hours, steady = (f"{float(row[name]) / 1000:,.1f} k" for name in ("gpu_hours", "planned_gpu_hours"))
        low, high = range_without(row)
        held = low <= float(row["ratio"]) <= high
        inside.setdefault(row["family"], []).append(held)
        ends = f"{low:.2f} to {high:.2f}" + ("" if held else ", outside")
        lines.append(f"| {row['model']} | {gpus} | {hours} | {steady} | {row['ratio']} | {ends} |")
    every = [held for family in inside.values() for held in family]
    return "\n".join(
        [*lines, "",
         f"Default: {default():.3f}, the geometric mean, every family weighing the same. A family that it had not "
         f"seen lies off it by a factor of {error(published_programmes()):.2f} (root mean square), off a power law in "
         f"the number of GPUs by {_law_error():.2f}. Of the {len(every)} programmes {sum(every)} lie in the range that "
         "was made "
         f"without their family, as a mean of families {_mean([_mean(each) for each in inside.values()]):.0%}.", ""]
    )  # fmt: skip


def range_without(row: Row) -> tuple[float, float]:
    """Return what a plan that had not seen a programme's family makes of its hours: low and high over planned."""
    rest = [each for each in published_programmes() if each[0] != row["family"]]
    factor, spread = max(1.0, mean(rest)), error(rest) ** TENTH
    low, high = float(row["step_low"]), float(row["step_high"])
    return factor * joint(low, 1 / spread), factor * joint(high, spread)


def _law_error() -> float:
    """Return the same of a power law in the number of GPUs, every family weighing the same: whether scale explains
    anything."""
    rows = table("training_programmes")
    sizes = Counter(row["family"] for row in rows)
    found = [(row["family"], log(float(row["gpus"])), log(float(row["ratio"]))) for row in rows]
    squares = []
    for one in sizes:
        rest = [each for each in found if each[0] != one]
        slope, start = np.polyfit(
            [x for _, x, _ in rest], [y for _, _, y in rest], 1, w=[sizes[name] ** -0.5 for name, _, _ in rest]
        )
        squares.append(_mean([(y - start - slope * x) ** 2 for name, x, y in found if name == one]))
    return exp(sqrt(_mean(squares)))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def main() -> None:
    """Write and print the table."""
    parser(__doc__).parse_args()
    write(table("training_programmes"))
    for cached in (shipped, table, default, programme_spread):
        cached.cache_clear()
    OUTPUT.write_text(page(), encoding="utf-8")
    print(page())


if __name__ == "__main__":
    main()
