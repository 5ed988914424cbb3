"""The table of the sample reports: the scenario of each, and which key to change to see what move."""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCENARIOS = (*sorted((ROOT / "reports").glob("*.toml")), ROOT / "workbooks" / "scenarios" / "six-services.toml")
# Of each scenario: a key of it, and the heading of its report under which figures move.
MOVES = {
    "fine-tuning-llama-3.1-70b": ("lora_rank", "Matrices that carry adapters of rank 16"),
    "llama-3.1-8b": ("dtype", "Memory"),
    "mixtral-8x7b": ("dtype", "Memory"),
    "programme-llama-3.1-405b": ("gap_days", "Cost by month, middle case"),
    "serving-llama-3.1-70b": ("growth_per_month", "The fleet in every month"),
    "serving-percentile-llama-3.1-70b": ("request_percentile", "Latency"),
    "serving-pools-deepseek-r1": ("separate_prefill", "Seconds to the first token"),
    "six-services": ("kw_ceiling", "To check"),
    "training-llama-3.1-70b": ("gpus", "Steady state and whole run, middle case"),
}
HEAD = """# Sample reports

Change the key in the scenario, run `sizebook report SCENARIO.toml -o OUT.pdf`, and look under the heading.

| report | scenario | change this | look there |
|---|---|---|---|"""


def samples_page() -> str:
    """Return a line for each scenario that has a sample report."""
    return "\n".join((HEAD, *map(_row, SCENARIOS))) + "\n"


def _row(path: Path) -> str:
    key, heading = MOVES[path.stem]
    title = tomllib.loads(path.read_text(encoding="utf-8")).get("title", path.stem)
    scenario = f"[`{path.name}`](../{path.relative_to(ROOT).as_posix()})"
    return f"| [{title}](../reports/{path.stem}.pdf) | {scenario} | `{key}` | *{heading}* |"
