"""What frameworks keep of a parameter, by hand from their code."""

from __future__ import annotations

import pytest

from sizebook.plans.training.rows import work_of_row
from sizebook.training.memory import Memory

# A layer of Llama 3.1 8B: queries and outputs, keys and values, three of the feed-forward block, two norms.
LAYER = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 2 * 4096
RUN = {"model": "llama-3.1-8b", "gpu": "a100-sxm-80gb", "gpus": 8, "batch": 64, "seq": 2048, "recompute": "full"}


def second_stage(**given: object) -> Memory:
    return work_of_row({**RUN, "pp": 4, "zero_stage": 1, **given}).stages[1]


@pytest.mark.parametrize(
    ("stack", "dtype", "each"),
    [("deepspeed", "bf16", 4), ("deepspeed", "fp16", 2), ("megatron", "bf16", 4), ("internevo", "bf16", 2)],
)
def test_gradients_of_a_stage_of_eight_layers(stack: str, dtype: str, each: int) -> None:
    """DeepSpeed's BF16_Optimizer adds up in fp32 on every rank, beside 2 bytes of weights; fp16 and InternEvo do not.
    Two data-parallel ranks share 4 bytes of master weights and 8 of states."""
    found = second_stage(stack=stack, compute_dtype=dtype)
    assert found.weights == 2 * 8 * LAYER
    assert found.gradients == each * 8 * LAYER
    assert (found.master_weights, found.optimizer_states) == (4 * 8 * LAYER / 2, 8 * 8 * LAYER / 2)


def test_deepspeed_without_a_pipeline_keeps_gradients_in_the_format_of_the_weights() -> None:
    whole = work_of_row({**RUN, "stack": "deepspeed", "zero_stage": 1}).fullest
    assert whole.gradients == whole.weights == 2 * 8_030_261_248


def test_a_stated_format_of_gradients_holds_under_a_pipeline_too() -> None:
    assert second_stage(stack="deepspeed", gradient_dtype="bf16").gradients == 2 * 8 * LAYER
