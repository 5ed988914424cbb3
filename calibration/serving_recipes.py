"""What the public scripts of the benchmarks set and the table of measurements leaves out.

`serving_recipes.csv` says, for the runs that its first columns choose, how many tokens were drafted a step, where the
script chose attention data parallelism and expert parallelism by itself, and the format of the cache. A blank choice
holds for every run. The first row that matches holds.
"""

import csv
import re
from pathlib import Path

RECIPES = Path(__file__).with_suffix(".csv")
# Column of the recipes, column of the measurements.
CHOSEN_BY = {
    "models": "model_path", "systems": "system", "precisions": "precision", "versions": "backend_version",
    "isl": "isl", "osl": "osl", "tp": "tp_size", "ep": "moe_ep_size", "concurrency": "concurrency",
    "prefill_gpus": "prefill_gpus", "decode_gpus": "decode_gpus",
}  # fmt: skip

Row = dict[str, str]
MANY = 16  # requests in flight from which scripts look for new ones less often


def rows_of(path: Path) -> list[Row]:
    """Return the rows of a table in their order."""
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def read_recipes() -> list[Row]:
    """Return the recipes in their order."""
    return rows_of(RECIPES)


SETTINGS = rows_of(Path(__file__).with_name("serving_settings.csv"))  # of engines, in their order


def held_steps(setting: Row, dp: int, concurrency: int) -> float:
    """Return the decode steps for which settings hold a new request back, on average.

    An engine that looks for new requests every n steps finds one after (n - 1) / 2 of them. One that waits for more
    prompts, or with attention data parallelism for a prompt of every rank, waits as many steps as it is allowed.
    """
    every = float(setting.get("recv_interval_16" if concurrency >= MANY else "recv_interval") or 1)
    return (every - 1) / 2 + float(setting.get("wait_steps_dp" if dp > 1 else "wait_steps") or 0)


def chunk_tokens(setting: Row, input_tokens: int) -> float:
    """Return the tokens of prompts that a pass takes at most, 0 where nobody says."""
    return max(float(setting.get("chunk_tokens") or 0), float(setting.get("chunk_prompts") or 0) * input_tokens)


def recipe_of(row: Row, recipes: list[Row]) -> Row:
    """Return the recipe that ran a measured row, an empty one where none is known; it names days, or a run's second."""
    found = re.search(r"measured=([0-9T:-]+)", row["silicon_data_source"])
    ran = found[1] if found else ""
    for recipe in recipes:
        first, last = recipe["measured_from"], recipe["measured_to"]
        inside = recipe["backend"] == row["backend"] and first <= ran[: len(first)] and ran[: len(last)] <= last
        chosen = ((recipe[ours].split(), theirs) for ours, theirs in CHOSEN_BY.items() if ours in recipe)
        wanted = ((any_of, row[theirs].removesuffix(".0")) for any_of, theirs in chosen)
        if inside and all(not any_of or got in any_of for any_of, got in wanted):
            return recipe
    return {}


def layout_run(recipe: Row, tp: int, dp: int, ep: int, concurrency: int) -> tuple[int, int, int]:
    """Return the layout that a script chose by the concurrency: tp, attention dp, ep."""
    if not recipe.get("dp_from"):
        return tp, dp, ep
    gpus = tp if tp == dp else tp * dp
    tp, dp = (1, gpus) if concurrency >= float(recipe["dp_from"]) else (gpus, 1)
    return tp, dp, gpus if concurrency >= float(recipe["ep_from"]) else 1


def drafted(recipe: Row, dp: int) -> int | None:
    """Return the tokens that a run drafted in a step, None where nobody says."""
    said = recipe.get("draft_tokens_dp" if dp > 1 else "draft_tokens")
    return int(said) if said else None
