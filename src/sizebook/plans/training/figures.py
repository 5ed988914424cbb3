"""The figures of a training plan that do not depend on the time of a step: what was counted or looked up.

Beside them stand the cases (`sizebook.plans.training.case.Case`) and the memory of the fullest GPU.
"""

from sizebook.core.sections import REQUIRED, Argument, Quantity, leaves, quantity, section
from sizebook.plans.quantities import (
    LayoutName,
    MeasuredFamily,
    ModelParameters,
    PriceBasis,
    PriceHigh,
    PriceLow,
    PriceShare,
    RatesBasis,
    RecipeText,
    TrainedParameters,
    WholeRunBasis,
    WholeRunFactor,
)
from sizebook.plans.training.plan import TrainingPlan
from sizebook.training.memory import COMPONENTS, Memory
from sizebook.training.whole_run import basis_of, factor_of


@section
class TrainingFigures:
    """What a plan rests on: its model and layout, and every price and rate that was left to be looked up."""

    parameters: ModelParameters
    layout: LayoutName
    dp: int = quantity("data-parallel degree that was taken", minimum=0, label="Data parallel")
    micro_batches: int = quantity("micro-batches of a pipeline in one step", minimum=0, label="Micro-batches a step")
    fullest_stage: int = quantity("pipeline stage that needs most memory, from 1", minimum=0, label="Fullest stage")
    flops_per_token: float = quantity(
        "training FLOPs of a token in the plan's convention", "FLOP/token", label="FLOPs per token"
    )
    peak_flop_per_s: float = quantity("dense peak that MFU is measured against", "FLOP/s", label="Dense peak of a GPU")
    checkpoint_interval_seconds: float = quantity("work between checkpoints", "seconds", label="A checkpoint every")
    price_usd_per_gpu_hour: float = quantity(
        "price of a GPU-hour, as given or looked up", "USD/GPU-hour", label="GPU-hour"
    )
    price_low_usd_per_gpu_hour: PriceLow
    price_high_usd_per_gpu_hour: PriceHigh
    price_share_of_range: PriceShare
    price_basis: PriceBasis
    watts: float = quantity("power of a GPU at work: given, its limit or TDP", "watts", label="Power of a GPU at work")
    grams_per_kwh: float = quantity(
        "greenhouse gases per energy, as given or looked up", "gCO2e/kWh", label="Grams of CO2e per kWh"
    )
    grid_basis: str = quantity("where that comes from", label="Grid basis")
    residual_grams_per_kwh: float = quantity(
        "greenhouse gases of energy without contracts", "gCO2e/kWh", label="Grams of CO2e per kWh without contracts"
    )
    recomputation: str = quantity("what the backward pass recomputes, stated or settled", label="Recomputed")
    recipe: RecipeText
    trained: str = quantity("what is trained: full, lora, qlora, dora or qdora", label="Fine-tuning")
    lora_rank: int = quantity("rank of adapters that was taken, 0 for none", minimum=0, label="Rank of adapters taken")
    trained_parameters: TrainedParameters
    padding_share: float = quantity("share of a step's tokens that is padding", "ratio", label="Padding of a step")
    padding_avoided: float = quantity(
        "share of a step's tokens that packing keeps from being padding", "ratio", label="Padding avoided"
    )
    run_family: MeasuredFamily
    rates_basis: RatesBasis
    programme_factor: WholeRunFactor
    programme_basis: WholeRunBasis


# The rows of a plan's memory: its components, their sum, and what there is.
MEMORY_FIGURES = (
    *(leaf for leaf in leaves(Memory) if leaf.name in COMPONENTS),
    Argument("total", Quantity("sum of the components", unit="bytes", minimum=0, label="Needed"), REQUIRED),
    Argument(
        "capacity", Quantity("what a GPU leaves for training", unit="bytes", minimum=0, label="There is"), REQUIRED
    ),
)


def figures(plan: TrainingPlan) -> TrainingFigures:
    """Return what a plan was counted from and looked up."""
    inputs, power = plan.inputs, plan.inputs.power
    return TrainingFigures(
        parameters=plan.count.total,
        layout=inputs.layout.name,
        dp=inputs.layout.dp,
        micro_batches=plan.work.micro_batches,
        fullest_stage=plan.fullest.stage + 1,
        flops_per_token=float(plan.flops_per_token),
        peak_flop_per_s=inputs.peak_flop_per_s,
        checkpoint_interval_seconds=plan.checkpoint_interval_seconds,
        price_usd_per_gpu_hour=inputs.costs.price_usd_per_gpu_hour,
        price_low_usd_per_gpu_hour=inputs.costs.ends[0],
        price_high_usd_per_gpu_hour=inputs.costs.ends[1],
        price_share_of_range=plan.paid_range.price_share,
        price_basis=inputs.costs.basis,
        watts=power.watts,
        grams_per_kwh=power.grams_per_kwh,
        grid_basis=power.grid_basis,
        residual_grams_per_kwh=power.residual_grams_per_kwh,
        recomputation=inputs.layout.recompute,
        recipe=plan.work.recipe,
        trained=inputs.method.recipe.trained,
        lora_rank=inputs.method.recipe.lora_rank,
        trained_parameters=plan.trained_parameters,
        padding_share=inputs.padding_share,
        padding_avoided=inputs.padding_avoided,
        run_family=plan.work.band.family,
        rates_basis=plan.work.rates_basis(inputs.utilization),
        programme_factor=factor_of(inputs.programme),
        programme_basis=basis_of(inputs.programme),
    )
