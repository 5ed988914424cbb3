"""Step time: measured runs, limits that can be worked out, and the causes that add up."""

from dataclasses import replace

import pytest

from sizebook.core.sections import flat
from sizebook.models import catalog
from sizebook.models.architecture import Architecture, Attention, Embedding, FeedForward, Head, Layer, Norm
from sizebook.tables.hardware import accelerator
from sizebook.training.bands import bands
from sizebook.training.layout import Layout
from sizebook.training.machine import calibration, machine
from sizebook.training.profile import model_profile
from sizebook.training.recipe import Method, Recipe
from sizebook.training.time import StepTime, step_time
from tests.row_lists import listed


def _gpt(d_model: int, n_layers: int, n_heads: int, n_kv: int, d_ff: int, vocab: int, *, gated: bool) -> Architecture:
    attention = Attention(d_model, n_heads, n_kv, d_model // n_heads)
    norms = Norm("a", d_model), Norm("b", d_model)
    layer = Layer((norms[0], attention, norms[1], FeedForward(d_model, d_ff, gated=gated)))
    tokens, head = Embedding("tokens", vocab, d_model), Head(vocab, d_model, tied=True)
    return Architecture("test", d_model, vocab, None, (tokens,), (layer,) * n_layers, (Norm("n", d_model),), head)


MEGATRON_22B = _gpt(6144, 48, 64, 64, 24576, 51200, gated=False)
MEGATRON_175B = _gpt(12288, 96, 96, 96, 49152, 51200, gated=False)
LLAMA_8B = _gpt(4096, 32, 32, 8, 14336, 128256, gated=True)
UNFUSED = Recipe(flash_attention=False, dropout=True)


def _time(model: Architecture, seq: int, gpu: str, layout: Layout, recipe: Recipe, n_micro: int) -> StepTime:
    method = Method(recipe=recipe)
    rates = machine(accelerator(gpu), method, calibration())
    return step_time(model_profile(model, seq), layout, method, rates=rates, n_micro=n_micro)


@pytest.mark.parametrize(
    ("model", "layout", "n_micro", "seconds"),
    [
        (MEGATRON_22B, Layout(tp=8, micro_batch=4, recompute="full", zero_stage=0), 1, 1.42),
        (MEGATRON_175B, Layout(tp=8, pp=8, interleave=3, recompute="full", zero_stage=0), 64, 18.13),
        (MEGATRON_22B, Layout(tp=8, micro_batch=4, recompute="selective", zero_stage=0), 1, 1.10),
        (MEGATRON_175B, Layout(tp=8, pp=8, interleave=3, recompute="selective", zero_stage=0), 64, 13.75),
    ],
)
def test_steps_of_korthikanti_table_5(model: Architecture, layout: Layout, n_micro: int, seconds: float) -> None:
    predicted = _time(model, 2048, "a100-sxm-80gb", layout, UNFUSED, n_micro).total
    assert predicted == pytest.approx(seconds, rel=0.1)


@pytest.mark.parametrize(("gpus", "rate"), [(8, 5762), (8, 6667), (128, 5605), (128, 6514)])
def test_rates_of_torchtitan_8b(gpus: int, rate: float) -> None:
    """On GPUs limited to 500 W. The lower rate of each pair was not compiled, which no recipe says."""
    layout = Layout(dp=gpus, zero_stage=3, micro_batch=2, recompute="every-other-matmul")
    method = Method(power_limit_watts=500, recipe=Recipe(stack="fsdp"))
    rates = machine(accelerator("h100-sxm"), method, calibration())
    seconds = step_time(model_profile(LLAMA_8B, 8192), layout, method, rates=rates, n_micro=1).total
    assert 2 * 8192 / seconds == pytest.approx(rate, rel=0.24 if rate < 6000 else 0.07)


@pytest.mark.parametrize(*listed("training", "test_tpus_reach_the_share_of_the_size_of_their_arrays"))
def test_tpus_reach_the_share_of_the_size_of_their_arrays(gpu: str, peak: float, share: str) -> None:
    assert machine(accelerator(gpu), Method(), calibration()).matmul == pytest.approx(peak * calibration()[share])


def test_the_total_is_the_sum_of_its_causes() -> None:
    layout = Layout(tp=2, pp=4, dp=8, cp=2, interleave=2, micro_batch=2)
    step = _time(LLAMA_8B, 8192, "h100-sxm", layout, Recipe(), 16)
    causes = list(flat(step).values())
    assert step.total == pytest.approx(sum(causes))
    assert min(causes) >= 0


def test_matrix_time_is_work_over_rate() -> None:
    rates = machine(accelerator("h100-sxm"), Method(), calibration())
    step = _time(LLAMA_8B, 4096, "h100-sxm", Layout(), Recipe(), 4)
    layers = 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
    assert step.matmul == pytest.approx(4 * 6 * 4096 * (layers / rates.matmul + 128256 * 4096 / rates.head))


@pytest.mark.parametrize(("dtype", "wide"), [("fp8", False), ("mxfp8", True), ("nvfp4", True), ("bf16", True)])
def test_matrices_of_hybrids_are_narrow_with_one_scale_a_tensor(dtype: str, wide: bool) -> None:
    """Nemotron-H multiplied everything in fp8; Nemotron 3, in formats of blocks, its experts alone: it has none."""
    profile = model_profile(catalog.architecture("nemotron-h-56b"), 8192)
    method, layout = Method(compute_dtype=dtype), Layout(tp=8)
    rates = machine(accelerator("gb200"), method, calibration())
    step = step_time(profile, layout, method, rates=rates, n_micro=1)
    rate = rates.head if wide else rates.matmul
    slower = 1 + rates.growth * 3
    by_hand = 6 * 8192 / 8 * (profile.whole.matrices / rate + profile.head / rates.head)
    assert step.matmul == pytest.approx(slower * by_hand)


def test_hybrids_in_nvfp4_keep_the_experts_of_their_last_layers_in_bf16() -> None:
    """Nemotron 3 Super: the last 14 of 88 layers, beside projections and head, which are wide anyway."""
    profile = model_profile(catalog.architecture("nemotron-3-super-120b-a12b"), 8192)
    method = Method(compute_dtype="nvfp4")
    rates = replace(machine(accelerator("gb200"), method, calibration()), expert_width=0)
    step = step_time(profile, Layout(), method, rates=rates, n_micro=1)
    wide, narrow = profile.whole.matrices + profile.head, profile.whole.active_experts
    wide, narrow = wide + narrow * 14 / 88, narrow * 74 / 88
    assert step.matmul == pytest.approx(6 * 8192 * (wide / rates.head + narrow / rates.matmul))


def test_products_in_nvfp4_follow_those_in_fp8() -> None:
    """So many times as fast as fp8, whatever the peaks: 10 over 5 PFLOP/s on GB200, 15 over 5 on GB300."""
    for gpu in ("gb200", "gb300"):
        fp8, nvfp4 = (machine(accelerator(gpu), Method(compute_dtype=each), calibration()) for each in ("fp8", "nvfp4"))
        assert nvfp4.matmul / fp8.matmul == pytest.approx(calibration()["fp4_over_fp8_blackwell"])


def test_the_last_stage_runs_the_whole_head_unless_it_has_fewer_layers() -> None:
    """Llama-3.1-8B on four stages: eight layers of 218 M and a head of 525 M weights that the other stages wait for.
    The 405B has 15 layers on its last of eight stages, 16 on most, and a head smaller than a layer."""
    rates = machine(accelerator("h100-sxm"), Method(), calibration())
    step = _time(LLAMA_8B, 4096, "h100-sxm", Layout(pp=4), Recipe(), 8)
    slower = 1 + rates.growth * 2
    layers = 8 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336)
    by_hand = 6 * 4096 * (layers / rates.matmul + 128256 * 4096 / rates.head)
    assert step.matmul == pytest.approx(8 * slower * by_hand)
    large, layout = catalog.architecture("llama-3.1-405b"), Layout(tp=8, pp=8)
    step = _time(large, 4096, "h100-sxm", layout, Recipe(), 8)
    layers = 16 * (2 * 16384 * 16384 + 2 * 16384 * 1024 + 3 * 16384 * 53248)
    assert step.matmul == pytest.approx(8 * (1 + rates.growth * 6) * 6 * 4096 * layers / 8 / rates.matmul)


