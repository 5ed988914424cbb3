"""How long real logs and bills take: ten million requests, a hundred thousand rows of FOCUS, and a month's variance.

Run `python benchmarks/reality.py`. The floor of the log is polars reading its three columns as numbers; that of the
bill is polars reading all of it as text. Each runs in a process of its own: a line has seconds, those of processors,
the ratio to its floor, and the most memory that the process held.
"""

import resource
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

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


def requests_read(path: Path) -> None:
    traffic_figures(read_log(path))


def requests_floor(path: Path) -> None:
    pl.scan_csv(path).select(pl.all().mean()).collect(engine="streaming")


def bill_read(path: Path) -> None:
    read_bill(path)


def bill_floor(path: Path) -> None:
    pl.scan_csv(path, infer_schema=False).select(pl.all().n_unique()).collect(engine="streaming")


def measured(job: Callable[[Path], None], path: Path) -> tuple[float, float, float]:
    """Return seconds on the clock, seconds of processors, and MB at most."""
    start, work = time.perf_counter(), time.process_time()
    job(path)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    return time.perf_counter() - start, time.process_time() - work, peak


def alone(job: Callable[[Path], None], path: Path) -> tuple[float, float, float]:
    """Return what a job takes in a process of its own, which has written no file and read no other."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(measured, job, path).result()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        requests, billed = Path(folder) / "log.csv", Path(folder) / "bill.csv"
        log(requests)
        bill(billed)
        for name, job, floor, path in (
            (f"log of {REQUESTS:,} requests", requests_read, requests_floor, requests),
            (f"bill of {ROWS:,} rows", bill_read, bill_floor, billed),
        ):
            least, _, _ = alone(floor, path)
            took, work, peak = alone(job, path)
            print(f"{name:28} {took:6.2f} s ({work:5.2f} s of processors)  {took / least:5.1f} x floor  {peak:5.0f} MB")
        factors = CostFactors(1e6, 2.0, 1.0, 1.5, 3.0, 1.0), CostFactors(1.2e6, 2.2, 1.1, 1.4, 3.1, 0.9)
        planned, actual = (MonthCost(each.cost, each) for each in factors)
        start = time.perf_counter()
        shares(planned, actual)
        print(f"{'variance of a month':28} {(time.perf_counter() - start) * 1e3:6.2f} ms")


if __name__ == "__main__":
    main()
