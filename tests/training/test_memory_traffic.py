"""Seconds of what moves bytes and multiplies little, worked out by hand."""

from dataclasses import replace

import pytest

from sizebook.models import catalog
from sizebook.tables.hardware import accelerator
from sizebook.training.layout import Layout
from sizebook.training.machine import calibration, machine
from sizebook.training.memory_traffic import weight_seconds
from sizebook.training.profile import model_profile
from sizebook.training.recipe import Method, Recipe
from sizebook.training.time import step_time

LLAMA_8B, A100 = model_profile(catalog.architecture("llama-3.1-8b"), 4096), accelerator("a100-sxm-80gb")
MEMORY = 0.85 * 2.039e12


def _rates(method: Method):  # type: ignore[no-untyped-def]
    return machine(A100, method, calibration())


@pytest.mark.parametrize(("stack", "passes"), [("fsdp", 1), ("litgpt", 1), ("megatron", 1), ("deepspeed", 3)])
def test_adapters_move_what_enters_once_and_what_leaves_twice(stack: str, passes: int) -> None:
    """On attention of 32 layers 4 x 4096 elements of a token enter and 2 x (4096 + 1024) leave; three times as often
    where dropout, scaling and sum are kernels of their own. Forward, and twice as much backward, in 16 bits."""
    method = Method(recipe=Recipe(stack=stack, lora_rank=16, lora_on="attention"))
    rates, layout = _rates(method), Layout(micro_batch=1, recompute="none")
    with_them, without = (
        step_time(LLAMA_8B, layout, method, rates=each, n_micro=1).traffic
        for each in (rates, replace(rates, adapter_traffic=0))
    )
    moved = 32 * (4 * 4096 + 2 * 2 * (4096 + 1024))
    assert rates.memory == pytest.approx(MEMORY)
    assert with_them - without == pytest.approx(3 * 4096 * 2 * passes * moved / MEMORY, rel=1e-6)


def test_pipelines_of_deepspeed_widen_gradients_in_each_micro_batch() -> None:
    """Weights are read twice (4 bytes), gradients written in 16 bits (2), widened (2 + 4) and added (4 + 4 + 4); one
    kernel that adds in fp32 reads and writes 8, and so does a sum in 16 bits."""
    layers, stages = LLAMA_8B.stage(0, 16), Layout(pp=2, micro_batch=1, recompute="none")
    local = (layers.dense + layers.kv) + layers.replicated
    for recipe, layout, n_bytes in (
        (Recipe(stack="deepspeed"), stages, 24),
        (Recipe(stack="deepspeed", gradient_dtype="bf16"), stages, 12),
        (Recipe(stack="deepspeed"), Layout(micro_batch=1, recompute="none"), 12),
        (Recipe(stack="megatron"), stages, 12),
    ):
        method = Method(recipe=recipe)
        seconds = weight_seconds(layers, layout, method, rates=_rates(method))
        assert seconds == pytest.approx(n_bytes * local / MEMORY, rel=1e-9)
