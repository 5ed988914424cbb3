"""What frameworks keep of a parameter, by hand from their code."""

import pytest

from sizebook.plans.training.rows import work_of_row
from sizebook.training.memory import Memory

# A layer of Llama 3.1 8B: queries and outputs, keys and values, three of the feed-forward block, two norms.
LAYER = 2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 2 * 4096
RUN = {
    "model": "llama-3.1-8b", "gpu": "a100-sxm-80gb", "gpus": 8, "tp": 1, "batch": 64, "seq": 2048, "recompute": "full",
}  # fmt: skip


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


ADAPTERS = {**RUN, "gpus": 2, "zero_stage": 3, "lora_rank": 8, "lora_on": "query-value"}


def test_litgpt_adds_up_whole_gradients_of_blocks_with_adapters() -> None:
    """FSDP's no_sync reduces nothing before the last of 32 micro-batches, and a block is one flat parameter; embedding
    and head, which are frozen whole, have no gradient. With one micro-batch there is nothing to add up: gradients of
    queries (4096 + 4096) and values (4096 + 1024) of rank 8 in each of 32 layers, sharded."""
    found = work_of_row({**ADAPTERS, "stack": "litgpt"}).fullest
    assert found.gradients == 2 * 32 * LAYER
    assert found.buffers == 3 * 2 * LAYER
    adapters = 32 * 8 * (4096 + 4096 + 4096 + 1024)
    others = [{"stack": "torchtune"}, {"stack": "litgpt", "batch": 2}]
    assert [work_of_row({**ADAPTERS, **each}).fullest.gradients for each in others] == [2 * adapters / 2, 0]


def test_torchtune_gathers_the_head_and_its_gradient_beside_layers() -> None:
    """Llama 3.1 70B on 8 GPUs with shards on the host: three layers of 0.86 B, a head of 128 256 x 8 192 and as much of
    its gradient, in 2 bytes: 8.7 GiB, and 15.9 live with activations, where 13.9 were measured (torchtune README)."""
    run = {"model": "llama-3.1-70b", "batch": 16, "micro_batch": 2, "zero_stage": 3, "offload": "optimizer"}
    found = work_of_row({**RUN, **run, "stack": "fsdp", "optimizer_dtype": "bf16"}).fullest
    layer = 2 * 8192 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 28672 + 2 * 8192
    assert found.buffers == 2 * (3 * layer + 2 * 128_256 * 8192 + 8192)
    assert found.allocated / 2**30 == pytest.approx(15.9, abs=0.05)


def test_deepspeed_copies_gradients_while_it_steps() -> None:
    """Flattened in 2 bytes and again in 4, of one rank's parameters, or of the 1e9 that ZeRO-3 steps at once, once
    activations are gone: longer sequences need no more until they need more than the copies (Qwen README: 43.5 GiB up
    to 2 048 tokens, 47.1 at 4 096)."""
    n = 8_030_261_248
    stepping = work_of_row({**RUN, "stack": "deepspeed", "zero_stage": 1}).fullest
    assert (stepping.buffers, stepping.activations, stepping.loss) == (6 * n / 8, 0, 0)
    small = {**RUN, "stack": "deepspeed", "gpus": 4, "batch": 4, "zero_stage": 3, "seq": 256}
    assert work_of_row(small).fullest.buffers == 6e9
    fp32 = work_of_row({**RUN, "stack": "deepspeed", "zero_stage": 1, "gradient_dtype": "fp32"}).fullest
    assert fp32.buffers == 0 and fp32.activations > 0
    qwen = {**RUN, "model": "qwen-1.8b", "gpus": 1, "batch": 8, "zero_stage": 0}
    peaks = [work_of_row({**qwen, "stack": "deepspeed", "seq": seq}).fullest.total / 2**30 for seq in (256, 2048)]
    assert peaks[0] == peaks[1] == pytest.approx(43.5, rel=0.06)
