"""How long training plans take: one plan, a layout search, 100,000 rows of a table; llm-analysis beside it if
installed.

Run `python benchmarks/training.py`. Figures are medians of several rounds in one process; ratios are against counting
one model in the same run, so that they carry over between machines.
"""

from __future__ import annotations

import logging
import statistics
import time
from collections.abc import Callable
from dataclasses import replace

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


def main() -> None:
    unit = timed(lambda: count(INPUTS.architecture), 200)
    print(f"{'what':44} {'seconds':>10} {'aim':>8} {'x one count':>12}")
    show("count one model", unit, None, unit)
    show("one plan", timed(lambda: plan_training(INPUTS), 100), 1e-3, unit)
    show("one plan, MFU given", timed(lambda: plan_training(replace(INPUTS, pace=Pace(mfu=0.4))), 100), 1e-3, unit)
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
    start = time.perf_counter()
    sweep(table)
    show(f"{ROWS:,} rows through sweep, 2,000 layouts", time.perf_counter() - start, 3.0, unit)
    compare_llm_analysis(unit)


def timed(what: Callable[[], object], rounds: int) -> float:
    """Return the median seconds of one call."""
    what()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        what()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def show(name: str, seconds: float, aim: float | None, unit: float) -> None:
    print(f"{name:44} {seconds:10.5f} {'' if aim is None else f'{aim:g}':>8} {seconds / unit:12.1f}")


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
