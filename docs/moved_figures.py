"""What each key of a scenario moves: sample scenarios are planned again with the key changed, and figures compared.

A key that is refused, or that moves no figure, in one sample is tried in the next. Figures are those that a plan shows
first, by what they are about; then all others by their labels, then its tables and what it warns of. A blank means that
no value tried moved any of them.
"""

import copy
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from sizebook.batch.plan_kinds import PlannedScenario, plan_scenario
from sizebook.core.errors import SizebookError
from sizebook.core.scenario_keys import Keys
from sizebook.core.sections import Argument
from sizebook.scenarios.scenario_files import read_toml

ROOT = Path(__file__).resolve().parents[1]
CHAT, SIX = "reports/serving-llama-3.1-70b", "workbooks/scenarios/six-services"
IMAGES = {"images": 2, "image_width": 1024, "image_height": 1024, "image_frames": 8}
USERS = {"users": 50_000, "active_share": 0.5, "requests_per_user": 40, "working_days": 21}
SPENT = {"money": {"invest_usd": 1e5, "people_usd_per_month": 1e4, "income_usd_per_month": 1e5}}
EUROS = {"money": {"currency": "EUR", "rates": 0.9}}
OWNED, RESERVED = {"capex_usd": 30_000}, {"sign_terms": "any"}
API = {"api_provider": "nebius", "api_model": "meta-llama/Llama-3.3-70B-Instruct"}
LOAN = OWNED | {"financing": "loan", "financing_rate_per_year": 0.07}
CLAUDE = {"api_provider": "anthropic", "api_model": "claude-haiku-4-5"}
UNSAID = {"requests_per_day": None, "growth_per_month": None}
WITH_PERCENTILE = {
    "request_percentile": "p95",
    "dispersion": 2,
    "ttft_target_seconds": 2.0,
    "tpot_target_seconds": 0.04,
}
LENGTHS = dict.fromkeys(("input_tokens", "input_tokens_p95", "output_tokens", "output_tokens_p95"))
HISTOGRAMS = LENGTHS | {"input_histogram": [[1000, 0.7], [3000, 0.3]], "output_histogram": [[200, 0.7], [500, 0.3]]}
FREE = {"ttft_target_seconds": None, "tpot_target_seconds": None}
PROGRAMME = "reports/programme-llama-3.1-405b"
# By kind: file of the sample, what stands beside it, and the table whose keys alone it is for. None is left out; of a
# table that stands several times, the one at the number is kept and changed.
SAMPLES: Mapping[str, tuple[tuple[str, Mapping[str, Any], str], ...]] = {
    "sizing": (("reports/llama-3.1-8b", {}, ""),),
    "training": (
        ("reports/training-llama-3.1-70b", {}, ""),
        ("reports/fine-tuning-llama-3.1-70b", {"example_tokens": 600}, ""),
        ("reports/fine-tuning-llama-3.1-70b", {"tuning": "qlora"}, ""),
        ("reports/training-llama-3.1-70b", {"model": "mixtral-8x7b"}, ""),
        ("reports/training-llama-3.1-70b", {"interleave": 1}, ""),
        ("reports/training-llama-3.1-70b", {"owned": OWNED}, "owned"),
        ("reports/training-llama-3.1-70b", EUROS, "money"),
    ),
    "serving": (
        (CHAT, {}, ""),
        (CHAT, {"adapters": 16, "draft_tokens": 3, "tokens_per_step": 2}, ""),
        (CHAT, {"traffic": {"months": 12}, "model": "mixtral-8x7b"}, ""),
        ("reports/serving-percentile-llama-3.1-70b", {}, "requests"),
        ("reports/serving-percentile-llama-3.1-70b", {}, "traffic"),
        ("reports/serving-percentile-llama-3.1-70b", {"traffic": HISTOGRAMS}, "traffic"),
        (CHAT, {"target": FREE, "traffic": {"concurrency": 32}}, "traffic"),
        (CHAT, {"gpu": None, "tp": None}, ""),
        ("reports/serving-percentile-llama-3.1-70b", {"requests": {"dispersion": None}}, "requests"),
        ("reports/serving-pools-deepseek-r1", {}, "pools"),
        (CHAT, {"conversation": {"turns": 6, "turn_tokens": 100, "host_cache_bytes": 5e11}}, "conversation"),
        (CHAT, {"conversation": {"turns": 6, "host_cache_bytes": 5e10, "returning": 0.5}}, "conversation"),
        (CHAT, {"model": "qwen2.5-vl-7b", "pictures": IMAGES}, "pictures"),
        (CHAT, {"target": {"spare": 1, "failure_domain": "node", "whole_nodes": True}}, "target"),
        (CHAT, {"traffic": UNSAID, "demand": USERS}, "demand"),
        (CHAT, {"traffic": UNSAID, "demand": {"monthly_requests": [[1, 5e7], [6, 9e7]]}}, "demand"),
        (CHAT, {"traffic": UNSAID | {"start": date(2027, 1, 1)}, "demand": USERS}, "demand"),
        (CHAT, {"traffic": UNSAID | {"shape": None}, "demand": USERS | {"hours_active": 8}}, "demand"),
        (CHAT, {"traffic": UNSAID, "demand": {"monthly_tokens": [1e11]}}, "demand"),
        (CHAT, {"commitments": RESERVED}, "commitments"),
        (CHAT, {"commitments": RESERVED, "money": {"discount_per_year": 0.1}}, "commitments"),
        (CHAT, {"owned": OWNED}, "owned"),
        (CHAT, {"owned": LOAN}, "owned"),
        (CHAT, {"api": API}, "api"),
        (CHAT, {"api": CLAUDE}, "api"),
        (CHAT, {"interruptions": {"interruptions_per_hour": 0.1}}, "interruptions"),
        (CHAT, SPENT, "money"),
        (CHAT, EUROS, "money"),
    ),
    "fleet": (
        (SIX, {}, ""),
        (SIX, {"service": (0, {"concurrency": None, **WITH_PERCENTILE})}, "service"),
        (SIX, {"service": (0, {"concurrency": None, "separate_prefill": True})}, "service"),
        (SIX, {"service": (0, {**UNSAID, **USERS})}, "service"),
        (SIX, {"service": (0, {**UNSAID, "monthly_requests": [[1, 5e7], [6, 9e7]]})}, "service"),
        (SIX, {"service": (0, {**UNSAID, "monthly_tokens": [1e11]})}, "service"),
        (SIX, {"service": (0, {**UNSAID, **USERS, "shape": None, "hours_active": 8})}, "service"),
        (SIX, {"service": (0, {"reserved_usd_per_gpu_hour": None, **RESERVED})}, "service"),
        (SIX, {"service": (0, {"adapters": 16})}, "service"),
        (SIX, {"owned": OWNED}, "owned"),
        (SIX, {"owned": LOAN}, "owned"),
        (SIX, {"api": CLAUDE}, "api"),
        (SIX, {"service": (0, {"owned": OWNED})}, "service.owned"),
        (SIX, {"service": (0, {"owned": LOAN})}, "service.owned"),
        (SIX, {"service": (0, {"api": CLAUDE})}, "service.api"),
        (SIX, SPENT, "money"),
        (SIX, EUROS, "money"),
    ),
    "programme": (
        (PROGRAMME, {}, ""),
        (PROGRAMME, EUROS, "money"),
        (PROGRAMME, {"phases": (5, {})}, "phases"),
        (PROGRAMME, {"phases": (3, {"tuning": "qlora", "lora_rank": 16})}, "phases"),
        (PROGRAMME, {"phases": (0, {"price_usd_per_gpu_hour": None})}, "phases"),
        (PROGRAMME, {"phases": (3, {"model": "mixtral-8x7b", "pp": 4, "interleave": 1})}, "phases"),
        (PROGRAMME, {"phases": (0, {"price_usd_per_gpu_hour": None, "owned": OWNED})}, "phases"),
    ),
}
# Beginnings of names of figures, and what they are about; the first that fits.
ABOUT = {
    "peak_gpus": "GPUs", "gpus_per_replica": "GPUs", "gpu_hours": "GPU-hours", "ttft": "latency", "tpot": "latency",
    "usd": "cost", "cost": "cost", "programme_cost": "cost", "energy": "energy", "co2e": "carbon", "memory": "memory",
    "mfu": "MFU", "days": "time", "train_days": "time", "programme_days": "time", "peak_mw": "power",
    "weight_bytes": "bytes", "parameters": "parameters", "active_parameters": "parameters",
}  # fmt: skip
_TRIED = (0.5, 1, 2, 8, 0, 100, 1e6)
# Of keys that take neither a number, a choice nor a flag, and of those where few values are taken: what is tried first.
_LIKELY: Mapping[str, tuple[Any, ...]] = {
    "model": ("llama-3.1-8b", "gpt-2-small"), "grid": ("fra", "usa"), "gpu": ("h100-sxm", "b200-sxm"),
    "name": ("Another",), "region": ("us-east-1", "us-central1"), "provider": ("aws", "gcp"), "release": ("0.6.0",),
    "start": (date(2027, 4, 1),), "currency": ("CHF",), "rates": (0.8,), "gpus_compared": ("h100-sxm, a100-sxm-80gb",),
    "recompute_modules": ("mlp", "block 2 layers"), "offload": ("optimizer", "activations"), "title": ("Another",),
    "tenant_shares": ([0.5, 0.5],), "input_histogram": ([[1000, 0.5], [4000, 0.5]],),
    "output_histogram": ([[100, 0.5], [900, 0.5]],), "trace": ([0, 1, 1, 2, 5, 5],), "dp": (8, 4, 2),
    "transfer_bytes_per_second": (1e9, 1e10), "monthly_requests": ([6e7, 7e7],), "monthly_tokens": ([1e11, 2e11],),
    "season": ([0.5] * 6 + [1.5] * 6,), "hours_active": (6, 10), "time_zones": ([[0, 0.5], [-6, 0.5]],),
    "contracts": ([[50, 1, 24, 1.5]],), "api_provider": ("together", "deepinfra"), "loan_months": (12, 24),
    "api_model": ("meta-llama/Meta-Llama-3.1-70B-Instruct", "claude-haiku-5-5"), "served_share": (0.9, 0.99999),
}  # fmt: skip
_ENOUGH = 2  # values that move something
_MOST_NAMED = 3  # figures named where none of those shown first moves


