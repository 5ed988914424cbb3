"""Training plans for tables of many rows: what depends on the layout is worked out once for each distinct layout.

A row is a mapping of the argument names; what it leaves blank takes the default. A bad row is not dropped: its result
holds the reason and no figures.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sizebook.errors import InputError, SizebookError
from sizebook.formulas.energy import train_co2e_kg, train_energy_kwh
from sizebook.formulas.hardware import accelerator
from sizebook.formulas.training_time import checkpoint_interval_seconds, cluster_mtbf_hours, goodput
from sizebook.models.flops import train_flops_per_token
from sizebook.plans.layer_profile import profile_of
from sizebook.plans.layout import Layout, check, micro_batches
from sizebook.plans.training import capacity_bytes, peak_flop_per_s
from sizebook.plans.training_memory import Recipe, fullest_candidates
from sizebook.plans.training_time import calibration, error_band, machine, step_time
from sizebook.units import gibibytes

# What the layout's work depends on, with the defaults of blank cells; then what only money and energy depend on.
WORK: dict[str, Any] = {
    "model": None,
    "gpu": None,
    "gpus": None,
    "batch": None,
    "seq": 4096,
    "tp": 1,
    "pp": 1,
    "cp": 1,
    "ep": 1,
    "zero_stage": 1,
    "micro_batch": 1,
    "interleave": 1,
    "recompute": "none",
    "dtype": "bf16",
    "stack": "megatron",
    "optimizer": "adamw",
}
REST: dict[str, Any] = {
    "tokens": None,
    "mfu": None,
    "price_usd_per_gpu_hour": 0.0,
    "watts": None,
    "pue": 1.2,
    "host_share": 0.3,
    "grams_per_kwh": 0.0,
    "gpu_mtbf_hours": 50_000.0,
}
INPUTS = (*WORK, *REST)
OPTIONAL = frozenset({"mfu", "watts"})
WHOLE = frozenset({"gpus", "batch", "seq", "tp", "pp", "cp", "ep", "zero_stage", "micro_batch", "interleave"})
OUTPUTS = (
    "memory_bytes",
    "fits",
    "step_seconds",
    "tokens_per_s_per_gpu",
    "mfu_reached",
    "train_days",
    "gpu_hours",
    "cost_usd",
    "energy_kwh",
    "co2e_kg",
    "error_low",
    "error_high",
    "reason",
)


@dataclass(frozen=True)
class Work:
    """What a layout takes, apart from how many tokens it is run on and what they cost."""

    memory_bytes: float
    fits: bool
    reason: str
    step_seconds: float
    gpus: int
    tokens_per_step: int
    flops_per_token: float
    peak_flop_per_s: float
    tdp_watts: float | None


@lru_cache(maxsize=100_000)
def _work(*key: Any) -> Work | SizebookError:
    """Return the work of the cells of `WORK` as they stand in the row, or the refusal: the same cells are tried
    once."""
    try:
        return _worked_out(*key)
    except SizebookError as error:
        return error


def _worked_out(*key: Any) -> Work:
    row = dict(zip(WORK, key, strict=True))
    given = {name: _cell(row, name, default) for name, default in WORK.items()}
    gpu, seq, batch = accelerator(given["gpu"]), given["seq"], given["batch"]
    profile = profile_of(given["model"], seq)
    spread = given["tp"] * given["pp"] * given["cp"]
    degrees = {name: given[name] for name in ("tp", "pp", "cp", "ep", "interleave", "zero_stage", "micro_batch")}
    layout = Layout(dp=max(1, given["gpus"] // spread), recompute=given["recompute"], **degrees)
    check(layout, profile.architecture, given["gpus"], seq, batch)
    recipe, n_micro = Recipe(given["stack"], given["optimizer"]), micro_batches(layout, batch)
    rates = machine(gpu, given["dtype"], given["stack"], calibration())
    needed = fullest_candidates(profile, layout, recipe, n_micro).total
    short = needed - capacity_bytes(gpu)
    return Work(
        memory_bytes=needed,
        fits=short <= 0,
        reason="" if short <= 0 else f"does not fit: {gibibytes(short)} too much a GPU",
        step_seconds=step_time(profile, layout, recipe, rates, n_micro).total,
        gpus=given["gpus"],
        tokens_per_step=batch * seq,
        flops_per_token=train_flops_per_token(profile.architecture, seq),
        peak_flop_per_s=peak_flop_per_s(gpu, given["dtype"]),
        tdp_watts=gpu.tdp_watts,
    )


@lru_cache(maxsize=10_000)
def _goodput(gpus: int, gpu_mtbf_hours: float) -> float:
    mtbf = cluster_mtbf_hours(gpus, gpu_mtbf_hours)
    return goodput(mtbf, 30, 600, checkpoint_interval_seconds(30, mtbf))


def training_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result columns of one row; a refusal stands in ``reason``, and its figures are None."""
    try:
        return _result(row)
    except SizebookError as error:
        return {**dict.fromkeys(OUTPUTS), "reason": str(error)}


def _cell(row: Mapping[str, Any], name: str, default: Any) -> Any:
    value = row.get(name)
    if value is None or value == "":
        if default is None and name not in OPTIONAL:
            raise InputError(f"{name} is blank: got nothing, want a value. Fill the cell.")
        return default
    if name in WHOLE:
        number = _number(name, value)
        if number != int(number) or number < 0:
            raise InputError(f"{name} is not whole: got {value!r}, want a whole number. Correct the cell.")
        return int(number)
    return value


def _number(name: str, value: Any) -> float:
    """Return the number that a cell holds; cells of text files are text."""
    if not isinstance(value, str):
        return value  # type: ignore[no-any-return]
    try:
        return float(value)
    except ValueError:
        raise InputError(f"{name} is not a number: got '{value}', want digits. Correct the cell.") from None


def _result(row: Mapping[str, Any]) -> dict[str, Any]:
    cell = row.get
    work = _work(*map(cell, WORK))
    if isinstance(work, SizebookError):
        raise work
    rest = {
        name: default if (value := cell(name)) is None or value == "" else _number(name, value)
        for name, default in REST.items()
    }
    tokens = rest["tokens"]
    if tokens is None or not tokens > 0:
        raise InputError(f"nothing to train: got {tokens!r} tokens, want above 0. Correct tokens.")
    gpus, low, high = work.gpus, 1.0, 1.0
    seconds = work.step_seconds
    if rest["mfu"] is None:
        low, high = error_band()
    else:
        seconds = work.tokens_per_step * work.flops_per_token / (gpus * work.peak_flop_per_s * rest["mfu"])
    rate = work.tokens_per_step / gpus / seconds
    run = tokens / work.tokens_per_step * seconds / _goodput(gpus, rest["gpu_mtbf_hours"])
    hours = gpus * run / 3600
    watts = rest["watts"] or work.tdp_watts or 0.0
    energy = train_energy_kwh(hours, watts, rest["pue"], rest["host_share"])
    return {
        "memory_bytes": work.memory_bytes,
        "fits": work.fits,
        "step_seconds": seconds,
        "tokens_per_s_per_gpu": rate,
        "mfu_reached": rate * work.flops_per_token / work.peak_flop_per_s,
        "train_days": run / 86_400,
        "gpu_hours": hours,
        "cost_usd": hours * rest["price_usd_per_gpu_hour"],
        "energy_kwh": energy,
        "co2e_kg": train_co2e_kg(energy, rest["grams_per_kwh"]),
        "error_low": low - 1,
        "error_high": high - 1,
        "reason": work.reason,
    }
