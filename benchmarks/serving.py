"""Times one serving estimate in process, and a sweep of many rows with its peak memory.

Run `python benchmarks/serving.py [ROWS]`; aims: 0.2 ms an estimate, 1,000,000 rows in 15 s on two cores, memory flat.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

from sizebook.formulas.hardware import accelerator
from sizebook.formulas.serving_case import case_of
from sizebook.formulas.serving_estimate import estimate
from sizebook.formulas.serving_memory import engine_constants, engine_memory, physical_bytes

MODELS = ("deepseek-ai/DeepSeek-R1", "Qwen/Qwen3-32B", "openai/gpt-oss-120b", "meta-llama/Llama-3.1-70B")


def once() -> float:
    """Return the seconds of one estimate, names looked up before as in a sheet that recalculates."""
    physical, constants = physical_bytes(accelerator("h200-sxm")), engine_constants("vllm")
    start = time.perf_counter()
    for concurrency in range(1, 2001):
        case = case_of(MODELS[0], "h200-sxm", "vllm", tp=8)
        estimate(case, engine_memory(case, physical, constants), 1024, 1024, concurrency)
    return (time.perf_counter() - start) / 2000


def sweep(n: int, folder: Path) -> tuple[float, float]:
    """Return seconds and peak megabytes of a sweep command over n rows."""
    row = pl.int_range(n, eager=True)
    frame = pl.DataFrame(
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
    frame.write_csv(folder / "in.csv")
    start = time.perf_counter()
    command = [sys.executable, "-m", "sizebook", "sweep", str(folder / "in.csv"), "-o", str(folder / "out.csv")]
    subprocess.run(command, check=True, capture_output=True)
    seconds = time.perf_counter() - start
    return seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def main() -> None:
    """Print the timings, the smaller sweep first, since peak memory of children only grows."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    print(f"one estimate: {once() * 1e3:.3f} ms")
    with tempfile.TemporaryDirectory() as folder:
        for rows in (n // 4, n):
            seconds, peak = sweep(rows, Path(folder))
            print(f"sweep of {rows:,} rows: {seconds:.1f} s, peak {peak:.0f} MB")


if __name__ == "__main__":
    main()
