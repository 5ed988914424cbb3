"""What a cell costs through classic xlwings, against a function that does nothing, and through xlwings Server.

Run `python benchmarks/excel.py [PYTHON]`. Times are processor seconds of xlwings' own `call_udf` with stand-ins for
Windows' COM (as in tests/excel/classic_client.py), best of `ROUNDS`: what COM itself takes between Excel and Python
is not in them, and is the same for any function. The cache of equal calls is emptied before each round. Given a PYTHON
with sizebook and xlwings-server, its project is served on the loopback and asked over one connection, wall time.
"""

import http.client
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.excel.classic_client import on_windows

ROUNDS, CALLS, ROWS = 15, 1_000, 10_000
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


def first_call() -> tuple[float, float]:
    """Return the seconds of a new Python until its first call is answered: by the clock, of the processor."""
    client = Path(__file__).resolve().parents[1] / "tests" / "surfaces" / "classic_client.py"
    start, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, str(client)], input='[["PARAMS_LN", [512]]]', text=True, capture_output=True, check=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - start, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


def column(udfs: Any, classic: Any) -> tuple[float, float]:
    """Return for how long a column of slow calls, all different, holds Excel, and when the last of them is answered."""
    classic._answers.forget()
    udfs.call_udf("sizebook.excel.classic", "FILES_BESIDE", ("", True))
    waiting, held, start = list(range(CALLS)), 0.0, time.perf_counter()
    while waiting:
        since = time.perf_counter()
        waiting = [at for at in waiting if plan(udfs, at) == [["#GETTING_DATA"]]]
        held = max(held, time.perf_counter() - since)
        while classic.CALLS_WAITING():
            time.sleep(0.05)
    udfs.call_udf("sizebook.excel.classic", "FILES_BESIDE", ("", False))
    return held, time.perf_counter() - start


def plan(udfs: Any, at: int) -> Any:
    from sizebook.functions import load

    function = load()["PLAN_SERVING"]
    given = function.example[0] | {"requests_per_day": 100_000.0 + at}
    return udfs.call_udf("sizebook.excel.classic", function.name, [given.get(a.name) for a in function.arguments])


def round_trip(python: str) -> tuple[float, float]:
    """Return the seconds of one call of xlwings Server, of a number asked for the first time, and of its first call."""
    import xlwings

    from tests.excel.server.check import served

    asked = {
        "client": "Office.js", "func_name": "PARAMS_MHA", "caller_address": None, "session_id": "benchmark",
        "culture_info_name": "en-US", "date_format": "m/d/yyyy", "version": xlwings.__version__, "runtime": "1.4",
    }  # fmt: skip
    times = []
    with tempfile.TemporaryDirectory() as folder, served(python, Path(folder)) as address:
        connection = http.client.HTTPConnection(address.removeprefix("http://"))
        for at in range(CALLS):
            body = json.dumps(asked | {"args": [[[at + 1]], None]})
            start = time.perf_counter()
            connection.request("POST", "/xlwings/custom-functions-call", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            assert answer.status == 200, answer.read()
            answer.read()
            times.append(time.perf_counter() - start)
    return sorted(times)[CALLS // 2], times[0]


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
    }  # fmt: skip
    wall, processor = first_call()
    rows |= {"first call after start, processor": processor, "first call after start, wall": wall}
    held, done = column(udfs, classic)
    rows |= {f"a column of {CALLS} plans holds Excel": held, f"a column of {CALLS} plans is done": done}
    if len(sys.argv) > 1:
        median, first = round_trip(sys.argv[1])
        rows |= {"server round trip, PARAMS_MHA (wall)": median, "server, first call (wall)": first}
    for name, seconds in rows.items():
        print(f"{name:40} {seconds * 1e3:10.3f} ms   {seconds / empty:10.1f} x doing nothing")


if __name__ == "__main__":
    main()
