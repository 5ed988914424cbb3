"""Memory per rank: the closed forms of Korthikanti from the tensors of a model, measured peaks, and each option
alone."""

from dataclasses import replace

import pytest

from sizebook.formulas.training_memory import GptLayout, activation_bytes
from sizebook.models import catalog
from sizebook.models.architecture import Architecture, Attention, Embedding, Experts, FeedForward, Head, Layer, Norm
from sizebook.training.activations import kept_bytes
from sizebook.training.layout import Layout, in_flight, stage_layers
from sizebook.training.memory import Memory, memory, memory_by_stage
from sizebook.training.profile import model_profile
from sizebook.training.recipe import Method, Recipe

GIB = 2**30


def _model(d_model: int, n_layers: int, n_heads: int, d_ff: int, n_kv: int = 0, *, gated: bool = True) -> Architecture:
    attention = Attention(d_model, n_heads, n_kv or n_heads, 128 if n_kv else d_model // n_heads)
    norms = Norm("a", d_model), Norm("b", d_model)
    layer = Layer((norms[0], attention, norms[1], FeedForward(d_model, d_ff, gated=gated)))
    tokens = Embedding("tokens", 128256, d_model)
    head = Head(128256, d_model, tied=False)
    return Architecture("test", d_model, 128256, None, (tokens,), (layer,) * n_layers, (Norm("n", d_model),), head)


LLAMA_8B = _model(4096, 32, 32, 14336, 8)
LLAMA_70B_12 = _model(8192, 12, 64, 28672, 8)
GPT_22B = _model(6144, 48, 64, 24576, gated=False)


def _peak(model: Architecture, seq: int, layout: Layout, recipe: Recipe, n_micro: int = 8) -> Memory:
    return memory(model_profile(model, seq), layout, Method(recipe=recipe), n_micro=n_micro)


@pytest.mark.parametrize("recompute", ["none", "selective", "full"])
@pytest.mark.parametrize("sequence_parallel", [True, False])
def test_the_gpt_block_gives_korthikantis_closed_form(recompute: str, sequence_parallel: bool) -> None:
    layout = Layout(tp=8, micro_batch=4, recompute=recompute, sequence_parallel=sequence_parallel)
    profile, plain = model_profile(GPT_22B, 2048), Recipe(flash_attention=False, dropout=True)
    kept = kept_bytes(profile.stage(0, 48), layout, Method(recipe=plain), profile)
    closed = activation_bytes(
        48, 6144, 64, seq=2048,
        layout=GptLayout(tp=8, micro_batch=4, sequence_parallel=sequence_parallel, recompute=recompute),
    )  # fmt: skip
    assert 4 * 2048 * kept == closed


@pytest.mark.parametrize(
    ("layout", "gibibytes"), [(Layout(pp=2, dp=4), 66.55), (Layout(tp=4, dp=2), 39.07)], ids=("PP2", "TP4")
)
def test_peaks_that_simumax_measured_on_b200(layout: Layout, gibibytes: float) -> None:
    assert _peak(LLAMA_70B_12, 4096, layout, Recipe()).allocated / GIB == pytest.approx(gibibytes, rel=0.05)


@pytest.mark.parametrize(("gpus", "gibibytes"), [(8, 82.4), (8, 77.0), (128, 67.0), (128, 62.0)])
def test_peaks_of_torchtitan_on_h100(gpus: int, gibibytes: float) -> None:
    layout = Layout(dp=gpus, zero_stage=3, micro_batch=2, recompute="every-other-matmul")
    assert _peak(LLAMA_8B, 8192, layout, Recipe(stack="fsdp"), 1).reserved / GIB == pytest.approx(gibibytes, rel=0.1)


def test_states_of_a_megatron_rank_by_hand() -> None:
    layers = 16 * (4096 * 4096 * 2 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 2 * 4096)
    first = layers / 2 - 16 * 4096 + 128256 * 4096 / 2  # norms are whole on both tensor-parallel ranks
    stage = memory_by_stage(model_profile(LLAMA_8B, 4096), Layout(tp=2, pp=2, dp=4), Method(), n_micro=8)[0]
    first += 2 * 16 * 4096
    assert (stage.weights, stage.gradients) == (2 * first, 4 * first)
    assert (stage.master_weights, stage.optimizer_states) == (first, 2 * first)


def test_each_zero_stage_divides_one_more_part() -> None:
    parts = ("optimizer_states", "gradients", "weights")
    seen = [_peak(LLAMA_8B, 2048, Layout(dp=8, zero_stage=z), Recipe()) for z in range(4)]
    for stage, part in enumerate(parts, start=1):
        assert getattr(seen[stage], part) == getattr(seen[stage - 1], part) / 8


def test_experts_are_split_by_expert_parallelism_and_grow_with_imbalance() -> None:
    attention, experts = Attention(2048, 32, 4, 128), Experts(2048, 768, 128, 8)
    layer = Layer((Norm("a", 2048), attention, Norm("b", 2048), experts))
    model = replace(LLAMA_8B, d_model=2048, layers=(layer,) * 4, inputs=(), outputs=(), head=None)
    one = _peak(model, 4096, Layout(dp=8, zero_stage=0), Recipe())
    spread = _peak(model, 4096, Layout(dp=8, ep=8, zero_stage=0), Recipe())
    held = 4 * 128 * 3 * 2048 * 768
    assert one.weights - spread.weights == 2 * held * 7 / 8
    uneven = _peak(model, 4096, Layout(dp=8, ep=8, zero_stage=0), Recipe(expert_imbalance=1.5))
    routed = 8 * (2048 + 3 * 768)
    assert uneven.activations - spread.activations == 0.5 * 2 * routed * 4096 * (4 + 1)


def test_adapters_leave_the_frozen_model_without_gradients() -> None:
    qlora = _peak(LLAMA_8B, 2048, Layout(zero_stage=0), Recipe(lora_rank=16, frozen_weight_bytes=0.5))
    adapters = 16 * 32 * (2 * (4096 + 4096) + 2 * (4096 + 1024))
    assert qlora.gradients == 4 * adapters
    outside = 2 * 128_256 * 4096 + 4096  # embeddings, head and the last norm stay in 16 bits
    assert qlora.weights == 0.5 * (8_030_261_248 - outside) + 2 * outside + 2 * adapters


def test_a_fused_loss_keeps_no_fp32_logits() -> None:
    eager = _peak(LLAMA_8B, 8192, Layout(recompute="full"), Recipe(stack="fsdp"))
    assert eager.loss == 12 * 8192 * 128256
    assert _peak(LLAMA_8B, 8192, Layout(recompute="full"), Recipe(stack="fsdp", fused_loss=True)).loss < eager.loss


def test_pipeline_stages_hold_fewer_micro_batches_towards_the_end() -> None:
    assert [in_flight(Layout(pp=4), stage, 16) for stage in range(4)] == [4, 3, 2, 1]
    assert in_flight(Layout(pp=8, interleave=3), 0, 64) == pytest.approx(8 * (1 + 7 / 24))
    assert in_flight(Layout(pp=4), 0, 2) == 2
    assert stage_layers(126, 8) == (15, 16, 16, 16, 16, 16, 16, 15)


@pytest.mark.parametrize("name", ["llama-3.1-8b", "t5-large", "jamba-1.5-large", "openelm-3b", "deepseek-v3"])
@pytest.mark.parametrize("pp", [1, 4, 8])
def test_the_fullest_rank_is_the_fullest_of_all_stages(name: str, pp: int) -> None:
    profile = model_profile(catalog.architecture(name), 4096)
    for layout in (Layout(pp=pp, dp=8), Layout(pp=pp, dp=8, zero_stage=3, recompute="full")):
        stages = memory_by_stage(profile, layout, Method(), n_micro=2 * pp)
        assert memory(profile, layout, Method(), n_micro=2 * pp).total == max(stage.total for stage in stages)
