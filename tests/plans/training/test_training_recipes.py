"""What single recipes save of memory, worked out by hand, and which one a run takes that states none."""

from dataclasses import replace

import pytest

from sizebook.models import catalog
from sizebook.plans.training.rows import work_of_row
from sizebook.plans.training.search import search
from sizebook.training.activations import kept_bytes
from sizebook.training.frameworks import stack
from sizebook.training.layout import Layout
from sizebook.training.memory import Memory, memory
from sizebook.training.profile import model_profile
from sizebook.training.recipe import Method, Recipe
from sizebook.training.recipe_choice import candidates
from tests.plans.training.training_runs import training_row

DENSE, MIXED = "llama-3-8b", "deepseek-v3"


def _kept(model: str, method: Method, layout: Layout | None = None) -> float:
    profile = model_profile(catalog.architecture(model), 4096)
    return kept_bytes(profile.whole, layout or Layout(recompute="none"), method, profile)


def _memory(model: str, layout: Layout, recipe: Recipe, n_micro: int = 1) -> Memory:
    profile = model_profile(catalog.architecture(model), 4096)
    return memory(profile, layout, Method(recipe=recipe), n_micro=n_micro)


@pytest.mark.parametrize(
    ("model", "modules", "saved"),
    [
        # 61 layers: 128 heads of 192 for queries, 256 for keys and values, keys of 192 assembled once more; 2 bytes.
        (MIXED, "mla_up_proj", 61 * 2 * (128 * 192 + 128 * 256 + 128 * 192)),
        # What 58 layers' eight experts of width 2048 put into their last matrix.
        (MIXED, "moe_act", 58 * 2 * 8 * 2048),
        # 32 layers of two norms of width 4096.
        (DENSE, "layernorm", 32 * 2 * 2 * 4096),
        # Gate, up and what enters the last matrix, of width 14336 each.
        (DENSE, "mlp", 32 * 2 * 3 * 14336),
    ],
)
def test_what_recomputing_one_module_saves_a_token(model: str, modules: str, saved: int) -> None:
    whole, less = (_kept(model, Method(recipe=Recipe(recompute_modules=names))) for names in ("", modules))
    assert whole - less == saved


def test_fp8_keeps_the_inputs_of_matrices_in_one_byte() -> None:
    # Two normed inputs of 4096 and one of 14336 in each of 32 layers; what attention returns it keeps itself.
    assert _kept(DENSE, Method()) - _kept(DENSE, Method(compute_dtype="fp8")) == 32 * (2 * 4096 + 14336)


def test_activations_of_half_of_the_layers_move_to_the_host() -> None:
    layout = Layout(dp=8, zero_stage=3, recompute="none")
    here, half = (_memory("llama-3-70b", layout, Recipe(offload=text)) for text in ("", "activations of 40 layers"))
    profile = model_profile(catalog.architecture("llama-3-70b"), 4096)
    whole = 4096 * kept_bytes(profile.whole, layout, Method(), profile)
    assert here.activations - half.activations == pytest.approx(whole / 2)


def test_an_optimizer_on_the_host_leaves_weights_and_gradients() -> None:
    found = _memory(DENSE, Layout(recompute="none"), Recipe(offload="optimizer"))
    assert (found.master_weights, found.optimizer_states) == (0, 0)
    assert (found.weights, found.gradients) == (2 * 8_030_261_248, 4 * 8_030_261_248)


def test_formats_of_gradients_and_states() -> None:
    narrow = Recipe(gradient_dtype="bf16", optimizer_dtype="bf16")
    found = _memory(DENSE, Layout(recompute="none"), narrow)
    assert (found.gradients, found.optimizer_states) == (2 * 8_030_261_248, 4 * 8_030_261_248)
    # Shards of FSDP are their own master copies, so that states in bf16 mean bf16 throughout.
    shards = _memory(DENSE, Layout(recompute="none"), replace(narrow, stack="fsdp", gradient_dtype=None), n_micro=2)
    assert (shards.weights, shards.gradients, shards.master_weights) == (2 * 8_030_261_248, 2 * 8_030_261_248, 0)


