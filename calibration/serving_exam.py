"""Sets published figures of servers that no table of the fit holds beside our estimates, and prints how far off we are.

Run `python calibration/serving_exam.py TABLE` from the root of the repository, where TABLE has the columns of a sweep,
then `ttft` and `tpot` in seconds, `total_tps_gpu` (tokens in and out a second and GPU) and `out_tps` (answer tokens a
second). A blank figure was not published. The interval score (Gneiting and Raftery 2007) is that of the logs of an 80 %
band: its width, and ten times how far outside of it the figure lies.
"""

import csv
import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean, median

from command import parser

from sizebook.core.errors import SizebookError
from sizebook.serving.band import replica_band
from sizebook.serving.case import Case
from sizebook.serving.encoding import serving_case
from sizebook.serving.estimate import Estimate, estimate
from sizebook.serving.memory import memory_of
from sizebook.serving.quantities import Demand, Replica
from sizebook.tables.hardware import accelerator

OUTSIDE = 0.2  # share of figures that a band of 80 % leaves outside
FIGURES = ("tpot", "ttft", "throughput")
Row = dict[str, str]


@dataclass(frozen=True)
class Judged:
    """One published figure: its source, what was asked, the figure, ours, and the band around ours."""

    source: str
    named: str
    figure: str
    published: float
    ours: float
    low: float
    high: float
    basis: str

    @property
    def off(self) -> float:
        """How far our figure is off."""
        return self.ours / self.published - 1

    @property
    def is_inside(self) -> bool:
        """Whether the published figure lies in the band."""
        return self.low <= self.published <= self.high

    @property
    def score(self) -> float:
        """The interval score in logs."""
        beyond = max(math.log(self.low / self.published), math.log(self.published / self.high), 0.0)
        return math.log(self.high / self.low) + 2 / OUTSIDE * beyond


def asked_of(row: Row, rates: Mapping[str, float] | None = None) -> tuple[Case, Estimate, Demand, Replica]:
    """Return the case, our estimate, the load and the replica of a row, by other rates than the shipped if given."""
    gpu = accelerator(row["gpu"])
    yielded = float(row["tokens_per_step"]) if row["tokens_per_step"] else None
    replica = Replica(
        tp=int(row["tp"]), dp=int(row["dp"]), ep=int(row["ep"]), engine=row["engine"],
        weight_dtype=row["weight_dtype"] or None, kv_dtype=row["kv_dtype"] or None,
        draft_tokens=int(row["draft_tokens"] or 0), tokens_per_step=yielded,
    )  # fmt: skip
    demand = Demand(
        input_tokens=int(row["input_tokens"]), output_tokens=int(row["output_tokens"]),
        concurrency=int(row["concurrency"]),
    )  # fmt: skip
    case = serving_case(row["model"], gpu.key, replica)
    case = replace(case, rates={**case.rates, **(rates or {})})
    return case, estimate(case, memory_of(case, gpu.key, replica), demand), demand, replica


def figures_of(row: Row, found: Estimate, demand: Demand, replica: Replica) -> list[tuple[str, float, float]]:
    """Return the published figures of a row: what each is, as published, and ours."""
    both = (demand.input_tokens + demand.output_tokens) / demand.output_tokens / replica.gpus
    rate = float(found.tokens_per_second)
    ours = {
        "ttft": ("ttft", float(found.ttft_seconds)),
        "tpot": ("tpot", float(found.tpot_seconds)),
        "total_tps_gpu": ("throughput", rate * both),
        "out_tps": ("throughput", rate),
    }
    return [(figure, float(row[column]), value) for column, (figure, value) in ours.items() if row[column]]


def judged(row: Row) -> list[Judged]:
    """Return the published figures of a row beside ours."""
    case, found, demand, replica = asked_of(row)
    layout = f"{replica.layout} {row['weight_dtype']}"
    load = f"{demand.input_tokens}/{demand.output_tokens} x{demand.in_flight}"
    named = f"{row['model']} {row['gpu']} {row['engine']} {layout} {load}"
    every = []
    for figure, published, value in figures_of(row, found, demand, replica):
        band = replica_band(figure, accelerator(row["gpu"]).key, replica, case=case, demand=demand)
        ends = value * band.low, value * band.high
        every.append(Judged(row["source"], named, figure, published, value, *ends, band.basis))
    return every


def summary(found: list[Judged]) -> str:
    """Return the table of errors by figure and source."""
    lines = ["| source | figure | rows | mean % | median % | bias % | in band % | width | score |"]
    lines.append("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    groups: dict[tuple[str, str], list[Judged]] = defaultdict(list)
    for each in found:
        groups[each.figure, each.source].append(each)
        groups[each.figure, "all"].append(each)
    for figure in FIGURES:
        of = {source: rows for (each, source), rows in groups.items() if each == figure}
        lines += [f"| {source[:60]} | {figure} | {_errors(rows)} |" for source, rows in of.items()]
        shares = [mean(each.is_inside for each in rows) for source, rows in of.items() if source != "all"]
        if shares:
            lines.append(f"| mean of sources | {figure} | | | | | {100 * mean(shares):.0f} | | |")
    return "\n".join(lines)


def _errors(rows: list[Judged]) -> str:
    off = [abs(each.off) for each in rows]
    bias = math.exp(mean(math.log(1 + each.off) for each in rows)) - 1
    inside = mean(each.is_inside for each in rows)
    width, score = median(each.high / each.low for each in rows), mean(each.score for each in rows)
    return (
        f"{len(rows)} | {100 * mean(off):.1f} | {100 * median(off):.1f} | {100 * bias:+.1f} | {100 * inside:.0f} | "
        f"{width:.2f} | {score:.2f}"
    )


def main() -> None:
    """Print every row and the summary."""
    asked = parser(__doc__)
    asked.add_argument("table", type=Path, help="a table of published figures of servers")
    found: list[Judged] = []
    with asked.parse_args().table.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            try:
                found += judged(row)
            except SizebookError as error:
                print(f"refused: {row['model']} {row['gpu']}: {error}")
    for each in found:
        inside = "in" if each.is_inside else "OUT"
        print(f"{each.named:75} {each.figure:10} {each.published:10.4g} {each.ours:10.4g} {100 * each.off:+6.0f} % "
              f"{inside:3} {each.basis}")  # fmt: skip
    print(summary(found))


if __name__ == "__main__":
    main()