def test_plain_attention_passes_its_scores_sixteen_times() -> None:
    """Beside flash attention, softmax, dropout and the products around them: five bytes of a score are kept, and six
    times as much passes memory forward and backward."""
    rates = machine(accelerator("a100-sxm-80gb"), Method(), calibration())
    plain, flash = (
        _time(MEGATRON_22B, 2048, "a100-sxm-80gb", Layout(), Recipe(flash_attention=each), 1).traffic
        for each in (False, True)
    )
    with_dropout = _time(MEGATRON_22B, 2048, "a100-sxm-80gb", Layout(), UNFUSED, 1).traffic
    scores = 48 * 64 * 2048 * 2048
    statistics = 3 * 2 * rates.traffic_factor * 4 * 48 * 64 * 2048
    masks = 3 * 2 * rates.traffic_factor * 96 * 6144 * 2048
    assert (plain - flash) * rates.memory == pytest.approx(3 * 2 * 2 * scores - statistics)
    assert (with_dropout - flash) * rates.memory == pytest.approx(3 * 2 * 5 * scores + masks - statistics)


def test_narrow_heads_wait_for_exponentials() -> None:
    """64 heads of 64 do the FLOPs of 32 heads of 128: d / (d + d0) of each, so (1 + d0 / 64) over (1 + d0 / 128), with
    the rate that of heads of 128."""
    rates = machine(accelerator("h100-sxm"), Method(), calibration())
    usual, narrow = (_gpt(4096, 2, n, n, 16384, 32000, gated=False) for n in (32, 64))
    seconds = [_time(model, 4096, "h100-sxm", Layout(), Recipe(), 1).attention for model in (usual, narrow)]
    assert seconds[0] * rates.scores == pytest.approx(3.5 * 4096 * 2 * 2 * 2 * 4096 * 2048, rel=1e-3)
    assert seconds[1] / seconds[0] == pytest.approx(1 + rates.head_width * (1 / 64 - 1 / 128))
    assert 1.2 < seconds[1] / seconds[0] < 1.6  # 648 over 497 TFLOP/s in FlashAttention-3


