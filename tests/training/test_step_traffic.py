"""Bytes that a step moves beside its products: casts, biases of experts, recurrent mixers, DeepSpeed's gathers."""

import pytest

from sizebook.models import catalog
from sizebook.tables.hardware import accelerator
from sizebook.training.layout import Layout
from sizebook.training.machine import Machine, calibration, machine
from sizebook.training.profile import model_profile
from sizebook.training.recipe import Method, Recipe
from sizebook.training.time import StepTime, step_time

# Llama-3.1-8B: what enters its matrices, 32 layers of two norms' outputs, attention's and the gated block's.
ENTERING = 32 * (2 * 4096 + 14336)


def _rates(stack: str, dtype: str = "bf16", **changed: float) -> Machine:
    method = Method(compute_dtype=dtype, recipe=Recipe(stack=stack))
    return machine(accelerator("h100-sxm"), method, calibration() | changed)


def _step(stack: str, layout: Layout, dtype: str = "bf16", **changed: float) -> StepTime:
    method = Method(compute_dtype=dtype, recipe=Recipe(stack=stack))
    return step_time(
        model_profile(catalog.architecture("llama-3.1-8b"), 4096),
        layout,
        method,
        rates=_rates(stack, dtype, **changed),
        n_micro=2,
    )


def test_pytorch_casts_what_enters_matrices_in_fp8() -> None:
    """Attention keeps what it returns, so 6.75 widths of a layer are cast, forward and twice backward."""
    with_casts, without = (_step("fsdp", Layout(), "fp8", quantize_fsdp=n).traffic for n in (7, 0))
    assert with_casts - without == pytest.approx(2 * 3 * 4096 * 7 * ENTERING / _rates("fsdp").memory)
    assert _step("fsdp", Layout(), quantize_fsdp=7).traffic == _step("fsdp", Layout(), quantize_fsdp=0).traffic


def test_deepspeed_waits_for_part_of_its_gathers() -> None:
    """Two gathers and a reduction of 8.03e9 weights in bf16 over two GPUs, half of which each sends the other, and 32
    layers' hooks. Short steps hide nothing more than long ones."""
    layout = Layout(dp=2, zero_stage=3)
    rates = _rates("deepspeed")
    step = _step("deepspeed", layout, gather_exposed_deepspeed=1, hook_seconds_deepspeed=0.003)
    exchanged = 3 * 2 * 8.03e9 / 2 / rates.scale_up
    assert step.data_parallel == pytest.approx(2 * (exchanged + 32 * 0.003), rel=1e-3)
    assert _step("fsdp", layout, gather_exposed_fsdp=0).data_parallel < 0.2 * step.data_parallel


def test_pipelines_of_deepspeed_reduce_gradients_after_their_last_backward_pass() -> None:
    """Half of 8.03e9 weights in bf16 on each stage: an all-reduce passes them twice over two GPUs, gathering once, and
    half of them each time. Megatron's pipelines reduce while they still run."""
    layout = Layout(pp=2, dp=2, zero_stage=1)
    step = _step("deepspeed", layout)
    assert step.data_parallel == pytest.approx(3 * 2 * 8.03e9 / 2 / 2 / _rates("deepspeed").scale_up, rel=1e-3)
    assert _step("megatron", layout).data_parallel < 0.2 * step.data_parallel


def test_fsdp_waits_for_the_share_that_it_does_not_prefetch() -> None:
    """The same exchange without hooks: all of it where nothing is prefetched."""
    layout = Layout(dp=2, zero_stage=3)
    exchanged = 3 * 2 * 8.03e9 / 2 / _rates("fsdp").scale_up
    waited = _step("fsdp", layout, gather_exposed_fsdp=1).data_parallel
    assert waited == pytest.approx(2 * exchanged, rel=1e-3)


def test_hooks_on_gradients_are_launched_with_the_kernels_where_weights_have_gradients() -> None:
    """Two micro-batches of 32 layers with ten seconds each, and a second for each of their two blocks: 768 seconds,
    with the compute hidden behind. Adapters leave the weights without gradients."""
    full = _step("deepspeed", Layout(), hook_seconds_deepspeed=10, block_seconds_fsdp=1)
    assert full.total - full.optimizer == pytest.approx(2 * 32 * (10 + 2), rel=1e-3)
    method = Method(recipe=Recipe(stack="deepspeed", lora_rank=16))
    adapters = [
        step_time(
            model_profile(catalog.architecture("llama-3.1-8b"), 4096), Layout(), method,
            rates=_rates("deepspeed", hook_seconds_deepspeed=seconds), n_micro=2,
        ).total
        for seconds in (0.0, 1.0)
    ]  # fmt: skip
    assert adapters[0] == adapters[1]


@pytest.mark.parametrize(
    ("model", "field", "by_hand"),
    [
        # 36 layers, four experts a token: gate and up of 2,880 each, down to 2,880, all with biases.
        ("gpt-oss-120b", "expert_biases", 36 * 4 * 3 * 2880),
        ("qwen3-30b-a3b", "expert_biases", 0),
        # 23 Mamba-2 layers: gate and values of 64 heads of 64, keys and queries of 8 groups of 128, steps; then a
        # convolution of all but the gate and the steps.
        ("nemotron-3-nano-30b-a3b", "recurrent", 23 * (2 * 4096 + 2 * 1024 + 64 + 4096 + 2 * 1024)),
        ("llama-3.1-8b", "recurrent", 0),
    ],
)
def test_widths_of_biased_experts_and_recurrent_mixers(model: str, field: str, by_hand: int) -> None:
    assert getattr(model_profile(catalog.architecture(model), 4096).whole, field) == by_hand


def test_biases_of_experts_pass_memory_forward_and_twice_backward() -> None:
    profile, method = model_profile(catalog.architecture("gpt-oss-120b"), 4096), Method()
    with_biases, without = (
        step_time(profile, Layout(), method, rates=_rates("megatron", bias_traffic=each), n_micro=1).traffic
        for each in (6, 0)
    )
    assert with_biases - without == pytest.approx(3 * 4096 * 6 * 2 * 1_244_160 / _rates("megatron").memory)


def test_experts_under_adapters_take_off_no_more_than_is_kept() -> None:
    """Mixtral on one GPU in PyTorch, adapters on attention, so many times the tokens at its experts that they keep all
    there is: two experts in 32 layers keep what enters the activation function, 2 x 14336 numbers of 2 bytes, and,
    kernel by kernel, the 14336 that leave it. Each is written and read at half that traffic, forward and twice that
    backward."""
    profile, rates = model_profile(catalog.architecture("mixtral-8x7b"), 4096), _rates("fsdp")

    def traffic(imbalance: float) -> float:
        recipe = Recipe(stack="fsdp", lora_rank=8, frozen_bits=8, expert_imbalance=imbalance)
        return step_time(profile, Layout(), Method(recipe=recipe), rates=rates, n_micro=1).traffic

    assert rates.expert_traffic == 0.5
    more = 100 * 32 * 2 * 3 * 14336 * 2
    assert traffic(200) - traffic(100) == pytest.approx(3 * 4096 * 2 * 0.5 * more / rates.memory)
    assert traffic(100) > traffic(1) > 0