Sample = tuple[dict[str, Any], Path, PlannedScenario]


def moved_by_key(kind: str, table: Keys, path: tuple[str, ...] = ()) -> dict[tuple[tuple[str, ...], str], str]:
    """Return what each key of a table and of those within it moves, by path and name."""
    samples = [_sample(file, beside) for file, beside, only in SAMPLES[kind] if ".".join(path).startswith(only)]
    found = {(path, key.name): _moved(samples, path, key) for key in table.keys}
    for inner in table.tables:
        found |= moved_by_key(kind, inner, (*path, inner.name))
    return found


def _sample(file: str, beside: Mapping[str, Any]) -> Sample:
    """Return a scenario, its folder and its plan."""
    path = ROOT / f"{file}.toml"
    values = read_toml(path)
    for key, value in beside.items():
        if isinstance(value, tuple):
            at, changes = value
            values[key] = [_joined(values[key][at], changes)]
        else:
            values[key] = _joined(values.get(key, {}), value) if isinstance(value, dict) else value
    return values, path.parent, plan_scenario(values, "a sample", path.parent)


def _joined(table: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**table, **changes}.items() if value is not None}


def _figures(plan: PlannedScenario) -> dict[str, Any]:
    """Return the figures of a plan by what they are about, and by their labels."""
    about: dict[str, Any] = {}
    for each in plan.contents.first:
        about.setdefault(_about(each.name), []).append(each.value)
    return {**about, **{each.label: each.value for each in plan.contents.figures}}


