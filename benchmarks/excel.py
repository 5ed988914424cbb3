"""What a cell costs through classic xlwings, against a function that does nothing.

Run `python benchmarks/excel.py`. Times are processor seconds of xlwings' own `call_udf` with stand-ins for Windows' COM
(as in tests/surfaces/classic_client.py), best of `ROUNDS`: what COM itself takes between Excel and Python is not in
them, and is the same for any function. The cache of equal calls is emptied before each round.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.surfaces.classic_client import on_windows

ROUNDS, CALLS, ROWS = 5, 1_000, 10_000
LOAD_HEADS = ["model", "gpu", "tp", "input_tokens", "output_tokens", "concurrency"]
RUN_HEADS = ["model", "gpu", "gpus", "tokens", "batch", "tp"]


def best(work: Callable[[], object], before: Callable[[], object]) -> float:
    """Return the processor seconds of the quickest round."""
    seconds = []
    for _ in range(ROUNDS):
        before()
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return min(seconds)


def do_nothing(udfs: Any) -> None:
    """Register a module whose function takes a number and returns one."""
    module = ModuleType("nothing")
    module.__file__ = __file__
    sys.modules["nothing"] = module
    exec("def nothing(x):\n    return 1.0", module.__dict__)
    module.nothing = udfs.xlfunc(module.nothing)  # type: ignore[attr-defined]


def first_call() -> float:
    """Return the seconds of a new Python from its start to its first answer."""
    client = Path(__file__).resolve().parents[1] / "tests" / "surfaces" / "classic_client.py"
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, str(client)], input='[["PARAMS_LN", [512]]]', text=True, capture_output=True, check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    return time.perf_counter() - start


def main() -> None:
    udfs = on_windows()
    do_nothing(udfs)
    from sizebook.excel import classic

    def call(name: str, *given: Any) -> Any:
        return udfs.call_udf("sizebook.excel.classic", name, given)

    def calls(ask: Callable[[int], Any]) -> Callable[[], list[Any]]:
        return lambda: [ask(at) for at in range(1, CALLS + 1)]

    fresh = classic._answers.forget
    empty = best(calls(lambda at: udfs.call_udf("nothing", "nothing", (float(at),))), fresh) / CALLS
    models = ("llama-3.1-8b", "llama-3.1-70b")
    loads = [[models[at % 2], "h100-sxm", 2, 1_000 + at, 200, 1 + at % 64] for at in range(ROWS)]
    runs = [["llama-3.1-8b", "h100-sxm", 64, 1e12 + at * 1e9, 1_024, 2] for at in range(ROWS)]
    rows: dict[str, float] = {
        "a call, do nothing": empty,
        "a call, PARAMS_MHA": best(calls(lambda at: call("PARAMS_MHA", float(at + 1))), fresh) / CALLS,
        "a call repeated": best(calls(lambda at: call("PARAMS_MHA", 4096.0)), fresh) / CALLS,
        "a call, TPOT_SECONDS": best(calls(lambda at: call("TPOT_SECONDS", models[0], "h100-sxm", at)), fresh) / CALLS,
        f"a range of {ROWS}, PARAMS_MHA": best(lambda: call("PARAMS_MHA", [[at + 1.0] for at in range(ROWS)]), fresh),
        f"SIZING_TABLE of {ROWS}": best(lambda: call("SIZING_TABLE", [["model"], *[["llama-3.1-8b"]] * ROWS]), fresh),
        f"SERVING_TABLE of {ROWS}": best(lambda: call("SERVING_TABLE", [LOAD_HEADS, *loads]), fresh),
        f"TRAINING_TABLE of {ROWS}": best(lambda: call("TRAINING_TABLE", [RUN_HEADS, *runs]), fresh),
        "first call after start (wall)": first_call(),
    }  # fmt: skip
    for name, seconds in rows.items():
        print(f"{name:34} {seconds * 1e3:10.3f} ms   {seconds / empty:10.1f} x doing nothing")


if __name__ == "__main__":
    main()
