"""Which settings of a recipe apply to a model and a layout.

A number without effect is refused. Words on recomputation without effect, which published recipes carry over from one
model to the next, are listed as not read.
"""

from dataclasses import replace
from functools import lru_cache

from sizebook.core.errors import RangeError
from sizebook.core.texts import text
from sizebook.models.architecture import Architecture, Experts
from sizebook.models.flops import distinct_layers
from sizebook.models.identity import ByIdentity
from sizebook.models.latent import LatentAttention
from sizebook.training.adapters import check_rank
from sizebook.training.frameworks import stack
from sizebook.training.layout import Layout
from sizebook.training.recipe import Recipe
from sizebook.training.recipe_grammar import Policy, RecomputedLayers

# Modules that only some models have.
_OF_EXPERTS = frozenset({"moe", "moe_act"})
_OF_LATENT_ATTENTION = frozenset({"mla_up_proj"})
# Kinds of recomputation that already cover single modules.
_COVERING = ("full", "every-other-matmul")


@lru_cache(maxsize=256)
def _has_experts_and_latent(same: ByIdentity) -> tuple[bool, bool]:
    """Return whether a model has experts, and whether it has latent attention."""
    bricks = [brick for layer, _ in distinct_layers(same.architecture.layers) for brick in layer.bricks]
    return any(isinstance(each, Experts) for each in bricks), any(isinstance(each, LatentAttention) for each in bricks)


def check_recipe(recipe: Recipe, architecture: Architecture) -> None:
    """Refuse a recipe with experts, layers or ranks that the model does not have."""
    if recipe.lora_rank:
        check_rank(architecture, recipe.lora_rank, recipe.lora_on)
    has_experts, _ = _has_experts_and_latent(ByIdentity(architecture))
    if recipe.expert_imbalance != 1 and not has_experts:
        raise RangeError(
            f"no experts: got expert_imbalance {recipe.expert_imbalance:g} and a model without experts, want 1. "
            "Remove expert_imbalance."
        )
    layers, n_layers = recipe.recomputed.layers, architecture.n_layers
    if (recipe.offloaded.layers or 0) > n_layers:
        raise RangeError(_too_many_layers(f"offload '{recipe.offload}'", n_layers, "'activations'"))
    if layers and max(layers.every, layers.first) > n_layers:
        setting = f"recompute_modules '{recipe.recompute_modules}'"
        raise RangeError(_too_many_layers(setting, n_layers, "recompute full"))


def _too_many_layers(setting: str, n_layers: int, whole: str) -> str:
    return (
        f"more layers than the model has: got {setting} and {n_layers} layers, want at most {n_layers}. "
        f"Use {whole} for all of them."
    )


def recomputed_modules(recipe: Recipe, layout: Layout, architecture: Architecture) -> frozenset[str]:
    """Return the modules that are recomputed: those that the model has, unless whole layers are recomputed anyway."""
    if layout.recompute in _COVERING:
        return frozenset()
    has_experts, has_latent = _has_experts_and_latent(ByIdentity(architecture))
    absent = (frozenset() if has_experts else _OF_EXPERTS) | (frozenset() if has_latent else _OF_LATENT_ATTENTION)
    # Flash attention keeps no scores that could be recomputed.
    return recipe.recomputed.modules - absent - ({"core_attn"} if recipe.flash_attention else frozenset())


def policy_of(recipe: Recipe, layout: Layout) -> Policy | None:
    """Return the policy by which layers are recomputed, where ``recompute`` is blank or full."""
    return recipe.recomputed.policy if layout.recompute in ("lightest", "full") else None


def recomputed_layers(recipe: Recipe, layout: Layout) -> RecomputedLayers | None:
    """Return which layers are recomputed, unless the layout recomputes a part of each (flash attention leaves nothing
    to selective recomputation)."""
    kind = layout.recompute
    free = kind in ("lightest", "none", "full") or (kind == "selective" and recipe.flash_attention)
    return recipe.recomputed.layers if free else None


def by_layers(n_layers: float, layout: Layout, recipe: Recipe) -> tuple[tuple[float, Layout], ...]:
    """Return shares of a stage's layers, each with the layout that recomputes what those layers do."""
    layers = recomputed_layers(recipe, layout)
    if layers is None:
        return ((1.0, layout),)
    share = layers.share(n_layers, layout.interleave)
    parts = ((share, replace(layout, recompute="full")), (1 - share, replace(layout, recompute="none")))
    return tuple(part for part in parts if part[0])


def first_backward(n_layers: float, layout: Layout, recipe: Recipe) -> Layout:
    """Return the layout of the layer whose backward pass runs first, when most activations are still kept.

    The last layers of a block keep everything, and free it before the recomputed ones run; of every n-th layer the last
    may be a recomputed one.
    """
    layers, parts = recomputed_layers(recipe, layout), by_layers(n_layers, layout, recipe)
    return parts[0 if layers is None or layers.every else -1][1]


def implied_kind(recipe: Recipe) -> str:
    """Return the value of ``recompute`` that ``recompute_modules`` implies where it is blank: full under a policy, none
    beside single layers, otherwise nothing."""
    if recipe.recomputed.layers:
        return "none"
    return "full" if recipe.recomputed.policy else ""


def with_implied_kind(layout: Layout, recipe: Recipe) -> Layout:
    """Return a layout whose blank ``recompute`` has the value that ``recompute_modules`` implies."""
    kind = implied_kind(recipe) if layout.recompute == "lightest" else ""
    return replace(layout, recompute=kind) if kind else layout


def settings_without_effect(recipe: Recipe, layout: Layout, architecture: Architecture) -> tuple[str, ...]:
    """Return the settings of a recipe that this plan does not read."""
    idle = sorted(recipe.recomputed.modules - recomputed_modules(recipe, layout, architecture))
    idle_policy = recipe.recomputed.policy and not policy_of(recipe, layout)
    idle_layers = recipe.recomputed.layers and not recomputed_layers(recipe, layout)
    if idle_policy or idle_layers:
        idle.append(recipe.recompute_modules)
    unshared = layout.hsdp and layout.fsdp == 1 and layout.dp > 1
    shards = text("hsdp, as no two data-parallel ranks share a scale-up domain") if unshared else ""
    whole = without_sequence_parallel(recipe, layout)
    norms = text("sequence_parallel, which {stack} has not", stack=recipe.stack) if whole else ""
    return (*filter(None, (" ".join(idle), shards, norms)), *recipe.unread)


def without_sequence_parallel(recipe: Recipe, layout: Layout) -> bool:
    """Return whether every tensor-parallel rank holds norms and residuals whole, because its framework cannot split
    them."""
    return layout.tp > 1 and not stack(recipe.stack).sequence_parallel
