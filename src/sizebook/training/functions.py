"""Spreadsheet functions over the FLOPs of a published model, and over the adapters that it may carry."""

from sizebook.core.errors import require
from sizebook.core.quantities import Flops, FlopsPerToken, Model, ParameterCount, Seq
from sizebook.core.registry import function
from sizebook.core.sections import DEFAULT
from sizebook.models import catalog
from sizebook.models.flops import fine_tuning_flops_per_token, forward
from sizebook.models.flops import train_flops_per_token as flops_of
from sizebook.serving.cache import Sequences
from sizebook.training.adapters import adapter_parameters, check_rank, visited_parameters
from sizebook.training.quantities import FlopsConvention
from sizebook.training.recipe import Recipe, Recompute
from sizebook.training.tuning import LoraOn, LoraRank, Tuning


@function(category="compute", source="counted from the architecture; conventions: docs/training.md")
def flops_per_token(
    model: Model,
    seq: Seq = DEFAULT,
    flops_convention: FlopsConvention = DEFAULT,
    recompute: Recompute = DEFAULT,
) -> FlopsPerToken:
    """Return the training FLOPs that one token of a published model costs, under a named convention.

    matmul (default): 6 x parameters that multiply, head included, and causal attention. Others reproduce the figures of
    papers and frameworks: kaplan, 6nd, palm, torchtitan, megatron, chinchilla, hardware (recomputation counted).
    """
    return flops_of(catalog.architecture(model), seq, convention=flops_convention, recompute=recompute)


@function(category="compute", source="Hu et al. 2021 (arXiv:2106.09685): gradients of frozen weights are not computed")
def flops_per_token_lora(model: Model, seq: Seq, lora_rank: LoraRank, lora_on: LoraOn = DEFAULT) -> FlopsPerToken:
    """Return the FLOPs per token of training low-rank adapters on a frozen published model: 4 N + 6 adapters + scores.

    N multiplies forward and for the gradients of activations, not for those of its weights; attention scores count
    three times their causal half. Assumes adapters in every layer, on the attention projections or on all of them.
    """
    require(
        lora_rank > 0,
        "no adapters: got lora_rank 0, want 1 or more. Ask FLOPS_PER_TOKEN for training the whole model.",
    )
    architecture = catalog.architecture(model)
    check_rank(architecture, lora_rank, lora_on)
    adapters = visited_parameters(architecture, lora_rank, lora_on)
    return fine_tuning_flops_per_token(architecture, seq, 0.0, adapters=adapters)


@function(category="compute", source="torch FlopCounterMode counts the same, to the last FLOP")
def flops_forward(model: Model, seq: Seq, sequences: Sequences = DEFAULT) -> Flops:
    """Return the FLOPs of one forward pass over some sequences, attention as the full square of every layer.

    Experts count as many as a token visits. Leaves out norms, activations and vision or audio towers.
    """
    return sequences * seq * forward(catalog.architecture(model), seq, causal=False, windows=False).total


@function(
    category="parameters",
    source="Hu et al. 2021 (arXiv:2106.09685), section 4.1; DoRA: Liu et al. 2024 (arXiv:2402.09353)",
)
def adapter_params(
    model: Model, tuning: Tuning = DEFAULT, lora_rank: LoraRank = DEFAULT, lora_on: LoraOn = DEFAULT
) -> ParameterCount:
    """Return the parameters that adapters on a published model train: rank x (inputs + outputs) of every matrix.

    DoRA adds one magnitude for each output. Every expert carries its own; embeddings, norms, routers and head none.
    """
    recipe = Recipe(tuning=tuning, lora_rank=lora_rank, lora_on=lora_on)
    require(
        recipe.lora_rank > 0,
        "no adapters: got lora_rank 0, want 1 or more, or such a tuning. Ask PARAMS_MODEL for the whole model.",
    )
    architecture = catalog.architecture(model)
    check_rank(architecture, recipe.lora_rank, lora_on)
    return adapter_parameters(architecture, recipe.lora_rank, lora_on, magnitudes=recipe.magnitudes)
