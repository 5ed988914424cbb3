"""How long the command line takes to start, and to a report, against an empty interpreter and against click alone.

Run `python benchmarks/startup.py`. Every command is run in turn, round after round, so that a machine whose speed
drifts slows all of them alike; the figures are medians of processor time and of wall time over whole processes. Modules
are compiled once, as an installation has them.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 15
SCENARIO = Path(__file__).resolve().parents[1] / "reports" / "serving-llama-3.1-70b.toml"
SIZEBOOK = str(Path(sys.executable).parent / "sizebook")
LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.json"
        config.write_text(json.dumps(LLAMA))
        commands = {
            "python -c pass": ["-c", "pass"],
            "import click": ["-c", "import click"],
            "sizebook call PARAMS_MHA 4096": [SIZEBOOK, "call", "PARAMS_MHA", "4096"],
            "sizebook count config.json": [SIZEBOOK, "count", str(config)],
            "import every function module": ["-c", "from sizebook.functions import load; load()"],
            "sizebook report serving.toml": [SIZEBOOK, "report", str(SCENARIO), "-o", f"{folder}/serving.pdf"],
        }
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        compiled = {**os.environ, "PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}
        for _ in range(ROUNDS):
            for name, arguments in commands.items():
                times[name].append(_timed(arguments, compiled))
    _print(times)


def _timed(arguments: list[str], environment: dict[str, str]) -> tuple[float, float]:
    before, start = _children_cpu(), time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)
    return _children_cpu() - before, time.perf_counter() - start


def _children_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _print(times: dict[str, list[tuple[float, float]]]) -> None:
    medians = {
        name: tuple(statistics.median(column) for column in zip(*runs, strict=True)) for name, runs in times.items()
    }
    empty, click = medians["python -c pass"], medians["import click"]
    print(f"{'command':34} {'cpu ms':>8} {'wall ms':>8} {'cpu / pass':>11} {'cpu / click':>12} {'wall / click':>13}")
    for name, (cpu, wall) in medians.items():
        print(
            f"{name:34} {1e3 * cpu:8.0f} {1e3 * wall:8.0f} {cpu / empty[0]:11.2f} {cpu / click[0]:12.2f} "
            f"{wall / click[1]:13.2f}"
        )


if __name__ == "__main__":
    main()
