"""How long training plans take: one plan, a layout search, 100,000 rows of a table; llm-analysis beside it if
installed.

Run `python benchmarks/training.py`. Figures are medians of several rounds in one process, in seconds of the processor,
which others on the machine lengthen less than those of the clock; ratios are against counting one model in the same
run, so that they carry over between machines. `--beside TREE` runs this benchmark and that of an older source tree in
turns, each in processes of its own, and compares the best of each figure that both print.
"""

import argparse
import logging
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl

from sizebook.core.cells import call
from sizebook.functions import load
from sizebook.models import catalog
from sizebook.models.counting import count
from sizebook.plans.training.inputs import Costs, Power, Training
from sizebook.plans.training.plan import plan_training
from sizebook.plans.training.search import search
from sizebook.sweeps.training import sweep
from sizebook.tables.hardware import accelerator
from sizebook.training.layout import Layout
from sizebook.training.quantities import Batches, Pace

H100 = accelerator("h100-sxm")
MODEL = "llama-3.1-70b"
INPUTS = Training(
    model=MODEL,
    architecture=catalog.architecture(MODEL),
    gpu=H100,
    gpus=1024,
    tokens=15e12,
    batches=Batches(batch=1024, seq=8192),
    layout=Layout(tp=8, pp=4, dp=32),
    costs=Costs(price_usd_per_gpu_hour=2.5),
    power=Power(watts=700, grams_per_kwh=400),
)
ROWS = 100_000
HERE = Path(__file__).resolve().parents[1]
NAME_WIDTH = 44
# An older benchmark asks the clock: it is given the processor's.
BY_PROCESSOR = """
import runpy, sys, time
time.perf_counter, sys.argv = time.process_time, sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--beside", type=Path, help="an older source tree to run in turns with this one")
    asked.add_argument("--rounds", type=int, default=3, help="how often each tree runs")
    given = asked.parse_args()
    if given.beside:
        compare(given.beside, given.rounds)
    else:
        alone()


def compare(older: Path, rounds: int) -> None:
    """Print the best of each figure of two trees and their ratio."""
    best: dict[Path, dict[str, float]] = {older: {}, HERE: {}}
    for _ in range(rounds):
        for tree, figures in best.items():
            for name, seconds in printed(tree).items():
                figures[name] = min(seconds, figures.get(name, seconds))
    print(f"{'seconds of the processor, best of ' + str(rounds):{NAME_WIDTH}} {'older':>10} {'this':>10} {'ratio':>8}")
    for name, seconds in best[HERE].items():
        if name in best[older]:
            old = best[older][name]
            print(f"{name:{NAME_WIDTH}} {old:10.5f} {seconds:10.5f} {seconds / old:8.2f}")


def printed(tree: Path) -> dict[str, float]:
    """Return the figures that a tree's benchmark prints, in seconds of the processor."""
    script = str(tree / "benchmarks" / "training.py")
    env = {**os.environ, "PYTHONPATH": str(tree / "src")}
    done = subprocess.run(
        [sys.executable, "-c", BY_PROCESSOR, script], env=env, capture_output=True, text=True, check=True
    )
    lines = [line for line in done.stdout.splitlines()[1:] if len(line) > NAME_WIDTH + 10]
    found = {}
    for line in lines:
        figure = line[NAME_WIDTH : NAME_WIDTH + 11].strip()
        if figure.replace(".", "", 1).isdigit():
            found[line[:NAME_WIDTH].strip()] = float(figure)
    return found


def alone() -> None:
    unit = timed(lambda: count(INPUTS.architecture), 200)
    print(f"{'what':{NAME_WIDTH}} {'seconds':>10} {'aim':>8} {'x one count':>12}")
    show("count one model", unit, None, unit)
    show("one plan", timed(lambda: plan_training(INPUTS), 100), 1.5e-4, unit)
    show("one plan, MFU given", timed(lambda: plan_training(replace(INPUTS, pace=Pace(mfu=0.4))), 100), 1.5e-4, unit)
    for gpus in (8, 64, 512, 4096):
        name = "llama-3.1-8b" if gpus == 8 else MODEL
        batches = Batches(batch=4096, seq=8192)
        setup = replace(INPUTS, architecture=catalog.architecture(name), gpus=gpus, batches=batches)
        seconds = timed(lambda s=setup: search(s), 3)  # type: ignore[misc]
        show(f"layout search, {name} on {gpus} GPUs", seconds, 2.0, unit)
    load()
    for name in ("llama-3.1-8b", "llama-3.1-405b", "deepseek-v3"):
        seconds = timed(lambda n=name: call("MIN_GPUS_TRAIN", n, "h100-sxm", 8192), 3)  # type: ignore[misc]
        show(f"MIN_GPUS_TRAIN of {name}", seconds, 0.05, unit)
    table = rows()
    start = time.process_time()
    sweep(table)
    show(f"{ROWS:,} rows through sweep, 2,000 layouts", time.process_time() - start, 3.0, unit)
    compare_llm_analysis(unit)


def timed(what: Callable[[], object], rounds: int) -> float:
    """Return the median seconds of one call."""
    what()
    times = []
    for _ in range(rounds):
        start = time.process_time()
        what()
        times.append(time.process_time() - start)
    return statistics.median(times)


def show(name: str, seconds: float, aim: float | None, unit: float) -> None:
    print(f"{name:{NAME_WIDTH}} {seconds:10.5f} {'' if aim is None else f'{aim:g}':>8} {seconds / unit:12.1f}")


def rows() -> pl.DataFrame:
    """Return 100,000 rows: 2,000 distinct layouts and batches, each with 50 prices and token counts."""
    layouts = [index % 2000 for index in range(ROWS)]
    return pl.DataFrame(
        {
            "model": [MODEL] * ROWS,
            "gpu": ["h100-sxm"] * ROWS,
            "gpus": [1024] * ROWS,
            "batch": [1024 * (1 + layout // 24) for layout in layouts],
            "seq": [8192] * ROWS,
            "tp": [2 ** (layout % 4) for layout in layouts],
            "pp": [2 ** (layout // 4 % 3) for layout in layouts],
            "micro_batch": [1 + layout // 12 % 2 for layout in layouts],
            "tokens": [1e12 * (1 + index % 50) for index in range(ROWS)],
            "price_usd_per_gpu_hour": [2 + index % 50 / 50 for index in range(ROWS)],
        }
    )


def compare_llm_analysis(unit: float) -> None:
    """Time one training call of llm-analysis where it is installed."""
    try:
        from llm_analysis.analysis import LLMAnalysis, ParallelismConfig
        from llm_analysis.config import ModelConfig, get_dtype_config_by_name, get_gpu_config_by_name
    except ImportError:
        print("llm-analysis is not installed: no comparison (pip install llm-analysis)")
        return
    logging.disable(logging.CRITICAL)
    architecture, layout = INPUTS.architecture, INPUTS.layout
    model = ModelConfig(
        MODEL, architecture.n_layers, 64, 8192, architecture.vocab, 8192, 8, 8, 4 * 8192
    )  # whole multiples only
    parallel = ParallelismConfig(tp_size=layout.tp, pp_size=layout.pp, dp_size=layout.dp)
    peer = LLMAnalysis(
        model,
        get_gpu_config_by_name("h100-sxm-80gb"),
        get_dtype_config_by_name("w16a16e16"),
        parallel,
        flops_efficiency=0.4,
    )
    seconds = timed(lambda: peer.training(1, global_batch_size=1024, seq_len=8192, total_num_tokens=15e12), 5)
    show("llm-analysis, one training call", seconds, None, unit)


if __name__ == "__main__":
    main()