def _rest(plan: PlannedScenario) -> dict[str, Any]:
    """Return what a plan shows beside its figures."""
    tables = {f"table {each.name}": [tuple(row) for row in each.rows] for each in plan.contents.tables}
    return {**tables, "the statement of money": plan.statement, "what page 1 warns of": plan.warnings}


def _about(name: str) -> str:
    return next(words for start, words in ABOUT.items() if name.startswith(start))


def _moved(samples: list[Sample], path: tuple[str, ...], key: Argument) -> str:
    rest: list[str] = []
    for values, folder, plan in samples:
        before = _figures(plan)
        moved: list[set[str]] = []
        for value in _values(values, path, key):
            try:
                other = plan_scenario(_changed(values, path, key.name, value), "a sample", folder)
                after = _figures(other)
                rest = rest or _differ(_rest(plan), _rest(other))
            except SizebookError:
                continue
            moved += [set(names)] if (names := _differ(before, after)) else []
            if len(moved) == _ENOUGH:
                break
        if moved:
            names = [each for each in before if each in set().union(*moved)]
            first = [each for each in dict.fromkeys(ABOUT.values()) if each in names]
            return "; ".join(first or [f"*{each}*" for each in names[:_MOST_NAMED]])
    return "; ".join(f"*{each}*" for each in rest[:_MOST_NAMED])


def _differ(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return [name for name in before if after.get(name) != before[name]]


def _values(values: Mapping[str, Any], path: tuple[str, ...], key: Argument) -> Iterator[Any]:
    """Yield values to try: other choices, the other flag, multiples of a number."""
    quantity, now = key.quantity, _table(values, path).get(key.name, values.get(key.name, key.default))
    yield from (each for each in _LIKELY.get(key.name, ()) if each != now)
    if quantity.kind == "flag":
        yield not now
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
