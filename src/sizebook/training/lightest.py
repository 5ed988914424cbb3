"""What a run does that does not say what it does: the lightest recipe of data/training_recipes.csv that fits.

Published runs state their layout and seldom the whole of their recipe. A setting that is given stays; one that is blank
takes what the first fitting row of the table says. Where none fits, the row that needs least memory is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Any

from sizebook.core.tables import table
from sizebook.core.texts import joined, plural, text
from sizebook.models.architecture import Architecture
from sizebook.training.frameworks import keeps
from sizebook.training.layers_again import LayersAgain
from sizebook.training.layout import Layout, recomputed
from sizebook.training.memory import Memory
from sizebook.training.policies import OUTPUTS, Policy
from sizebook.training.recipe import WIDE_FORMATS, Method, Recipe
from sizebook.training.stated import as_stated, layers_again_of, modules_of, policy_of

LIGHTEST = "lightest"
_BLANK = ("gradient_dtype", "fused_loss", "fp8_activation_inputs", "optimizer_dtype")
_FLAGS = ("fused_loss", "fp8_activation_inputs")
# They count only beside recomputation that was left to be chosen: who says "none" means nothing.
_WITH_RECOMPUTE = ("recompute_modules", "offload")


@dataclass(frozen=True)
class Settled:
    """A layout and a method with nothing left blank that memory depends on, and what the fullest rank needs."""

    layout: Layout
    method: Method
    fullest: Memory


@cache
def _rows() -> tuple[dict[str, Any], ...]:
    return tuple(row | {name: row[name] == "yes" or None for name in _FLAGS} for row in table("training_recipes"))


def candidates(layout: Layout, method: Method) -> Iterator[tuple[Layout, Method]]:
    """Yield what a run may do, lightest in time first, each once."""
    seen = set()
    free = layout.recompute == LIGHTEST
    said = as_stated(layout, method.recipe).recompute
    for row, recipe in _recipes(method.recipe, free, _may_narrow(method)):
        kind = row if said == LIGHTEST else said
        if (kind, recipe) not in seen:
            seen.add((kind, recipe))
            chosen = layout if kind == layout.recompute else replace(layout, recompute=kind)
            yield chosen, method if recipe is method.recipe else replace(method, recipe=recipe)


def _may_narrow(method: Method) -> bool:
    """Return whether inputs of activation functions may go to 8 bits unasked: who multiplies in 16 keeps them."""
    return bool(keeps(method.recipe).fp8_activation_inputs) and method.compute_dtype not in WIDE_FORMATS


@lru_cache(maxsize=1024)
def _recipes(recipe: Recipe, free: bool, may_narrow: bool) -> tuple[tuple[str, Recipe], ...]:
    """Return each row's recomputation and what it makes of a recipe."""
    found = []
    for row in _rows():
        given = {name: row[name] for name in _BLANK if row[name] and getattr(recipe, name) is None}
        if not may_narrow:
            given.pop("fp8_activation_inputs", None)
        if free:
            given |= {name: row[name] for name in _WITH_RECOMPUTE if row[name] and not getattr(recipe, name)}
        found.append((row["recompute"], replace(recipe, **given) if given else recipe))
    return tuple(found)


def sparest(method: Method) -> Method:
    """Return the method that needs least memory of those that keep what recomputation was stated."""
    recipe = _recipes(method.recipe, False, _may_narrow(method))[-1][1]
    return method if recipe is method.recipe else replace(method, recipe=recipe)


KEPT_FREE = 1  # byte, so that what fills a GPU exactly fits in floats too


def within(needed: Memory, capacity: float) -> Memory:
    """Return memory with as much of the allocator's cache as there is room for: it gives it back before it fails."""
    spare = capacity - needed.total
    if spare >= 0 or spare + needed.fragmentation < KEPT_FREE:
        return needed
    return replace(needed, fragmentation=needed.fragmentation + spare - KEPT_FREE)


def settle(layout: Layout, method: Method, capacity: float, needed: Callable[[Layout, Method], Memory]) -> Settled:
    """Return the lightest of what a run may do that fits in ``capacity`` bytes, else what needs least memory."""
    least = None
    for each, how in candidates(layout, method):
        fullest = needed(each, how)
        found = Settled(each, how, within(fullest, capacity))
        if found.fullest.total <= capacity:
            return found
        if least is None or fullest.total < least.fullest.total:
            least = found
    if least is None:
        raise AssertionError("data/training_recipes.csv has no rows")
    return least


def _kept(policy: Policy) -> str:
    """Return what a policy recomputes and keeps, in words."""
    names = " ".join(each for each in OUTPUTS if each in policy.kept)
    if not names:
        return text("layers recomputed but for their last product")
    if policy.is_assumed:
        return text("layers recomputed, kept as of most custom policies: {names}", names=names)
    return text("layers recomputed, kept: {names}", names=names)


def _layers(again: LayersAgain) -> str:
    """Return which layers are recomputed, in words."""
    if again.every == 1:
        return recomputed("full")
    if again.every:
        return text("one of every {n} layers recomputed", n=again.every)
    return plural(again.first, "1 layer of each stage recomputed", "{n} layers of each stage recomputed")


def recipe_text(layout: Layout, recipe: Recipe, architecture: Architecture, *, unread: tuple[str, ...]) -> str:
    """Return what a recipe does to save memory, in words, and what of it is ``unread``; blank settings are the
    framework's own."""
    kind = layout.recompute
    parts = [recomputed(kind) or text("nothing recomputed")]
    if kind == "selective" and recipe.flash_attention:
        parts = [text("nothing recomputed: flash attention keeps no scores")]
    if policy := policy_of(recipe, layout):
        parts = [_kept(policy)]
    if again := layers_again_of(recipe, layout):
        parts = [_layers(again)]
    if modules := modules_of(recipe, layout, architecture):
        parts = [text("{modules} recomputed", modules=" ".join(sorted(modules)))]
    parts += [text("gradients in {dtype}", dtype=recipe.gradient_dtype)] if recipe.gradient_dtype else []
    parts += [text("optimizer states in {dtype}", dtype=recipe.optimizer_dtype)] if recipe.optimizer_dtype else []
    parts += [text("fused loss")] if recipe.fused_loss else []
    parts += [text("activation inputs in fp8")] if recipe.fp8_activation_inputs else []
    moved = recipe.offload if recipe.offload not in unread else ""
    parts += [text("on the host: {what}", what=moved)] if moved else []
    parts += [text("not read: {words}", words=words) for words in unread]
    return joined(parts, ", ")
