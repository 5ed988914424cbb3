"""How long real logs and bills take: ten million requests, a hundred thousand rows of FOCUS, and a month's variance.

Run `python benchmarks/reality.py`. The floor of the log is polars reading its three columns as numbers; that of the
bill is polars reading all of it as text. Each line has seconds, the ratio to its floor, and the most memory so far.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from sizebook.actuals.bills import read_bill
from sizebook.actuals.traffic_figures import traffic_figures
from sizebook.actuals.traffic_logs import read_log
from sizebook.actuals.variance import CostFactors, MonthCost, shares
from sizebook.core.tables import table

REQUESTS, ROWS = 10_000_000, 100_000
_CELLS = {"decimal": "1.5", "decimal from 0": "1.5", "time": "2026-10-03T00:00:00Z", "currency": "USD", "object": "{}"}


def log(path: Path) -> None:
    """Write requests as they come by chance, five a second, with log-normal lengths."""
    chance = np.random.default_rng(1)
    seconds = np.cumsum(chance.exponential(0.2, REQUESTS)).round(3) + 1.7e9
    tokens = {name: chance.lognormal(mean, 1, REQUESTS).astype(int) + 1 for name, mean in
              (("input_tokens", 6), ("output_tokens", 5))}  # fmt: skip
    pl.DataFrame({"seconds": seconds, **tokens}).write_csv(path)


def bill(path: Path) -> None:
    """Write a bill whose every row keeps the rules."""
    row = {
        each["column"]: each["values"].split(";")[0] or _CELLS.get(each["kind"], "text")
        for each in table("focus_columns")
    }
    pl.DataFrame({name: [cell] * ROWS for name, cell in row.items()}).write_csv(path)


def seconds(job: Callable[[], Any]) -> float:
    """Return the time of a job."""
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        requests, billed = Path(folder) / "log.csv", Path(folder) / "bill.csv"
        log(requests)
        bill(billed)
        factors = CostFactors(1e6, 2.0, 1.0, 1.5, 3.0, 1.0), CostFactors(1.2e6, 2.2, 1.1, 1.4, 3.1, 0.9)
        planned, actual = (MonthCost(each.cost, each) for each in factors)
        numbers = pl.scan_csv(requests).select(pl.all().mean())
        texts = pl.scan_csv(billed, infer_schema=False).select(pl.all().n_unique())
        rows = [
            (f"log of {REQUESTS:,} requests", lambda: traffic_figures(read_log(requests)), numbers),
            (f"bill of {ROWS:,} rows", lambda: read_bill(billed), texts),
        ]
        for name, job, floor in rows:
            least = seconds(lambda floor=floor: floor.collect(engine="streaming"))
            took = seconds(job)
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
            print(f"{name:32} {took:7.2f} s  {took / least:6.1f} x floor  {peak:6.0f} MB at most")
        print(f"{'variance of a month':32} {seconds(lambda: shares(planned, actual)) * 1e3:7.2f} ms")


if __name__ == "__main__":
    main()
