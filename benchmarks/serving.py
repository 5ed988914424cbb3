"""Times one serving estimate in process, and sweeps of tables of growing length with their peak memory.

Run `python benchmarks/serving.py [ROWS]`; aims: 0.02 ms an estimate, 1,000,000 rows in 3 s and 130 MB on two cores that
do nothing else, memory flat, an hour of one replica simulated request by request in less than a second, a plan for a
percentile in two. Seconds of the processor stand beside those of the clock, which others on the machine lengthen.
"""

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import polars as pl

from sizebook.core.sections import put_together
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import plan_serving
from sizebook.serving.arrivals import Lengths, arrivals
from sizebook.serving.case import case_of
from sizebook.serving.estimate import estimate
from sizebook.serving.load import Stream
from sizebook.serving.memory import memory_of
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.simulation import Requests, saturated_rate, simulate
from sizebook.serving.step_times import step_times

MODELS = ("deepseek-ai/DeepSeek-R1", "Qwen/Qwen3-32B", "openai/gpt-oss-120b", "meta-llama/Llama-3.1-70B")
SWEEP = (
    "import sys; from sizebook.cli import app; app(['sweep', sys.argv[1], '-o', sys.argv[2]], standalone_mode=False)"
)


def once() -> float:
    """Return the processor's seconds of one estimate from its names, as of a sheet that recalculates."""
    start = time.process_time()
    for concurrency in range(1, 2001):
        replica = Replica(tp=8)
        case = case_of(MODELS[0], "h200-sxm", replica)
        estimate(case, memory_of(case, "h200-sxm", replica), Demand(concurrency=concurrency))
    return (time.process_time() - start) / 2000


def simulated_hour() -> tuple[float, int, int]:
    """Return the seconds that simulating an hour of a busy replica takes, its requests and its steps."""
    asked = Demand(input_tokens=2000, output_tokens=400)
    case = case_of(MODELS[3], "h100-sxm", Replica(tp=4, weight_dtype="fp8"))
    times, stream = step_times(case, asked, 2400, 256), Stream(Lengths(2000), Lengths(400))
    one = stream.requests()
    rate = 0.8 * saturated_rate(times, one, 256)
    n = round(3600 * rate)
    start = time.perf_counter()
    coming = [second / rate for second in arrivals(n, 1.0, random.Random(1))]
    served = simulate(times, Requests(coming, [2000] * n, [400] * n), 256)
    return time.perf_counter() - start, n, served.steps


def percentile_plan() -> float:
    """Return the seconds of a plan whose targets hold for 95 of 100 requests."""
    asked = {"requests_per_day": 2e6, "input_tokens": 2000, "output_tokens": 400, "tp": 4, "weight_dtype": "fp8"}
    target = {"ttft_target_seconds": 1.0, "tpot_target_seconds": 0.05, "request_percentile": "p95"}
    start = time.perf_counter()
    plan_serving(MODELS[3], "h100-sxm", put_together(ServingInputs, asked | target))
    return time.perf_counter() - start


def table(n: int) -> pl.DataFrame:
    """Return a table of n rows over four models, two accelerators and three engines."""
    row = pl.int_range(n, eager=True)
    return pl.DataFrame(
        {
            "model": pl.Series(MODELS).gather(row % 4),
            "gpu": pl.Series(["h200-sxm", "b200-sxm"]).gather(row % 2),
            "engine": pl.Series(["vllm", "sglang", "tensorrt-llm"]).gather(row % 3),
            "tp": 8,
            "input_tokens": 512 + row % 8192,
            "output_tokens": 128 + row % 1024,
            "concurrency": 1 + row % 256,
        }
    )


class Run(NamedTuple):
    """Seconds of the clock and of the processor, and peak megabytes."""

    seconds: float
    busy: float
    peak: float


def measured(code: str, *words: str) -> Run:
    """Return what a Python of its own takes that runs some code.

    The kernel's peak of the process itself: that of `resource` begins with what its parent holds.
    """
    told = "\nprint(*(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    start, before = time.perf_counter(), os.times()
    done = subprocess.run([sys.executable, "-c", code + told, *words], check=True, capture_output=True, text=True)
    seconds, after = time.perf_counter() - start, os.times()
    busy = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(seconds, busy, int(done.stdout.split("VmHWM:")[1].split()[0]) / 1024)


def main() -> None:
    """Print the timings of one estimate and of sweeps, and what Python needs before the first row."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"one estimate: {min(once() for _ in range(5)) * 1e3:.3f} ms of the processor")
    seconds, requests, steps = simulated_hour()
    print(f"an hour simulated: {seconds:.2f} s, {requests:,} requests, {steps:,} steps")
    print(f"a plan for p95 of requests: {percentile_plan():.2f} s")
    floor = measured("import numpy, polars, rich.progress, sizebook.sweeps.serving")
    print(f"Python with numpy, polars and sizebook: {floor.busy:.1f} s of the processor, peak {floor.peak:.0f} MB")
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("csv", "parquet"):
            given, found = (str(Path(folder) / f"{name}.{kind}") for name in ("in", "out"))
            for rows in (10_000, 100_000, n):
                getattr(table(rows), f"write_{kind}")(given)
                seconds, busy, peak = measured(SWEEP, given, found)
                said = f"{seconds:.1f} s, {busy:.1f} s of the processor, peak {peak:.0f} MB"
                print(f"sweep of {rows:,} rows, {kind}: {said}")


if __name__ == "__main__":
    main()
