"""Training plans for tables of many rows: what depends on the layout is worked out once for each distinct layout.

A row is a mapping of the names of `TrainingInputs`, model and gpu; each cell means what it means in a spreadsheet or a
scenario file, and a blank one takes the default. Blank degrees are 1, and dp what they leave over of the GPUs. A bad
row is not dropped: its result holds the reason and no figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from sizebook.cells import coerce, is_blank
from sizebook.errors import SizebookError
from sizebook.formulas.hardware import accelerator
from sizebook.formulas.training_quantities import Batches, Method, Operations, Pace
from sizebook.models import catalog
from sizebook.plans.layout import Layout, spread
from sizebook.plans.training_case import case_of
from sizebook.plans.training_inputs import (
    Costs,
    Energy,
    Footprint,
    Power,
    Prices,
    Setup,
    Training,
    TrainingInputs,
    check_pace,
    costs_of,
    power_of,
)
from sizebook.plans.training_work import Work, work_of
from sizebook.quantities import Gpu, Gpus, Model, Tokens
from sizebook.registry import REQUIRED, Argument, leaves, put_together, quantity_of
from sizebook.units import gibibytes


def _required(name: str, hint: Any) -> Argument:
    return Argument(name, quantity_of(hint), REQUIRED)


MODEL, GPU, GPUS = _required("model", Model), _required("gpu", Gpu), _required("gpus", Gpus)
TOKENS = _required("tokens", Tokens)
ARGUMENTS = {MODEL.name: MODEL, GPU.name: GPU} | {leaf.name: leaf for leaf in leaves(TrainingInputs)}
INPUTS = tuple(ARGUMENTS)
REQUIRED_INPUTS = tuple(name for name, argument in ARGUMENTS.items() if argument.required)
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
_UNKNOWN_COSTS = Costs(price_usd_per_gpu_hour=0)
_UNKNOWN_POWER = Power(watts=0, grams_per_kwh=0, footprint=Footprint())


def _names(*kinds: Any) -> tuple[str, ...]:
    return tuple(leaf.name for kind in kinds for leaf in leaves(kind))


# The cells that each part of a row depends on; equal cells are read once.
_WORK = (MODEL.name, GPU.name, GPUS.name, *_names(Batches, Layout, Method))
_PACE, _OPERATIONS = _names(Pace), _names(Operations)
_MONEY = (GPU.name, *_names(Prices))
_ENERGY = (GPU.name, "power_limit_watts", *_names(Energy))


def _read(names: Sequence[str], cells: Sequence[Any]) -> dict[str, Any]:
    """Return the values of cells; blank ones are left out, so that they take their defaults, or are asked for."""
    return {
        name: coerce(ARGUMENTS[name], cell)
        for name, cell in zip(names, cells, strict=True)
        if ARGUMENTS[name].required or not is_blank(cell)
    }


@lru_cache(maxsize=100_000)
def _work(*cells: Any) -> Work | SizebookError:
    """Return the work of the cells of `_WORK`, or the refusal: the same cells are tried once."""
    try:
        given = _read(_WORK, cells)
        setup = Setup(
            architecture=catalog.architecture(given["model"]),
            gpu=accelerator(given["gpu"]),
            gpus=given["gpus"],
            batches=put_together(Batches, given),
            method=put_together(Method, given),
        )
        layout = put_together(Layout, given)
        return work_of(setup, layout if "dp" in given else spread(layout, setup.gpus))
    except SizebookError as error:
        return error


@lru_cache(maxsize=10_000)
def _pace(*cells: Any) -> Pace:
    pace = put_together(Pace, _read(_PACE, cells))
    check_pace(pace)
    return pace


@lru_cache(maxsize=10_000)
def _operations(*cells: Any) -> Operations:
    return put_together(Operations, _read(_OPERATIONS, cells))


@lru_cache(maxsize=10_000)
def _power(*cells: Any) -> tuple[Power, str]:
    """Return the power and grid of a row, or why they are not known: time and memory are none the less."""
    given = _read(_ENERGY, cells)
    energy = put_together(Energy, given)
    try:
        return power_of(accelerator(given["gpu"]), energy, given.get("power_limit_watts")), ""
    except SizebookError as error:
        return _UNKNOWN_POWER, str(error)


@lru_cache(maxsize=10_000)
def _costs(*cells: Any) -> tuple[Costs, str]:
    """Return the price of a row, or why it is not known: time and memory are none the less."""
    given = _read(_MONEY, cells)
    prices = put_together(Prices, given)
    try:
        return costs_of(accelerator(given["gpu"]), prices, _UNKNOWN_POWER), ""
    except SizebookError as error:
        return _UNKNOWN_COSTS, str(error)


def training_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result columns of one row; a refusal stands in ``reason``, and its figures are None."""
    try:
        return _result(row)
    except SizebookError as error:
        return {**dict.fromkeys(OUTPUTS), "reason": str(error)}


def _result(row: Mapping[str, Any]) -> dict[str, Any]:
    cell = row.get
    work = _work(*map(cell, _WORK))
    if isinstance(work, SizebookError):
        raise work
    costs, no_price = _costs(*map(cell, _MONEY))
    power, no_power = _power(*map(cell, _ENERGY))
    setup = work.setup
    inputs = Training(
        model=cell("model", ""),
        architecture=setup.architecture,
        gpu=setup.gpu,
        gpus=setup.gpus,
        batches=setup.batches,
        method=setup.method,
        tokens=coerce(TOKENS, cell("tokens")),
        layout=work.layout,
        costs=costs,
        power=power,
        pace=_pace(*map(cell, _PACE)),
        operations=_operations(*map(cell, _OPERATIONS)),
    )
    seconds, (low, _, high) = work.timing(inputs.utilization, inputs.pace.flops_convention)
    case = case_of(inputs, work, seconds, name="middle")
    misfit = "" if work.fits else f"does not fit: {gibibytes(work.short_bytes)} too much a GPU"
    return {
        "memory_bytes": work.fullest.total,
        "fits": work.fits,
        "step_seconds": case.step_seconds,
        "tokens_per_s_per_gpu": case.tokens_per_s_per_gpu,
        "mfu_reached": case.mfu,
        "train_days": case.train_days,
        "gpu_hours": case.gpu_hours,
        "cost_usd": None if no_price else case.cost_usd,
        "energy_kwh": None if no_power else case.energy_kwh,
        "co2e_kg": None if no_power else case.co2e_kg,
        "error_low": low - 1,
        "error_high": high - 1,
        "reason": "; ".join(filter(None, (misfit, no_price, no_power))),
    }