def test_hybrid_shards_are_spread_over_fewer_ranks() -> None:
    whole, hybrid = (_memory(DENSE, Layout(dp=64, zero_stage=3, fsdp=n), Recipe(stack="fsdp"), 2) for n in (None, 8))
    assert hybrid.weights == 8 * whole.weights
    assert Layout(dp=64, fsdp=8, cp=2).shards == 16


def test_four_bits_leave_embeddings_and_head_in_sixteen() -> None:
    found = _memory(DENSE, Layout(recompute="none"), Recipe(stack="fsdp", lora_rank=8, frozen_bits=4))
    outside = 2 * 128_256 * 4096 + 4096
    adapters = 8 * 32 * (2 * (4096 + 4096) + 2 * (4096 + 1024))
    assert found.weights == pytest.approx(0.516 * (8_030_261_248 - outside) + 2 * outside + 2 * adapters)


def test_fine_tuning_in_pytorch_keeps_what_its_recipes_do() -> None:
    """By hand: bf16 throughout and two and a half bytes a logit. Kernels one by one keep, a layer and token, an fp32
    copy of what two norms read (two bytes more each), what leaves the activation function (two bytes) and a byte of
    mask for each input of a matrix with an adapter."""
    layout = Layout(recompute="none")
    whole = _memory(DENSE, layout, Recipe(stack="fsdp", optimizer_dtype="bf16"), 1)
    assert (whole.weights, whole.optimizer_states) == (2 * 8_030_261_248, 4 * 8_030_261_248)
    logits = 2.5 * 4096 * 128_256
    assert _memory(DENSE, Layout(recompute="full"), Recipe(stack="fsdp", lora_rank=8), 1).loss == logits
    bf16, fp32 = (
        _kept(DENSE, Method(recipe=Recipe(stack="fsdp", optimizer_dtype=each)), layout) for each in ("bf16", None)
    )
    assert bf16 - fp32 == 32 * (2 * 2 * 4096 + 2 * 14336)
    by_target = [_kept(DENSE, Method(recipe=Recipe(stack="fsdp", lora_rank=8, lora_on=on)), layout)
                 for on in ("attention", "query-value")]  # fmt: skip
    assert by_target[0] - by_target[1] == 32 * (4096 + 4096)


def test_products_with_four_bits_keep_their_outputs_and_inputs() -> None:
    layout = Layout(recompute="none")
    wide, narrow = (
        _kept(DENSE, Method(recipe=Recipe(stack="fsdp", lora_rank=8, frozen_bits=n)), layout) for n in (16, 4)
    )
    # Outputs of the four matrices with adapters (queries, keys, values, out); inputs of the block behind attention, of
    # its last matrix and half of what is normed. Two bytes each.
    outputs = 4096 + 2 * 1024 + 4096
    assert narrow - wide == 32 * 2 * (outputs + 14336 + 4096)


def test_gated_activations_keep_their_inputs_in_eight_bits_where_they_are_told_to() -> None:
    """A byte less for each element of both halves that enter SwiGLU, of experts too; plain functions keep theirs."""

    def spared(model: str, method: Method) -> float:
        narrow = replace(method, recipe=replace(method.recipe, fp8_activation_inputs=True))
        return _kept(model, method) - _kept(model, narrow)

    for dtype in ("bf16", "fp8"):
        assert spared(DENSE, Method(compute_dtype=dtype)) == 32 * 2 * 14336
    # Three dense layers, and 58 of eight routed experts and a shared one.
    assert spared(MIXED, Method()) == 3 * 2 * 18432 + 58 * (8 + 1) * 2 * 2048
    assert spared("nemotron-4-15b", Method()) == 0
    without = Method(recipe=Recipe(recompute_modules="mlp"))
    assert spared(DENSE, without) == 0


