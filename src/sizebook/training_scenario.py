"""A training scenario: the keys of its TOML file, checked, and the plan's inputs that they become."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sizebook.errors import InputError, suggestion
from sizebook.formulas.grid import grid
from sizebook.formulas.hardware import Accelerator, accelerator
from sizebook.formulas.money import owned_usd_per_gpu_hour
from sizebook.formulas.prices import TERMS, on_demand_beside, quote
from sizebook.formulas.training_memory import optimizer_keys
from sizebook.models import catalog
from sizebook.models.flops import CONVENTIONS
from sizebook.plans.layout import RECOMPUTE, Layout
from sizebook.plans.training import (
    Costs,
    Operations,
    Power,
    TrainingInputs,
    capacity_bytes,
    peak_flop_per_s,
    unchecked_plan,
)
from sizebook.plans.training_memory import Recipe, stack_keys
from sizebook.plans.training_search import search
from sizebook.plans.training_time import FORMATS
from sizebook.scenarios import ModelScenario


class Owned(BaseModel):
    """Bought hardware: what one GPU costs with its share of host and network, and what its hours cost."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    capex_usd: float = Field(gt=0, description="USD for one GPU with its share of host, network and storage")
    years: float = Field(default=4, gt=0, description="years of straight-line depreciation")
    busy: float = Field(default=0.8, gt=0, le=1, description="share of the hours in which it is used")
    usd_per_kwh: float = Field(default=0.1, ge=0, description="USD per kWh")
    colocation_usd_per_kw_month: float = Field(default=0, ge=0, description="USD per kW and month")
    staff_usd_per_year: float = Field(default=0, ge=0, description="USD per GPU and year")
    residual: float = Field(default=0, ge=0, le=1, description="share of the purchase left at the end")


class TrainingScenario(ModelScenario):
    """A model, its data, a cluster and what it costs. Without any of tp, pp, cp and ep the fastest layout is
    searched."""

    plan: Literal["training"] = "training"
    gpu: str = Field(description="an accelerator of data/hardware.csv, such as h100-sxm")
    gpus: int = Field(gt=0, description="a whole number of GPUs above 0")
    tokens: float = Field(gt=0, le=1e18, description="the tokens to train on, above 0 and at most 1e18, such as 15e12")
    seq: int = Field(default=4096, gt=0, description="tokens in one sequence, above 0")
    batch: int = Field(gt=0, description="sequences in one optimizer step, above 0")
    tp: int | None = Field(default=None, gt=0, description="tensor-parallel degree")
    pp: int | None = Field(default=None, gt=0, description="pipeline stages")
    cp: int | None = Field(default=None, gt=0, description="context-parallel degree")
    ep: int | None = Field(default=None, gt=0, description="expert-parallel degree")
    etp: int = Field(default=1, gt=0, description="tensor-parallel degree inside experts")
    interleave: int = Field(default=1, gt=0, description="model chunks a pipeline stage holds")
    zero_stage: int = Field(default=1, ge=0, le=3, description="ZeRO stage, 0 to 3")
    micro_batch: int = Field(default=1, gt=0, description="sequences in one micro-batch")
    sequence_parallel: bool = True
    recompute: str = Field(default="none", description=f"one of {', '.join(RECOMPUTE)}")
    dtype: str = Field(default="bf16", description=f"one of {', '.join(FORMATS)}")
    stack: str = "megatron"
    optimizer: str = "adamw"
    flash_attention: bool = True
    fused_loss: bool = False
    dropout: bool = False
    expert_imbalance: float = Field(default=1.0, ge=1, description="fullest expert over the mean, 1 or more")
    lora_rank: int = Field(default=0, ge=0, description="rank of adapters, 0 to train the whole model")
    lora_on: Literal["attention", "all"] = "attention"
    frozen_weight_bytes: float = Field(default=2.0, gt=0, description="bytes of a frozen weight under adapters")
    convention: str = "matmul"
    mfu: float | None = Field(default=None, gt=0, le=1, description="an MFU above 0 and at most 1, such as 0.4")
    achieved_tflops: float | None = Field(default=None, gt=0, description="TFLOP/s that one GPU achieves, above 0")
    gpu_mtbf_hours: float = Field(default=50_000, gt=0, description="hours between failures of one GPU")
    checkpoint_seconds: float = Field(default=30, gt=0, description="seconds that a checkpoint stops the run")
    restart_seconds: float = Field(default=600, ge=0, description="seconds to restart after a failure")
    start_hours: float = Field(default=0, ge=0, description="hours of queueing and ramp-up, paid once")
    price_usd_per_gpu_hour: float | None = Field(default=None, ge=0, description="USD for one GPU and hour")
    provider: str | None = None
    region: str | None = Field(default=None, description="the provider's own name of a region")
    term: str = "on_demand"
    owned: Owned | None = Field(default=None, description="a table [owned] in place of a price")
    other_usd: float = Field(default=0, ge=0, description="USD for storage, traffic, staff")
    power_limit_watts: float | None = Field(default=None, gt=0, description="watts that a GPU is capped at")
    watts: float | None = Field(default=None, gt=0, description="watts of one GPU at work, its TDP when left out")
    pue: float = Field(default=1.2, ge=1, description="power usage effectiveness, 1 or more")
    host_share: float = Field(default=0.3, ge=0, description="power of host and network over the GPUs'")
    grid: str | None = Field(default=None, description="a region of data/grid.csv, such as usa or aws:us-east-1")
    grams_per_kwh: float | None = Field(default=None, ge=0, description="gCO2e per kWh of the grid")
    covered_share: float | None = Field(default=None, ge=0, le=1, description="share of energy under contracts, 0 to 1")


