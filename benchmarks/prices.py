"""What the look-up of prices costs: of one plan, and of a million rows of a sweep.

Run `python benchmarks/prices.py [ROWS]`. Seconds are of the processor, the best of three rounds; every ratio is against
the same work in the same run with the price given, or with the degrees stated, where nothing is looked up or searched.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl

from sizebook.batch.plan_kinds import plan_scenario
from sizebook.sweeps.serving import sweep as serving_sweep
from sizebook.sweeps.training import sweep as training_sweep
from sizebook.tables.prices import OwnPrices, quote

ROUNDS, PLANS = 3, 20
SERVED = {"plan": "serving", "model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 1e6,
          "input_tokens": 1000, "output_tokens": 200, "as_of": "2026-11-21"}  # fmt: skip
GIVEN = {"on_demand_usd_per_gpu_hour": 2.0, "reserved_usd_per_gpu_hour": 1.5}
CONTRACT = """[[price]]
provider = "ourcloud"
gpu = "h100-sxm"
term = "{}"
price_per_gpu_hour = 2
valid_from = 2026-01-01
source = "made up"
"""


def seconds(work: Callable[[], Any]) -> float:
    """Return the least seconds of the processor that some work took."""
    found = []
    for _ in range(ROUNDS):
        began = time.process_time()
        work()
        found.append(time.process_time() - began)
    return min(found)


def compared(what: str, works: dict[str, Callable[[], Any]]) -> None:
    """Print the seconds of several ways to do the same, and each over the first."""
    for work in works.values():
        work()  # caches are filled before any is timed
    timed = {name: seconds(work) for name, work in works.items()}
    first = next(iter(timed.values()))
    for name, took in timed.items():
        print(f"{what:<28}{name:<18}{took:>9.3f} s  {took / first:.3f}")


def main() -> None:
    n_rows = int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        book = Path(folder) / "book.toml"
        book.write_text("".join(CONTRACT.format(term) for term in ("on_demand", "reserved_1y")))
        _plans(str(book))
        _rows(str(book), n_rows)


def _plans(book: str) -> None:
    def planned(keys: dict[str, Any]) -> Callable[[], Any]:
        return lambda: [plan_scenario({**SERVED, **keys}, "here", Path()) for _ in range(PLANS)]

    compared(f"{PLANS} serving plans", {"price given": planned(GIVEN), "catalog": planned({}),
             "price book": planned({"price_book": book})})  # fmt: skip
    own = OwnPrices(price_book=book)
    compared("10,000 look-ups", {"catalog": lambda: [quote("h100-sxm") for _ in range(10_000)],
             "price book": lambda: [quote("h100-sxm", own=own) for _ in range(10_000)]})  # fmt: skip


def _rows(book: str, n_rows: int) -> None:
    rows = pl.DataFrame({"concurrency": [1 + at % 256 for at in range(n_rows)]}).with_columns(
        model=pl.lit("llama-3.1-8b"), gpu=pl.lit("h100-sxm"), input_tokens=1000, output_tokens=200
    )
    stated = rows.with_columns(tp=1)
    compared(f"{n_rows:,} rows of serving", {"degrees stated": lambda: serving_sweep(stated),
             "degrees blank": lambda: serving_sweep(rows)})  # fmt: skip
    runs = pl.DataFrame({"tokens": [1e9 * (1 + at % 1000) for at in range(n_rows)]}).with_columns(
        model=pl.lit("llama-3.1-8b"), gpu=pl.lit("h100-sxm"), gpus=64, batch=512
    )
    compared(f"{n_rows:,} rows of training", {
        "price given": lambda: training_sweep(runs.with_columns(price_usd_per_gpu_hour=2.0)),
        "catalog": lambda: training_sweep(runs),
        "price book": lambda: training_sweep(runs.with_columns(price_book=pl.lit(book))),
    })  # fmt: skip


if __name__ == "__main__":
    main()
