"""What each key of a scenario moves: sample scenarios are planned again with the key changed, and figures compared.

A key that is refused, or that moves nothing, in one sample is tried in the next. Figures are those that a plan shows
first, by what they are about. A blank means that no value tried moved one of them.
"""

import copy
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sizebook.batch.plan_kinds import plan_scenario
from sizebook.core.errors import SizebookError
from sizebook.core.scenario_keys import Keys
from sizebook.core.sections import Argument
from sizebook.scenarios.scenario_files import read_toml

ROOT = Path(__file__).resolve().parents[1]
CHAT, SIX = "reports/serving-llama-3.1-70b", "workbooks/scenarios/six-services"
IMAGES = {"images": 2, "image_width": 1024, "image_height": 1024}
USERS = {"users": 50_000, "active_share": 0.5, "requests_per_user": 40, "working_days": 21}
SPENT = {"money": {"invest_usd": 1e5, "people_usd_per_month": 1e4, "income_usd_per_month": 1e5}}
# By kind: file of the sample, what stands beside it (None: is left out), and the table whose keys alone it is for.
SAMPLES: Mapping[str, tuple[tuple[str, Mapping[str, Any], str], ...]] = {
    "sizing": (("reports/llama-3.1-8b", {}, ""),),
    "training": (
        ("reports/training-llama-3.1-70b", {}, ""),
        ("reports/fine-tuning-llama-3.1-70b", {"example_tokens": 600}, ""),
        ("reports/fine-tuning-llama-3.1-70b", {"tuning": "qlora"}, ""),
        ("reports/training-llama-3.1-70b", {"model": "mixtral-8x7b"}, ""),
    ),
    "serving": (
        (CHAT, {}, ""),
        (CHAT, {"adapters": 16, "draft_tokens": 3, "tokens_per_step": 2}, ""),
        ("reports/serving-percentile-llama-3.1-70b", {}, "requests"),
        ("reports/serving-pools-deepseek-r1", {}, "pools"),
        (CHAT, {"conversation": {"turns": 6, "turn_tokens": 100, "host_cache_bytes": 5e11}}, "conversation"),
        (CHAT, {"model": "qwen2.5-vl-7b", "pictures": IMAGES}, "pictures"),
        (CHAT, {"target": {"spare": 1, "failure_domain": "node", "whole_nodes": True}}, "target"),
        (CHAT, {"traffic": {"requests_per_day": None, "growth_per_month": None}, "demand": USERS}, "demand"),
        (CHAT, {"commitments": {"sign_terms": "any"}}, "commitments"),
        (CHAT, SPENT, "money"),
    ),
    "fleet": ((SIX, {}, ""), (SIX, SPENT, "money")),
    "programme": (("reports/programme-llama-3.1-405b", {}, ""),),
}
# Beginnings of names of figures, and what they are about; the first that fits.
ABOUT = {
    "peak_gpus": "GPUs", "gpus_per_replica": "GPUs", "gpu_hours": "GPU-hours", "ttft": "latency", "tpot": "latency",
    "usd": "cost", "cost": "cost", "programme_cost": "cost", "energy": "energy", "co2e": "carbon", "memory": "memory",
    "mfu": "MFU", "days": "time", "train_days": "time", "programme_days": "time", "peak_mw": "power",
    "weight_bytes": "bytes", "parameters": "parameters", "active_parameters": "parameters",
}  # fmt: skip
_TRIED = (0.5, 1, 2, 8, 0, 100, 1e6)
_TEXTS = {"model": ("llama-3.1-8b", "gpt-2-small"), "grid": ("fra", "usa")}
_ENOUGH = 2  # values that move something
_MOST_NAMED = 3  # figures named where none of those shown first moves


def moved_by_key(kind: str, table: Keys, path: tuple[str, ...] = ()) -> dict[tuple[tuple[str, ...], str], str]:
    """Return what each key of a table and of those within it moves, by path and name."""
    samples = [_sample(file, beside) for file, beside, only in SAMPLES[kind] if only in ("", *path[:1])]
    found = {(path, key.name): _moved(samples, path, key) for key in table.keys}
    for inner in table.tables:
        found |= moved_by_key(kind, inner, (*path, inner.name))
    return found


def _sample(file: str, beside: Mapping[str, Any]) -> tuple[dict[str, Any], Path, dict[str, Any]]:
    """Return a scenario, its folder and its figures."""
    path = ROOT / f"{file}.toml"
    values = read_toml(path)
    for key, value in beside.items():
        values[key] = {**values.get(key, {}), **value} if isinstance(value, dict) else value
        if isinstance(value, dict):
            values[key] = {name: each for name, each in values[key].items() if each is not None}
    return values, path.parent, _figures(values, path.parent)


def _figures(values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the figures of a plan by what they are about, and by their labels."""
    contents, about = plan_scenario(values, "a sample", folder).contents, {}
    for each in contents.first:
        about.setdefault(_about(each.name), []).append(each.value)
    return {**about, **{each.label: each.value for each in contents.figures}}


def _about(name: str) -> str:
    return next(words for start, words in ABOUT.items() if name.startswith(start))


def _moved(samples: list[tuple[dict[str, Any], Path, dict[str, Any]]], path: tuple[str, ...], key: Argument) -> str:
    for values, folder, before in samples:
        moved: list[set[str]] = []
        for value in _values(values, path, key):
            try:
                after = _figures(_changed(values, path, key.name, value), folder)
            except SizebookError:
                continue
            moved += [names] if (names := {name for name in before if after.get(name) != before[name]}) else []
            if len(moved) == _ENOUGH:
                break
        names = set().union(*moved)
        if names:
            first = [each for each in dict.fromkeys(ABOUT.values()) if each in names]
            others = [f"*{each}*" for each in before if each in names][:_MOST_NAMED]
            return "; ".join(first or others)
    return ""


def _values(values: Mapping[str, Any], path: tuple[str, ...], key: Argument) -> Iterator[Any]:
    """Yield values to try: other choices, the other flag, multiples of a number."""
    quantity, now = key.quantity, _table(values, path).get(key.name, values.get(key.name, key.default))
    if quantity.kind == "flag":
        yield not now
    elif key.name in _TEXTS:
        yield from _TEXTS[key.name]
    elif quantity.allowed:
        yield from [each for each in quantity.allowed if each != now][:8]
    elif quantity.kind in ("integer", "number"):
        near = (now * 2, now / 2) if isinstance(now, (int, float)) and now else ()
        tried = [each for each in (*near, *_TRIED) if each != now]
        yield from dict.fromkeys(int(each) if quantity.kind == "integer" else each for each in tried)


def _changed(values: Mapping[str, Any], path: tuple[str, ...], name: str, value: Any) -> dict[str, Any]:
    found = copy.deepcopy(dict(values))
    if path and name in found:  # a key of a stretch such as [traffic] may also stand at the top
        del found[name]
    _table(found, path)[name] = value
    return found


def _table(values: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    """Return the table of a path, the first of several; it is made where it is missing."""
    found: Any = values
    for name in path:
        found = found.setdefault(name, {})
        found = found[0] if isinstance(found, list) else found
    return found
