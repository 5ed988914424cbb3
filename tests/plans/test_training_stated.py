"""What a run states is kept or refused: no setting of a layout or of a recipe is dropped in silence."""

from __future__ import annotations

import pytest

from sizebook.core.errors import InputError, SizebookError
from sizebook.core.sections import leaves
from sizebook.models import catalog
from sizebook.plans.training.inputs import Setup
from sizebook.plans.training.laying_out import DEGREES
from sizebook.plans.training.rows import work_of_row
from sizebook.plans.training.search import layouts
from sizebook.tables.hardware import accelerator
from sizebook.training.layout import Layout
from sizebook.training.quantities import Batches
from sizebook.training.recipe import Recipe

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


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        (
            {"tp": 8, "fsdp": 3},
            "shards do not divide the ranks: got fsdp 3 and dp x cp = 8, want fsdp to divide them. Use fsdp 2.",
        ),
        (
            {"tp": 8, "fsdp": 16},
            "shards do not divide the ranks: got fsdp 16 and dp x cp = 8, want fsdp to divide them. Use fsdp 8.",
        ),
        (
            {"fsdp": 8, "zero_stage": 0},
            "nothing is sharded: got fsdp 8 and zero_stage 0, want zero_stage 1, 2 or 3. Set zero_stage to 3, or "
            "remove fsdp.",
        ),
        (
            {"hsdp": True, "zero_stage": 0},
            "nothing is sharded: got hsdp and zero_stage 0, want zero_stage 1, 2 or 3. Set zero_stage to 3, or "
            "remove hsdp.",
        ),
        (
            {"power_limit_watts": 1_000},
            "power limit above the TDP: got 1000 watts, want at most 700, the TDP of 'h100-sxm'. Lower it, or leave it "
            "blank.",
        ),
        (
            {"tp": 2, "etp": 2},
            "no experts to split: got etp 2 and a model without experts, want etp 1. Remove etp.",
        ),
        (
            {"schedule": "dualpipe"},
            "schedule needs a pipeline: got schedule dualpipe and pp 1, want pp above 1. Remove schedule.",
        ),
        (
            {"gpus": 48, "batch": 480, "pp": 3, "schedule": "dualpipe"},
            "DualPipe feeds both ends of a pipeline: got pp 3, want an even number of stages. Use pp 4.",
        ),
    ],
)
def test_what_a_layout_cannot_do_is_refused(given: dict[str, object], refusal: str) -> None:
    with pytest.raises(SizebookError) as refused:
        work_of_row({**RUN, "gpus": 64, "batch": 512, "seq": 4096, **given})
    assert str(refused.value) == refusal


def test_shards_may_be_counted_with_context_parallelism() -> None:
    row = {**RUN, "gpus": 64, "batch": 512, "seq": 4096, "cp": 2, "zero_stage": 3}
    assert work_of_row({**row, "fsdp": 64}).fullest == work_of_row({**row, "fsdp": 32}).fullest


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"recompute_modules": "layer_norm"}, "nothing recomputed, not read: layer_norm"),
        ({"recompute_modules": "layernorm+moe_akt"}, "layernorm recomputed, not read: moe_akt"),
        ({"recompute_modules": "none (granularity null)"}, "nothing recomputed"),
        ({"offload": "optimiser"}, "nothing recomputed, not read: optimiser"),
        ({"offload": "optimizer on CPU"}, "nothing recomputed, on the host: optimizer on CPU"),
    ],
)
def test_what_a_recipe_does_not_read_is_said(given: dict[str, str], said: str) -> None:
    row = {**RUN, "gpus": 64, "tp": 8, "batch": 512, "seq": 4096, "recompute": "none"}
    assert work_of_row({**row, **given}).recipe == said


@pytest.mark.parametrize("layers", ["0", "-3", "0.5"])
def test_fewer_than_one_layer_moves_nowhere(layers: str) -> None:
    with pytest.raises(InputError) as refused:
        Recipe(offload=f"activations of {layers} layers")
    assert str(refused.value) == (
        f"no such number of layers: got offload 'activations of {layers} layers', want at least 1 layer. "
        "Correct the number."
    )
