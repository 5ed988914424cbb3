"""Chooses the settings that a recipe leaves blank: the lightest row of data/training_recipes.csv that fits.

A setting that is given stays. A blank one takes its value from the first row of the table that fits in memory, or from
the row that needs least memory where none fits.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any, NamedTuple

from sizebook.core.tables import table
from sizebook.core.texts import joined, plural, text
from sizebook.models.architecture import Architecture
from sizebook.training.applicability import implied_kind, policy_of, recomputed_layers, recomputed_modules
from sizebook.training.frameworks import keeps
from sizebook.training.layout import Layout, recomputed
from sizebook.training.memory import Memory
from sizebook.training.recipe import Method, Recipe
from sizebook.training.recipe_grammar import OUTPUTS, Policy, RecomputedLayers

LIGHTEST = "lightest"
_BLANK = ("gradient_dtype", "fused_loss", "fp8_activation_inputs", "optimizer_dtype")
_FLAGS = ("fused_loss", "fp8_activation_inputs")
# Filled only where ``recompute`` is blank too: an explicit "none" means that nothing is recomputed.
_WITH_RECOMPUTE = ("recompute_modules", "offload")


class Settled(NamedTuple):
    """A layout and a method with every setting chosen that memory depends on, and the memory of the fullest rank."""

    layout: Layout
    method: Method
    fullest: Memory


@cache
def _rows() -> tuple[dict[str, Any], ...]:
    return tuple(row | {name: row[name] == "yes" or None for name in _FLAGS} for row in table("training_recipes"))


def candidates(layout: Layout, method: Method) -> Iterator[tuple[Layout, Method]]:
    """Yield the layouts and methods that fill every blank, lightest in time first, each once."""
    for kind, recipe in _fillings(method.recipe, layout.recompute, _may_narrow(method)):
        yield _recomputing(layout, kind), method if recipe is method.recipe else replace(method, recipe=recipe)


@lru_cache(maxsize=1024)
def _fillings(recipe: Recipe, recompute: str, may_narrow: bool) -> tuple[tuple[str, Recipe], ...]:
    """Return the recomputation and the recipe of each row, each pair once."""
    free = recompute == LIGHTEST
    stated = implied_kind(recipe) if free else recompute
    return tuple(dict.fromkeys((stated or kind, each) for kind, each in _recipes(recipe, free, may_narrow)))


@lru_cache(maxsize=1024)
def _recomputing(layout: Layout, kind: str) -> Layout:
    return layout if kind == layout.recompute else replace(layout, recompute=kind)


def _may_narrow(method: Method) -> bool:
    """Return whether inputs of activation functions may be narrowed to 8 bits by default: not in 16-bit runs."""
    return bool(keeps(method.recipe).fp8_activation_inputs) and method.narrow


@lru_cache(maxsize=1024)
def _recipes(recipe: Recipe, free: bool, may_narrow: bool) -> tuple[tuple[str, Recipe], ...]:
    """Return the recomputation of each row, and the recipe with its blanks filled from that row."""
    recipes = []
    for row in _rows():
        filled = {name: row[name] for name in _BLANK if row[name] and getattr(recipe, name) is None}
        if not may_narrow:
            filled.pop("fp8_activation_inputs", None)
        if free:
            filled |= {name: row[name] for name in _WITH_RECOMPUTE if row[name] and not getattr(recipe, name)}
        recipes.append((row["recompute"], replace(recipe, **filled) if filled else recipe))
    return tuple(recipes)


def lightest_recipe(method: Method) -> Method:
    """Return the method that needs least memory, with its recomputation as stated."""
    recipe = _recipes(method.recipe, False, _may_narrow(method))[-1][1]
    return method if recipe is method.recipe else replace(method, recipe=recipe)


KEPT_FREE = 1  # byte: a run that fills a GPU exactly also fits in floats


def with_cache_cut(needed: Memory, capacity: float) -> Memory:
    """Return memory with the allocator's cache cut to the room there is: it is freed before a run fails."""
    spare = capacity - needed.total
    if spare >= 0 or spare + needed.fragmentation < KEPT_FREE:
        return needed
    return replace(needed, fragmentation=needed.fragmentation + spare - KEPT_FREE)


def lightest_that_fits(
    layout: Layout, method: Method, capacity: float, needed: Callable[[Layout, Method], Memory]
) -> Settled:
    """Return the lightest candidate that fits in ``capacity`` bytes, otherwise the one that needs least memory."""
    least = None
    for each, how in candidates(layout, method):
        fullest = needed(each, how)
        settled = Settled(each, how, with_cache_cut(fullest, capacity))
        if settled.fullest.total <= capacity:
            return settled
        if least is None or fullest.total < least.fullest.total:
            least = settled
    if least is None:
        raise AssertionError("data/training_recipes.csv has no rows")
    return least


def _policy_text(policy: Policy) -> str:
    names = " ".join(each for each in OUTPUTS if each in policy.kept)
    if not names:
        return text("layers recomputed but for their last product")
    if policy.is_assumed:
        return text("layers recomputed, kept as of most custom policies: {names}", names=names)
    return text("layers recomputed, kept: {names}", names=names)


def _layers_text(layers: RecomputedLayers) -> str:
    if layers.every == 1:
        return recomputed("full")
    if layers.every:
        return text("one of every {n} layers recomputed", n=layers.every)
    return plural(layers.first, "1 layer of each stage recomputed", "{n} layers of each stage recomputed")


def _recomputation_text(layout: Layout, recipe: Recipe, architecture: Architecture) -> str:
    if modules := recomputed_modules(recipe, layout, architecture):
        return text("{modules} recomputed", modules=" ".join(sorted(modules)))
    if layers := recomputed_layers(recipe, layout):
        return _layers_text(layers)
    if policy := policy_of(recipe, layout):
        return _policy_text(policy)
    if layout.recompute == "selective" and recipe.flash_attention:
        return text("nothing recomputed: flash attention keeps no scores")
    return recomputed(layout.recompute) or text("nothing recomputed")


def recipe_text(layout: Layout, recipe: Recipe, architecture: Architecture, *, unread: tuple[str, ...]) -> str:
    """Return how a recipe saves memory, in words, and what of it is ``unread``; blank settings are the framework's
    own."""
    moved = recipe.offloaded.optimizer or recipe.offloaded.activations
    parts = (
        _recomputation_text(layout, recipe, architecture),
        recipe.gradient_dtype and text("gradients in {dtype}", dtype=recipe.gradient_dtype),
        recipe.optimizer_dtype and text("optimizer states in {dtype}", dtype=recipe.optimizer_dtype),
        recipe.fused_loss and text("fused loss"),
        recipe.fp8_activation_inputs and text("activation inputs in fp8"),
        moved and text("on the host: {what}", what=recipe.offload),
        *(text("not read: {words}", words=words) for words in unread),
    )
    return joined((part for part in parts if part), ", ")
