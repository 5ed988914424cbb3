"""What a recipe states that a model or a layout gives it nothing to act on: refused, or named as not read.

Numbers that would be taken for others are refused. Words on recomputation, which published recipes carry over from one
model to the next, are named.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from sizebook.core.errors import RangeError, require
from sizebook.core.texts import text
from sizebook.models.architecture import Architecture, Experts
from sizebook.models.flops import distinct_layers
from sizebook.models.identity import Same
from sizebook.models.latent import LatentAttention
from sizebook.training.adapters import check_rank
from sizebook.training.frameworks import stack
from sizebook.training.layers_again import LayersAgain
from sizebook.training.layout import Layout
from sizebook.training.policies import Policy
from sizebook.training.recipe import Recipe

# Modules that only some models have, and the brick that holds them.
_OF_EXPERTS = frozenset({"moe", "moe_act"})
_OF_LATENT_ATTENTION = frozenset({"mla_up_proj"})
# Kinds of recomputation beside which single modules count for nothing.
_COVERING = ("full", "every-other-matmul")


@lru_cache(maxsize=256)
def _held(same: Same) -> tuple[bool, bool]:
    """Return whether a model has experts, and whether it has latent attention."""
    bricks = [brick for layer, _ in distinct_layers(same.architecture.layers) for brick in layer.bricks]
    return any(isinstance(each, Experts) for each in bricks), any(isinstance(each, LatentAttention) for each in bricks)


def check_recipe(recipe: Recipe, architecture: Architecture) -> None:
    """Raise where a recipe speaks of experts, layers or ranks that the model does not have."""
    if recipe.lora_rank:
        check_rank(architecture, recipe.lora_rank, recipe.lora_on)
    experts, _ = _held(Same(architecture))
    require(
        recipe.expert_imbalance == 1 or experts,
        f"no experts to be full: got expert_imbalance {recipe.expert_imbalance:g} and a model without experts, want 1. "
        "Remove expert_imbalance.",
    )
    again, moved = recipe.layers_again, recipe.offloaded_layers
    _check_layers(architecture.n_layers, moved, f"offload '{recipe.offload}'", "'activations'")
    counted = max(again.every, again.first) if again else None
    _check_layers(architecture.n_layers, counted, f"recompute_modules '{recipe.recompute_modules}'", "recompute full")


def _check_layers(n_layers: int, counted: float | None, said: str, every: str) -> None:
    """Raise where words count more layers than there are; ``every`` says what all of them are called."""
    if counted is not None and counted > n_layers:
        raise RangeError(
            f"more layers than the model has: got {said} and {n_layers} layers, want at most {n_layers}. Use {every} "
            "for all of them."
        )


def modules_of(recipe: Recipe, layout: Layout, architecture: Architecture) -> frozenset[str]:
    """Return the modules of a recipe that are recomputed: those that the model has, where not everything is."""
    if layout.recompute in _COVERING:
        return frozenset()
    experts, latent = _held(Same(architecture))
    absent = (frozenset() if experts else _OF_EXPERTS) | (frozenset() if latent else _OF_LATENT_ATTENTION)
    # Flash attention keeps no scores that could be recomputed.
    return recipe.modules - absent - ({"core_attn"} if recipe.flash_attention else frozenset())


def policy_of(recipe: Recipe, layout: Layout) -> Policy | None:
    """Return the policy by which layers are recomputed: the one stated, where recomputation is left open or full."""
    return recipe.policy if layout.recompute in ("lightest", "full") else None


def layers_again_of(recipe: Recipe, layout: Layout) -> LayersAgain | None:
    """Return which layers are recomputed: those stated, where nothing else of layers is (flash attention leaves
    nothing to selective recomputation)."""
    kind = layout.recompute
    free = kind in ("lightest", "none", "full") or (kind == "selective" and recipe.flash_attention)
    return recipe.layers_again if free else None


def by_layers(n_layers: float, layout: Layout, recipe: Recipe) -> tuple[tuple[float, Layout], ...]:
    """Return the shares of a stage's layers with the layout that says what is recomputed of each."""
    again = layers_again_of(recipe, layout)
    if again is None:
        return ((1.0, layout),)
    share = again.share(n_layers, layout.interleave)
    parts = ((share, replace(layout, recompute="full")), (1 - share, replace(layout, recompute="none")))
    return tuple(part for part in parts if part[0])


def at_work(n_layers: float, layout: Layout, recipe: Recipe) -> Layout:
    """Return the layout of the layer whose backward pass meets most of what is kept, which is the first to run. Of a
    block the last layers keep everything, and give it back before those that are recomputed come; of every n-th layer
    the last may be one."""
    again, parts = layers_again_of(recipe, layout), by_layers(n_layers, layout, recipe)
    return parts[0 if again is None or again.every else -1][1]


def kind_of_words(recipe: Recipe) -> str:
    """Return the kind of recomputation that words say where `recompute` is blank, nothing where they name none: a
    policy names what stays of layers that are computed again, and beside single layers nothing is."""
    if recipe.layers_again:
        return "none"
    return "full" if recipe.policy else recipe.kind_named


def as_stated(layout: Layout, recipe: Recipe) -> Layout:
    """Return a layout that says what words on recomputation say."""
    kind = kind_of_words(recipe) if layout.recompute == "lightest" else ""
    return replace(layout, recompute=kind) if kind else layout


def unread(recipe: Recipe, layout: Layout, architecture: Architecture) -> tuple[str, ...]:
    """Return what stands in a recipe as it was stated that no plan reads."""
    idle = sorted(recipe.modules - modules_of(recipe, layout, architecture))
    unused = (
        bool(recipe.policy and not policy_of(recipe, layout)),
        bool(recipe.layers_again and not layers_again_of(recipe, layout)),
        bool(recipe.kind_named) and layout.recompute not in ("lightest", recipe.kind_named),
    )
    if any(unused):
        idle.append(recipe.recompute_modules)
    unshared = layout.hsdp and layout.fsdp == 1 and layout.dp > 1
    shards = text("hsdp, as no two data-parallel ranks share a scale-up domain") if unshared else ""
    whole = without_sequence_parallel(recipe, layout)
    norms = text("sequence_parallel, which {stack} has not", stack=recipe.stack) if whole else ""
    return (*filter(None, (" ".join(idle), shards, norms)), *recipe.remarks)


def without_sequence_parallel(recipe: Recipe, layout: Layout) -> bool:
    """Return whether every rank of tensor parallelism holds norms and residuals whole, as its framework has it."""
    return layout.tp > 1 and not stack(recipe.stack).sequence_parallel