# MLPerf Training v5.0, Llama 2 70B LoRA of NVIDIA: attention alone has adapters, nothing is recomputed, FP8_ACT=1.
LORA_70B = {"model": "llama-2-70b", "gpus": 8, "batch": 8, "seq": 8192, "recompute": "none", "lora_rank": 16,
            "lora_on": "attention", "frozen_bits": 8, "zero_stage": 1}  # fmt: skip


@pytest.mark.parametrize("gpu", ["b200-sxm", "gb200"])
def test_a_run_that_fitted_with_activation_inputs_in_fp8_fits(gpu: str) -> None:
    """186 GiB with both halves in bf16, 80 x 57 344 bytes a token less in fp8."""
    row = {**LORA_70B, "gpu": gpu, "compute_dtype": "fp8", "tp": 1, "pp": 1}
    work = work_of_row(row)
    assert work.fits
    assert work.recipe == "nothing recomputed, gradients in bf16, fused loss, activation inputs in fp8"
    wide = work_of_row({**row, "fp8_activation_inputs": "no"})
    assert not wide.fits
    assert wide.fullest.activations - work.fullest.activations == pytest.approx(80 * 57_344 * 8192)


@pytest.mark.parametrize("changes", [{"compute_dtype": "bf16"}, {"compute_dtype": "fp8", "stack": "fsdp"}])
def test_nothing_else_goes_to_eight_bits_unasked(changes: dict[str, str]) -> None:
    """Who multiplies in 16 bits, and PyTorch, have no such setting; stated it holds."""
    row = {**LORA_70B, "gpu": "b200-sxm", **changes}
    assert "activation inputs" not in work_of_row(row).recipe
    assert "activation inputs in fp8" in work_of_row({**row, "fp8_activation_inputs": "yes"}).recipe


def test_a_search_takes_eight_bit_inputs_only_where_it_is_told_to() -> None:
    """One sequence of 70B with adapters whole on each GPU needs them: unasked, the search leaves that layout alone."""
    setup = work_of_row({**LORA_70B, "gpu": "b200-sxm", "compute_dtype": "fp8"}).setup

    def names(told: bool | None) -> list[str]:
        recipe = Recipe(lora_rank=16, lora_on="attention", frozen_bits=8, fp8_activation_inputs=told)
        asked = replace(setup, method=Method(compute_dtype="fp8", recipe=recipe))
        return [each.layout.name for each in search(asked, {"recompute": "none"}, top=50).best]

    whole = "TP1 PP1 DP8 ZeRO-1 mb1"
    assert whole in names(True)
    assert whole not in names(None)


def test_the_lightest_recipe_comes_first_and_stated_settings_stay() -> None:
    free = [(layout.recompute, method.recipe.gradient_dtype) for layout, method in candidates(Layout(), Method())]
    assert free[0] == ("none", None)
    assert free[-1] == ("full", "bf16")
    stated = Method(recipe=Recipe(gradient_dtype="fp32"))
    held = list(candidates(Layout(recompute="none"), stated))
    assert {layout.recompute for layout, _ in held} == {"none"}
    assert {method.recipe.gradient_dtype for _, method in held} == {"fp32"}
    assert {method.recipe.recompute_modules for _, method in held} == {""}


# 14.8e12 tokens on 2 048 H800 in pipelines of 16 (DeepSeek-V3, arXiv:2412.19437): the report says no tensor
# parallelism and recomputes norms and latent up-projections; nothing at all would need more than 80 GB.
V3 = {"model": MIXED, "gpu": "h800-sxm", "gpus": 2048, "batch": 15360, "seq": 4096, "pp": 16, "ep": 64}


def test_deepseek_v3_fits_as_its_report_trained_it() -> None:
    work = work_of_row({**V3, "compute_dtype": "fp8"})
    assert work.fits
    assert work.layout.recompute == "none"
    assert work.setup.method.recipe.recomputed.modules == {"layernorm", "moe_act", "mla_up_proj"}
    bare = work_of_row({**V3, "compute_dtype": "fp8", "recompute": "none", "gradient_dtype": "fp32"})
    assert not bare.fits


