"""What a run states is kept or refused: no setting of a layout or of a recipe is dropped in silence."""

import pytest

from sizebook.core.errors import InputError, SizebookError
from sizebook.core.sections import leaves
from sizebook.models import catalog
from sizebook.plans.training.inputs import Setup
from sizebook.plans.training.plan import plan_training
from sizebook.plans.training.rows import Rows, work_of_row
from sizebook.plans.training.search import layouts, search
from sizebook.plans.training.searched_layout import DEGREES
from sizebook.tables.hardware import accelerator
from sizebook.training.layout import Layout
from sizebook.training.quantities import Batches
from sizebook.training.recipe import Method, Recipe
from tests.plans.asking import refusals
from tests.plans.training.training_runs import run_of
from tests.refused import message_of
from tests.row_lists import listed

RUN = {"model": "llama-3-8b", "gpu": "h100-sxm"}
STATED = {
    "zero_stage": 3, "micro_batch": 2, "recompute": "full", "interleave": 2, "etp": 2, "sequence_parallel": False,
    "fsdp": 8, "hsdp": True, "schedule": "zero-bubble",
}  # fmt: skip


def test_every_field_of_a_layout_is_stated_below() -> None:
    assert set(STATED) == {leaf.name for leaf in leaves(Layout)} - DEGREES


@pytest.mark.parametrize("name", STATED)
def test_a_search_keeps_what_is_stated(name: str) -> None:
    setup = Setup(
        architecture=catalog.architecture("mixtral-8x7b"), gpu=accelerator("h100-sxm"), gpus=64,
        batches=Batches(batch=512, seq=4096),
    )  # fmt: skip
    found = list(layouts(setup, {name: STATED[name]}))
    assert found
    assert {getattr(layout, name) for layout in found} == {STATED[name]}


@pytest.mark.parametrize(("given", "refusal"), refusals("layouts"))
def test_what_a_layout_cannot_do_is_refused(given: dict[str, object], refusal: str) -> None:
    row = {**RUN, "gpus": 64, "batch": 512, "seq": 4096, "tp": 1, **given}
    assert message_of(SizebookError, work_of_row, row) == refusal


def test_shards_may_be_counted_with_context_parallelism() -> None:
    row = {**RUN, "gpus": 64, "batch": 512, "seq": 4096, "cp": 2, "zero_stage": 3}
    assert work_of_row({**row, "fsdp": 64}).fullest == work_of_row({**row, "fsdp": 32}).fullest


@pytest.mark.parametrize(*listed("plans/training", "test_what_a_recipe_does_not_read_is_said"))
def test_what_a_recipe_does_not_read_is_said(given: dict[str, str], said: str) -> None:
    row = {**RUN, "gpus": 64, "tp": 8, "batch": 512, "seq": 4096, "recompute": "none"}
    assert work_of_row({**row, **given}).recipe == said


@pytest.mark.parametrize("first", ["activations", "activations of 3 layers"])
def test_two_shares_of_activations_are_refused(first: str) -> None:
    moved = f"{first}, activations of 5 layers"
    assert message_of(InputError, Recipe, offload=moved) == (
        f"activations are moved twice: got offload '{moved}', want all of them or those of N layers. Remove one of the "
        "two."
    )
    assert Recipe(offload="optimizer, activations of 5 layers").offloaded.layers == 5


def test_a_search_refuses_what_a_plan_does() -> None:
    setup = Setup(
        architecture=catalog.architecture("llama-3-8b"), gpu=accelerator("h100-sxm"), gpus=8,
        batches=Batches(batch=64, seq=4096), method=Method(recipe=Recipe(expert_imbalance=2)),
    )  # fmt: skip
    with pytest.raises(SizebookError, match=r"^no experts: got expert_imbalance 2 "):
        search(setup)


def test_what_is_settled_names_modules_that_the_model_has() -> None:
    """Norms, experts' activations and latent projections are one row of the table; a Llama has norms alone."""
    row = {**RUN, "gpus": 64, "batch": 640, "seq": 5120, "micro_batch": 2, "tp": 1}
    assert work_of_row(row).recipe == "layernorm recomputed, gradients in bf16, fused loss"


@pytest.mark.parametrize(*listed("plans/training", "test_examples_that_say_nothing_are_refused_in_plans_and_tables"))
def test_examples_that_say_nothing_are_refused_in_plans_and_tables(given: dict[str, object], refusal: str) -> None:
    run = {"gpus": 64, "batch": 512, "seq": 4096, "tokens": 1e9, **given}
    assert message_of(SizebookError, lambda: plan_training(run_of(RUN["model"], RUN["gpu"], **run))) == refusal
    row = {**RUN, **run}
    assert Rows(tuple(row)).result(tuple(row.values()))["reason"] == refusal


def test_a_search_keeps_a_policy_of_jax() -> None:
    """A policy says what stays of layers that are computed again, so that no layout leaves all of them as they are."""
    found = search(_policy_setup())
    assert {each.layout.recompute for each in found.best} == {"full"}
    stated = list(layouts(_policy_setup(), {"recompute": "none"}))
    assert {layout.recompute for layout in stated} == {"none"}


def _policy_setup() -> Setup:
    return Setup(
        architecture=catalog.architecture("llama-3-8b"), gpu=accelerator("tpu-v5p"), gpus=64,
        batches=Batches(batch=512, seq=4096),
        method=Method(recipe=Recipe(stack="xla", recompute_modules="remat_policy=save_qkv_proj")),
    )  # fmt: skip


def test_a_rate_above_the_peak_is_refused() -> None:
    row = {**RUN, "gpus": 8, "batch": 64, "tokens": 1e9, "achieved_tflops": 5000}
    assert Rows(list(row)).result(list(row.values()))["reason"] == (
        "rate above the peak: got achieved_tflops 5000 and a peak of 989.4 TFLOP/s (h100-sxm, bf16), want no more. "
        "Give the TFLOP/s of one GPU, without sparsity."
    )
