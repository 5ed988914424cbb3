"""Training plans for tables of many rows: what depends on the layout is worked out once for each distinct layout.

A row is a mapping of the names of `TrainingInputs`, model and gpu; each cell means what it means in a spreadsheet or a
scenario file, and a blank one takes the default. Where no degree is stated, the layout is searched as in a plan,
and the reason says which it is; else blank degrees are 1, and dp what they leave over of the GPUs. A bad row is not
dropped: its result holds the reason and no figures.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from operator import itemgetter
from typing import Any, TypeVar

from sizebook.core.coercion import coerce, is_blank
from sizebook.core.errors import SizebookError
from sizebook.core.quantities import Gpu, Gpus, Model, Tokens
from sizebook.core.sections import REQUIRED, Argument, leaves, put_together, quantity_of
from sizebook.models import catalog
from sizebook.plans.training.case import figures_of
from sizebook.plans.training.inputs import (
    Costs,
    Energy,
    Footprint,
    Power,
    Prices,
    Setup,
    Terms,
    TrainingInputs,
    check_pace,
    costs_of,
    power_of,
)
from sizebook.plans.training.searched_layout import found_layout
from sizebook.plans.training.work import Work, work_of
from sizebook.tables.hardware import accelerator
from sizebook.tables.price_rows import no_power
from sizebook.tables.price_tables import user_prices
from sizebook.training.layout import Layout, with_data_parallel
from sizebook.training.quantities import Batches, Operations, Pace, Programme
from sizebook.training.recipe import Method
from sizebook.training.tuning import Examples


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
    "programme_gpu_hours",
    "programme_days",
    "programme_cost_usd",
    "error_low",
    "error_high",
    "run_family",
    "rates_basis",
    "recipe",
    "reason",
)
_UNKNOWN_COSTS = Costs(price_usd_per_gpu_hour=0)
_UNKNOWN_POWER = Power(watts=0, grams_per_kwh=0, footprint=Footprint())


def _names(*kinds: Any) -> tuple[str, ...]:
    return tuple(leaf.name for kind in kinds for leaf in leaves(kind))


# The cells that each part of a row depends on; equal cells are read once.
WORK_INPUTS = (MODEL.name, GPU.name, GPUS.name, *_names(Batches, Layout, Method))
_PACE, _OPERATIONS, _PROGRAMME = _names(Pace), _names(Operations), _names(Programme)
_EXAMPLES = _names(Examples)
_MONEY = (GPU.name, GPUS.name, *_names(Prices))
_ENERGY = (GPU.name, "power_limit_watts", *_names(Energy))
_TERMS = tuple(dict.fromkeys((TOKENS.name, *_MONEY, *_ENERGY, *_EXAMPLES, *_PACE, *_OPERATIONS, *_PROGRAMME)))
Section = TypeVar("Section")
Names = tuple[str, ...]
Cells = tuple[Any, ...]


def _read(names: Names, cells: Cells) -> dict[str, Any]:
    """Return the values of cells; blank ones are left out, so that they take their defaults, or are asked for."""
    return {
        name: coerce(ARGUMENTS[name], cell)
        for name, cell in zip(names, cells, strict=True)
        if ARGUMENTS[name].required or not is_blank(cell)
    }


@lru_cache(maxsize=100_000)
def _work(names: Names, cells: Cells) -> Work | SizebookError:
    """Return the work of the cells of `WORK_INPUTS`, or the refusal: the same cells are tried once."""
    try:
        given = _read(names, cells)
        setup = Setup(
            architecture=catalog.architecture(given["model"]),
            gpu=accelerator(given["gpu"]),
            gpus=given["gpus"],
            batches=put_together(Batches, given),
            method=put_together(Method, given),
        )
        layout = put_together(Layout, given)
        if best := found_layout(setup, layout, given):
            return replace(work_of(setup, best), searched=True)
        return work_of(setup, layout if "dp" in given else with_data_parallel(layout, setup.gpus))
    except SizebookError as error:
        return error


@lru_cache(maxsize=10_000)
def _terms(names: Names, cells: Cells) -> tuple[Terms, str, str]:
    """Return the terms of the cells of `_TERMS`, and why price or power is unknown; times are known even then."""
    given = dict(zip(names, cells, strict=True))
    costs, no_price = _costs(*_some(_MONEY, given))
    power, no_power = _power(*_some(_ENERGY, given))
    terms = Terms(
        tokens=coerce(TOKENS, given["tokens"]),
        costs=costs,
        power=power,
        examples=_section(Examples, *_some(_EXAMPLES, given)),
        pace=_pace(*_some(_PACE, given)),
        operations=_section(Operations, *_some(_OPERATIONS, given)),
        programme=_section(Programme, *_some(_PROGRAMME, given)),
    )
    return terms, no_price, no_power


def _some(names: Names, given: Mapping[str, Any]) -> tuple[Names, Cells]:
    present = tuple(name for name in names if name in given)
    return present, tuple(given[name] for name in present)


@lru_cache(maxsize=10_000)
def _pace(names: Names, cells: Cells) -> Pace:
    pace = put_together(Pace, _read(names, cells))
    check_pace(pace)
    return pace


@lru_cache(maxsize=10_000)
def _section(kind: type[Section], names: Names, cells: Cells) -> Section:
    return put_together(kind, _read(names, cells))


@lru_cache(maxsize=10_000)
def _power(names: Names, cells: Cells) -> tuple[Power, str]:
    given = _read(names, cells)
    energy = put_together(Energy, given)
    try:
        power = power_of(accelerator(given["gpu"]), energy, given.get("power_limit_watts"))
    except SizebookError as error:
        return _UNKNOWN_POWER, str(error)
    return (_UNKNOWN_POWER, str(no_power(given["gpu"]))) if math.isnan(power.watts) else (power, "")


@lru_cache(maxsize=10_000)
def _costs(names: Names, cells: Cells) -> tuple[Costs, str]:
    given = _read(names, cells)
    prices = put_together(Prices, given)
    try:
        costs = costs_of(accelerator(given["gpu"]), prices, _UNKNOWN_POWER, gpus=given.get(GPUS.name, 1))
    except SizebookError as error:
        return _UNKNOWN_COSTS, str(error)
    return (_UNKNOWN_COSTS, str(costs.basis)) if math.isnan(costs.price_usd_per_gpu_hour) else (costs, "")


class _Cells:
    """The cells of a row that one part of it depends on: those whose columns the table has."""

    def __init__(self, columns: Sequence[str], names: Names) -> None:
        self.names = tuple(name for name in names if name in columns)
        self._of = itemgetter(*map(columns.index, self.names)) if self.names else lambda row: ()
        self._alone = len(self.names) == 1

    def __call__(self, row: Sequence[Any]) -> Cells:
        found: Any = self._of(row)
        return (found,) if self._alone else found


class Rows:
    """What a table whose columns have these names says of each of its rows; the required ones are among them."""

    def __init__(self, columns: Sequence[str]) -> None:
        # Without volume tiers no price depends on the GPUs, and rows of any number share one look-up.
        tiered = "price_book" in columns or any(row.from_gpus for row in user_prices())
        terms = _TERMS if tiered else tuple(name for name in _TERMS if name != GPUS.name)
        self._work, self._terms = _Cells(columns, WORK_INPUTS), _Cells(columns, terms)

    def result(self, row: Sequence[Any]) -> dict[str, Any]:
        """Return the result columns of one row; a refusal stands in ``reason``, and its figures are None."""
        try:
            return self._planned(row)
        except SizebookError as error:
            return {**dict.fromkeys(OUTPUTS), "reason": str(error)}

    def _planned(self, row: Sequence[Any]) -> dict[str, Any]:
        work = _work(self._work.names, self._work(row))
        if isinstance(work, SizebookError):
            raise work
        terms, no_price, no_power = _terms(self._terms.names, self._terms(row))
        pace = terms.pace
        utilization = pace.utilization(work.setup.peak_flop_per_s)
        seconds, band = work.timing(utilization, pace.flops_convention)
        found = _results(figures_of(terms, work, seconds), work, band, work.rates_basis(utilization))
        if no_price:
            found["cost_usd"] = found["programme_cost_usd"] = None
        if no_power:
            found["energy_kwh"] = found["co2e_kg"] = None
        if no_price or no_power:
            found["reason"] = "; ".join(filter(None, (work.said, no_price, no_power)))
        return found


def _results(figures: dict[str, Any], work: Work, band: tuple[float, float, float], rates_basis: str) -> dict[str, Any]:
    found = figures | {
        "memory_bytes": work.needed_bytes,
        "fits": work.fits,
        "mfu_reached": figures["mfu"],
        "error_low": band[0] - 1,
        "error_high": band[2] - 1,
        "run_family": work.band.family,
        "rates_basis": rates_basis,
        "recipe": work.recipe,
        "reason": work.said,
    }
    return {name: found[name] for name in OUTPUTS}


def work_of_row(row: Mapping[str, Any]) -> Work:
    """Return the work of one row given by name, or refuse it as a table would."""
    names = tuple(name for name in WORK_INPUTS if name in row)
    found = _work(names, tuple(row[name] for name in names))
    if isinstance(found, SizebookError):
        raise found
    return found
