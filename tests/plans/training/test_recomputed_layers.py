"""Some layers computed again and others not, worked out by hand for Llama 2 70B on four stages."""

from dataclasses import replace

import pytest

from sizebook.core.errors import SizebookError
from sizebook.models import catalog
from sizebook.plans.training.inputs import Setup
from sizebook.plans.training.plan import plan_training
from sizebook.plans.training.search import layouts, search
from sizebook.plans.training.work import Work, work_of
from sizebook.tables.hardware import accelerator
from sizebook.training.activations import kept_bytes
from sizebook.training.layout import Layout
from sizebook.training.profile import model_profile
from sizebook.training.quantities import Batches
from sizebook.training.recipe import Method, Recipe
from sizebook.training.recipe_grammar import read_recomputation
from tests.plans.training.training_runs import run_of
from tests.row_lists import listed

# Llama 2 70B: 80 layers of 8192, 64 heads of 128 with 8 of keys and values, feed-forward blocks of 28672.
D, KV, FF, LAYERS = 8192, 1024, 28_672, 80
PRODUCTS = D * (D + 2 * KV) + D * D + 3 * D * FF
# The inputs of both blocks and both norms; queries, keys, values and what attention returns; the feed-forward's two
# outputs and the input of its last product: two bytes each, and the sum of exponentials of each head.
KEPT = 2 * (4 * D + (D + 2 * KV) + D + 3 * FF) + 4 * 64
LAYOUT = Layout(tp=8, pp=4, dp=2, micro_batch=1)


def worked(words: str, recompute: str = "lightest", layout: Layout = LAYOUT) -> Work:
    setup = Setup(
        architecture=catalog.architecture("llama-2-70b"),
        gpu=accelerator("h100-sxm"),
        gpus=64,
        batches=Batches(batch=32, seq=4096),
        method=Method(recipe=Recipe(recompute_modules=words)),
    )
    return work_of(setup, replace(layout, recompute=recompute))


def test_the_grammar_of_layers() -> None:
    for words, layers in (("block 5 layers", (0, 5)), ("every 3rd layer", (3, 0)), ("Every 2 layers", (2, 0))):
        found = read_recomputation(words)
        assert found.layers is not None and (found.layers.every, found.layers.first, found.unread) == (*layers, "")


@pytest.mark.parametrize(*listed("plans/training", "test_words_outside_the_grammar_are_listed"))
def test_words_outside_the_grammar_are_listed(words: str) -> None:
    assert read_recomputation(words).layers is None
    assert "not read" in worked(words).recipe


def test_words_beside_those_that_are_read_are_named() -> None:
    assert "not read: 1 chunk" in worked("block 5 layers 1 chunk").recipe
    assert "not read: block 5 layers" in worked("block 5 layers", "every-other-matmul").recipe


@pytest.mark.parametrize(
    ("words", "layout", "again"),
    [
        ("block 5 layers", LAYOUT, 5),
        ("block 2 layers", replace(LAYOUT, interleave=5), 10),  # of each of five chunks
        ("block 30 layers", LAYOUT, 20),  # all that a stage has
        ("every 2nd layer", LAYOUT, 10),
        ("every 3rd layer", LAYOUT, 6),  # the 3rd to the 18th of 20
        ("every 1st layer", LAYOUT, 20),
    ],
)
def test_memory_and_products_of_a_stage(words: str, layout: Layout, again: int) -> None:
    profile, method = (
        model_profile(catalog.architecture("llama-2-70b"), 4096),
        Method(recipe=Recipe(recompute_modules=words)),
    )
    stage = profile.stage(0, 20)
    for kind in ("none", "full"):
        found = kept_bytes(stage, replace(layout, recompute=kind), method, profile=profile)
        assert found == pytest.approx((again * 2 * D + (20 - again) * KEPT) / 8)
    # Every stage runs so many of its layers once more, scores of 64 heads of 128 over 4096 keys among them.
    once = 2 * PRODUCTS + 4 * D * 4096
    assert worked(words, layout=layout).flops_per_token["hardware"] == pytest.approx(
        3 * (LAYERS * once + 2 * D * 32_000) + 4 * again * once
    )


def test_time_and_memory_lie_between_nothing_and_everything() -> None:
    none, some, every = (worked(*each) for each in (("", "none"), ("block 5 layers", "none"), ("", "full")))
    assert some.step.recompute == pytest.approx(every.step.recompute / 4)
    exchanged = [each.step.tensor_parallel for each in (none, some, every)]
    assert exchanged[1] == pytest.approx((3 * exchanged[0] + exchanged[2]) / 4)
    # What is kept of a block's backward pass is a layer that keeps everything: no other is computed again beside it.
    held = [each.fullest.activations for each in (none, some)]
    in_flight = 4 * 4096
    assert held[0] - held[1] == pytest.approx(in_flight * 5 * (KEPT - 2 * D) / 8)
    # Of every second layer the last is one: its activations come back beside what the others keep.
    alternate = worked("every 2nd layer").fullest.activations
    assert alternate > held[0] - in_flight * 10 * (KEPT - 2 * D) / 8
    assert worked("block 5 layers", "full").step == some.step == worked("block 5 layers").step


def test_the_recipe_says_which() -> None:
    assert worked("block 5 layers").recipe.startswith("5 layers of each stage recomputed")
    assert worked("block 1 layer", "none").recipe.startswith("1 layer of each stage recomputed")
    assert worked("every 2nd layer").recipe.startswith("one of every 2 layers recomputed")
    assert worked("every 1st layer", "full").recipe.startswith("full recomputation")
    assert "not read" not in worked("every 2nd layer").recipe


@pytest.mark.parametrize(
    ("words", "kind"),
    [("block 5 layers", "none"), ("remat_policy=save_qkv_proj", "full")],
)
def test_a_search_keeps_what_words_say(words: str, kind: str) -> None:
    """A search that tried nothing and everything beside a policy took it for not read where nothing was faster."""
    setup = replace(worked(words).setup, method=Method(recipe=Recipe(stack="fsdp", recompute_modules=words)))
    assert {each.recompute for each in layouts(setup)} == {kind}
    best = search(setup, top=1).best[0].layout
    assert "not read" not in work_of(setup, best).recipe
    assert {each.recompute for each in layouts(setup, {"recompute": "full"})} == {"full"}


@pytest.mark.parametrize("words", ["block 2 layers", "remat_policy=minimal"])
def test_what_would_help_takes_the_words_back(words: str) -> None:
    """On one node that holds the model whole, 262 144 tokens fit with everything computed again and no other way."""
    given = {"gpus": 8, "tokens": 1e9, "batch": 1, "seq": 262_144, "tp": 8, "dp": 1, "stack": "fsdp", "offload": "none"}
    with pytest.raises(SizebookError, match=r"Cheapest change: full recomputation\.$"):
        plan_training(run_of("llama-3.1-8b", "h100-sxm", **given, recompute_modules=words))
    assert plan_training(run_of("llama-3.1-8b", "h100-sxm", **given, recompute="full")).fits
