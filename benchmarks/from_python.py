"""Calls from Python beside the bare functions, and the import of the package beside the interpreter's start.

`python benchmarks/from_python.py` prints seconds of a processor and ratios to a floor in the same run.
"""

import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import sizebook as sb
from sizebook.functions import find

CALLS, ROUNDS = 20_000, 15


def per_call(call: Callable[[int], object]) -> float:
    """Return the least seconds of the thread that a call took, over some rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.thread_time()
        for _ in range(CALLS):
            call(4096)
        best = min(best, (time.thread_time() - start) / CALLS)
    return best


def started(code: str) -> float:
    """Return the least seconds of the clock that an interpreter took for some code."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main() -> None:
    bare, ours = per_call(find("PARAMS_MHA").python), per_call(sb.params_mha)
    print(f"sb.params_mha: {ours * 1e6:.2f} us, bare {bare * 1e6:.2f} us, {(ours - bare) * 1e6:.2f} us over it")
    column = np.arange(1, 100_001)
    start = time.thread_time()
    sb.params_mha(column)
    print(f"a column: {(time.thread_time() - start) / len(column) * 1e6:.2f} us an element")
    floor, imported = started("pass"), started("import sizebook")
    print(f"import sizebook: {(imported - floor) * 1e3:.1f} ms over the interpreter's {floor * 1e3:.1f} ms")
    first = started("import sizebook as sb; sb.params_mha(4096)")
    print(f"the first call: {(first - floor) * 1e3:.0f} ms over it")


if __name__ == "__main__":
    main()