# Llama-3.1-405B on 16 384 H100 (arXiv:2407.21783, table 4): 126 layers in 128 chunks.
def test_llama_405b_fits_as_it_was_trained() -> None:
    row = {"model": "llama-3.1-405b", "gpu": "h100-sxm", "gpus": 16384, "batch": 2048, "seq": 8192, "tp": 8, "pp": 16}
    for interleave in (1, 8):
        work = work_of_row({**row, "interleave": interleave})
        assert work.fits
        assert work.layout.recompute == "none"


def test_a_table_reads_every_setting_of_a_run_and_names_its_recipe() -> None:
    row = {
        "model": DENSE, "gpu": "h100-sxm", "gpus": "16", "batch": "16", "seq": "8192", "tp": "1",
        "tokens": "1e9", "zero_stage": "3", "fsdp": "8", "hsdp": "yes", "stack": "fsdp", "recompute": "",
        "optimizer_dtype": "bf16", "recompute_modules": "layernorm", "offload": "activations", "etp": "1",
        "lora_rank": "", "lora_on": "", "frozen_bits": "", "optimizer": "adamw", "price_usd_per_gpu_hour": "2",
        "grams_per_kwh": "400",
    }  # fmt: skip
    found = training_row(row)
    assert found["reason"] == ""
    assert found["recipe"] == "layernorm recomputed, optimizer states in bf16, on the host: activations"
    assert found["run_family"].startswith("dense hopper")


def test_stacks_say_what_they_keep_narrow() -> None:
    assert [stack(name).narrow_inputs for name in ("megatron", "fsdp", "deepspeed", "xla")] == [1, 1, 0, 0]


@pytest.mark.parametrize(("tp", "shards", "said"), [(8, 1, True), (4, 2, False)])
def test_hybrid_shards_that_a_node_has_no_room_for_are_named(tp: int, shards: int, said: bool) -> None:
    """Eight H100 share NVLink: TP8 leaves one data-parallel rank there, so that hybrid shards are the whole model."""
    row = {"model": DENSE, "gpu": "h100-sxm", "gpus": 64, "batch": 64, "seq": 8192, "tp": tp, "hsdp": True}
    work = work_of_row({**row, "zero_stage": 3, "stack": "fsdp", "recompute": "full"})
    assert work.layout.fsdp == shards
    assert ("hsdp, as no two data-parallel ranks share a scale-up domain" in work.unread) == said


@pytest.mark.parametrize(
    ("framework", "tp", "whole"), [("deepspeed", 8, True), ("deepspeed", 1, False), ("fsdp", 8, False)]
)
def test_norms_are_whole_where_the_framework_does_not_split_them(framework: str, tp: int, whole: bool) -> None:
    """BLOOM's Megatron-DeepSpeed: each of eight ranks keeps all channels of what enters a layer, where others keep
    an eighth."""
    row = {"model": DENSE, "gpu": "a100-sxm-80gb", "gpus": 8, "batch": 8, "seq": 8192, "tp": tp, "micro_batch": 1}
    asked = {**row, "zero_stage": 1, "stack": framework, "recompute": "full"}
    work = work_of_row(asked)
    assert work.layout.sequence_parallel is not whole
    assert ("sequence_parallel, which deepspeed has not" in work.unread) == whole
    stated = work_of_row({**asked, "sequence_parallel": not whole})
    assert stated.fullest == work.fullest and stated.step == work.step
    # 32 layers x 8192 tokens x 4096 channels x 2 bytes, on every rank or an eighth of it.
    kept = kept_bytes(work.profile.whole, work.layout, work.setup.method, work.profile) * 8192
    assert kept == pytest.approx(32 * 8192 * 4096 * 2 / (tp if tp > 1 and not whole else 1))