def test_the_bubble_is_pp_less_one_micro_batches_over_the_chunks() -> None:
    plain = _time(LLAMA_8B, 4096, "h100-sxm", Layout(pp=4), Recipe(), 8)
    once = calibration()["step_seconds"]
    busy = plain.total - plain.bubble - plain.data_parallel - plain.optimizer - once
    # The head is the last stage's: the others fill and drain without it.
    rates = machine(accelerator("h100-sxm"), Method(), calibration())
    head = 8 * (1 + rates.growth * 2) * 6 * 4096 * 128256 * 4096 / rates.head
    assert plain.bubble == pytest.approx(3 / 8 * (busy - head))


def test_one_gpu_talks_to_nobody() -> None:
    step = _time(LLAMA_8B, 2048, "h100-sxm", Layout(), Recipe(), 1)
    talk = step.tensor_parallel, step.expert_parallel, step.context_parallel, step.pipeline, step.data_parallel
    assert talk == (0, 0, 0, 0, 0)


def test_full_recomputation_repeats_the_forward_pass() -> None:
    plain = _time(LLAMA_8B, 2048, "h100-sxm", Layout(), Recipe(), 1)
    full = _time(LLAMA_8B, 2048, "h100-sxm", Layout(recompute="full"), Recipe(), 1)
    rates = machine(accelerator("h100-sxm"), Method(), calibration())
    # Weights are read twice and their gradients read and written in fp32, 12 bytes in all, once a micro-batch.
    weights = 12 * 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336 + 2 * 4096) / rates.memory
    head = plain.matmul / 3 - full.recompute + plain.attention / 3.5 + (plain.traffic - weights) / 3
    assert head == pytest.approx(2 * 2048 * 128256 * 4096 / rates.head)
    assert (full.matmul, full.attention, full.traffic) == (plain.matmul, plain.attention, plain.traffic)


def test_the_band_brackets_the_prediction_and_efficiencies_are_shares() -> None:
    for band in bands().values():
        assert 0.4 < band.low < 1 < band.high < 2
    widest = bands()["not measured"]
    assert all(widest.low <= band.low and band.high <= widest.high for band in bands().values())
    assert all(0 < value <= 1 for name, value in calibration().items() if name.startswith(("matmul", "scores")))


def test_grouped_products_of_pytorch_narrow_less_launch_less_and_move_less() -> None:
    """48 layers, 8 of 128 experts a token, 768 wide: 48 x 8 x 3 x 2048 x 768 weights, and 48 x 8 x (2048 + 3 x 768)
    elements kept, of each token. Half of the rate is reached at 460, under Megatron at 1160. Four passes of tokens
    forward and four backward are 8 / 3 of what is counted three times."""
    model = catalog.architecture("qwen3-30b-a3b")
    profile, layout, gpu = model_profile(model, 4096), Layout(dp=8, ep=8, zero_stage=3), accelerator("h100-sxm")
    weights, kept = 48 * 8 * 3 * 2048 * 768, 2 * 48 * 8 * (2048 + 3 * 768)
    fsdp, megatron = (Method(recipe=Recipe(stack=stack)) for stack in ("fsdp", "megatron"))
    rates = machine(gpu, fsdp, calibration())
    steps = [
        step_time(profile, layout, method, rates=machine(gpu, method, calibration()), n_micro=1)
        for method in (fsdp, megatron)
    ]
    waits = 1 + 0.00904 * 3  # eight GPUs wait for the slowest
    spared = waits * 6 * 4096 * weights * (1160 - 460) / 768 / (0.7778 * 989.5e12)
    assert steps[1].matmul - steps[0].matmul == pytest.approx(spared, rel=1e-3)
    alike = step_time(profile, layout, fsdp, rates=replace(rates, expert_traffic=rates.traffic_factor), n_micro=1)
    moved = waits * 3 * 4096 * 2 * (1.517 - 0.5) * kept / (0.85 * 3.35e12)
    assert alike.traffic - steps[0].traffic == pytest.approx(moved, rel=1e-3)
    permuted = step_time(profile, layout, fsdp, rates=replace(rates, permute=5 + 8 / 3), n_micro=1)
    passed = waits * 3 * 4096 * 2 * 5 * 48 * 8 * 2048 / (0.85 * 3.35e12)
    assert permuted.traffic - steps[0].traffic == pytest.approx(passed, rel=1e-3)
    assert (rates.expert_seconds, machine(gpu, megatron, calibration()).expert_seconds) == (0.001, 0.008193)