def training_inputs(scenario: TrainingScenario) -> TrainingInputs:
    """Return the plan's inputs: keys looked up in their tables, the layout searched where none is given."""
    _check_words(scenario)
    gpu = accelerator(scenario.gpu)
    power = _power(scenario, gpu)
    inputs = TrainingInputs(
        model=scenario.model,
        architecture=catalog.architecture(scenario.model),
        gpu=gpu,
        gpus=scenario.gpus,
        tokens=scenario.tokens,
        seq=scenario.seq,
        batch=scenario.batch,
        layout=Layout(),
        costs=_costs(scenario, gpu, power),
        power=power,
        dtype=scenario.dtype,
        power_limit_watts=scenario.power_limit_watts,
        recipe=_recipe(scenario),
        convention=scenario.convention,
        utilization=scenario.mfu,
        operations=_operations(scenario),
    )
    if scenario.achieved_tflops is not None:
        inputs = replace(inputs, utilization=_achieved(scenario, inputs))
    return replace(inputs, layout=_layout(scenario, inputs))


def _check_words(scenario: TrainingScenario) -> None:
    known: dict[str, tuple[str, ...]] = {
        "recompute": RECOMPUTE,
        "dtype": FORMATS,
        "stack": stack_keys(),
        "optimizer": optimizer_keys(),
        "convention": tuple(CONVENTIONS),
        "term": TERMS,
    }
    for key, words in known.items():
        word = getattr(scenario, key)
        if word not in words:
            raise InputError(f"unknown {key}: got '{word}', want one of {', '.join(words)}.{suggestion(word, words)}")
    if scenario.mfu is not None and scenario.achieved_tflops is not None:
        raise InputError(
            f"time is given twice: got mfu {scenario.mfu:g} and achieved_tflops {scenario.achieved_tflops:g}, want "
            f"one. "
            "Remove one of the two lines."
        )


def _achieved(scenario: TrainingScenario, inputs: TrainingInputs) -> float:
    """Return the share of the peak; FLOP/s are taken in the scenario's convention, as an MFU would be."""
    return (scenario.achieved_tflops or 0) * 1e12 / peak_flop_per_s(inputs.gpu, inputs.dtype)


def _recipe(scenario: TrainingScenario) -> Recipe:
    return Recipe(
        stack=scenario.stack,
        optimizer=scenario.optimizer,
        flash_attention=scenario.flash_attention,
        fused_loss=scenario.fused_loss,
        dropout=scenario.dropout,
        expert_imbalance=scenario.expert_imbalance,
        adapter_rank=scenario.lora_rank,
        adapter_on=scenario.lora_on,
        frozen_weight_bytes=scenario.frozen_weight_bytes,
    )


def _operations(scenario: TrainingScenario) -> Operations:
    return Operations(
        scenario.gpu_mtbf_hours, scenario.checkpoint_seconds, scenario.restart_seconds, 3600 * scenario.start_hours
    )


def _costs(scenario: TrainingScenario, gpu: Accelerator, power: Power) -> Costs:
    if scenario.owned is not None and scenario.price_usd_per_gpu_hour is not None:
        raise InputError(
            f"price is given twice: got price_usd_per_gpu_hour {scenario.price_usd_per_gpu_hour:g} and a table "
            f"[owned], "
            "want one. Remove one of the two."
        )
    if scenario.owned is not None:
        own = scenario.owned
        watts = power.watts * (1 + power.host_share)
        price = owned_usd_per_gpu_hour(own.capex_usd, own.years, own.busy, watts, power.pue, own.usd_per_kwh,
            own.colocation_usd_per_kw_month, own.staff_usd_per_year, own.residual)  # fmt: skip
        basis = f"owned: {own.capex_usd:g} USD a GPU over {own.years:g} years, {own.busy:.0%} busy, energy included"
        return Costs(price, basis, scenario.other_usd)
    if scenario.price_usd_per_gpu_hour is not None:
        return Costs(scenario.price_usd_per_gpu_hour, "price given in the scenario, USD", scenario.other_usd)
    found = quote(gpu.key, scenario.provider, scenario.region, scenario.term)
    dates = sorted({row.date for row in found.rows})
    span = dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}"
    names = ", ".join(sorted({row.provider for row in found.rows}))
    basis = f"data/prices.csv: {scenario.term}, median of {names}, {len(found.rows)} rows, USD, {span}"
    beside = on_demand_beside(found) if scenario.term != "on_demand" else None
    if beside is not None:
        basis = f"{basis}; on demand the same providers ask {beside:.2f}"
    return Costs(found.usd_per_gpu_hour, basis, scenario.other_usd)


