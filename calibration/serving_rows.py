"""Which measured rows say what ran: rows listed twice, and rows that are faster than a datasheet allows."""

import re
from dataclasses import replace

from serving_recipes import Row

from sizebook.serving.case import Case
from sizebook.serving.quantities import Replica
from sizebook.serving.releases import place_of, usual_of
from sizebook.serving.time import Pass, pass_parts
from sizebook.tables.hardware import Accelerator


def one_load(row: Row) -> bool:
    """Return whether the concurrency in the row's name is the batch times the attention ranks of its columns."""
    named = re.search(r"_c(\d+)", row["id"])
    return named is None or int(named[1]) == int(row["batch_size"]) * max(1, int(row["attention_dp_size"] or 1))


def listed_twice(rows: list[Row]) -> set[str]:
    """Return the rows, by id, whose load, server and measurement another one has; the one that names its day stays.

    A copy is rounded: to a millisecond of TTFT and ten microseconds of TPOT no two of the others agree.
    """
    load = ("system", "backend", "isl", "osl", "batch_size", "attention_dp_size")
    found: set[tuple[str, ...]] = set()
    copies = set()
    for row in sorted(rows, key=lambda each: "measured=" not in each["silicon_data_source"]):
        measured = f"{float(row['silicon_ttft_ms']):.0f}", f"{float(row['silicon_tpot_ms']):.2f}"
        key = (*(row[name].removesuffix(".0") or "1" for name in load), *measured)
        copies |= {row["id"]} if key in found else set()
        found.add(key)
    return copies


def share_of_datasheet(case: Case, row: Row, in_flight: float) -> float:
    """Return the seconds of a request's life at the datasheet's peak and bandwidth, over those measured.

    In it a rank multiplies the prompts of all that it has ``in_flight``, and reads all weights but the experts, and
    their cache, for each token after the first. All else is left out. More than 1 did not run as its row says.
    """
    rates = dict.fromkeys(case.rates, 0.0)
    case = replace(case, rates={name: float(name.endswith(("_bandwidth", "_compute"))) for name in rates})
    prompt, after = float(row["isl"]), int(row["osl"]) - 1
    passed = pass_parts(case, Pass(prompt, 1.0, prompt, prefill=True))
    step = pass_parts(case, Pass(in_flight, in_flight, prompt + after / 2, prefill=False))
    least = in_flight * (passed.products + passed.routed + passed.scores) + after * (step.weights + step.cache)
    return float(least / (float(row["silicon_ttft_ms"]) + after * float(row["silicon_tpot_ms"])) * 1e3)


def overlapped(engine: str, release: str, gpu: Accelerator) -> float:
    """Return whether a row's release schedules a step while the GPU works: as the newest where it names none."""
    replica = Replica(engine=engine, release=release if place_of(release) else "")
    return float(usual_of(replica, gpu)["overlapped"])