def _power(scenario: TrainingScenario, gpu: Accelerator) -> Power:
    watts = scenario.watts or scenario.power_limit_watts or gpu.tdp_watts
    if watts is None:
        raise InputError(f"no power: got no TDP for '{gpu.key}', want watts. Add a line 'watts = ...'.")
    grams, basis = scenario.grams_per_kwh, "grams per kWh given in the scenario"
    if grams is None:
        if scenario.grid is None:
            raise InputError(
                "no grid: got neither grid nor grams_per_kwh, want where the energy comes from. "
                "Add a line 'grid = \"usa\"' or another region of data/grid.csv."
            )
        row = grid(scenario.grid)
        grams, basis = row.g_co2e_per_kwh, f"data/grid.csv: {row.name}, {row.year}, {row.basis}"
    return Power(float(watts), scenario.pue, scenario.host_share, grams, basis, scenario.covered_share)


def _layout(scenario: TrainingScenario, inputs: TrainingInputs) -> Layout:
    given: dict[str, Any] = {name: getattr(scenario, name) for name in ("tp", "pp", "cp", "ep")}
    if all(degree is None for degree in given.values()) and "zero_stage" not in scenario.model_fields_set:
        capacity = capacity_bytes(inputs.gpu)
        found = search(
            inputs.architecture,
            inputs.gpu,
            inputs.gpus,
            inputs.seq,
            inputs.batch,
            capacity,
            inputs.dtype,
            inputs.recipe,
        )
        return found.best[0].layout
    degrees = {name: degree or 1 for name, degree in given.items()}
    spread = degrees["tp"] * degrees["pp"] * degrees["cp"]
    return Layout(
        **degrees,
        dp=max(1, inputs.gpus // spread),
        etp=scenario.etp,
        interleave=scenario.interleave,
        zero_stage=scenario.zero_stage,
        micro_batch=scenario.micro_batch,
        sequence_parallel=scenario.sequence_parallel,
        recompute=scenario.recompute,
    )


def workbook_inputs(scenario: TrainingScenario) -> dict[str, Any]:
    """Return the inputs of training_budget.xlsx: what the plan works with, layout, price and grid looked up.

    What the workbook's functions cannot be told (adapters, no flash attention, a fused loss, a power limit) comes in
    as figures of the plan in their place.
    """
    inputs = training_inputs(scenario)
    layout, costs, power = inputs.layout, inputs.costs, inputs.power
    given: dict[str, Any] = {
        name: getattr(layout, name)
        for name in ("tp", "pp", "cp", "ep", "interleave", "zero_stage", "micro_batch", "recompute")
    }
    for name in ("model", "gpus", "tokens", "seq", "batch", "dtype", "convention", "optimizer", "stack", *_OPERATIONS):
        given[name] = getattr(scenario, name)
    for name in ("title", "as_of"):
        given |= {name: value} if (value := getattr(scenario, name)) else {}
    given |= {
        "gpu": inputs.gpu.key,
        "given_mfu": inputs.utilization,
        "price_usd": costs.price_usd_per_gpu_hour,
        "price_basis": costs.basis,
        "other_usd": costs.other_usd,
        "watts": power.watts,
        "pue": power.pue,
        "host_share": power.host_share,
        "grid": scenario.grid,
        "grams_per_kwh": power.grams_per_kwh,
        "covered_share": power.covered_share or 0,
    }
    plain = replace(Recipe(), stack=scenario.stack, optimizer=scenario.optimizer)
    if inputs.recipe != plain or scenario.power_limit_watts or layout.etp > 1 or not layout.sequence_parallel:
        plan = unchecked_plan(inputs)
        given |= {"given_memory_bytes": plan.fullest.total, "given_flops_per_token": plan.flops_per_token}
        given |= {"given_step_seconds": plan.middle.step_seconds} if inputs.utilization is None else {}
    return given


_OPERATIONS = ("gpu_mtbf_hours", "checkpoint_seconds", "restart_seconds", "start_hours")
