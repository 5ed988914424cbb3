"""Policies of JAX: what they keep of layers that are computed again, worked out by hand for Llama 2 70B."""

from dataclasses import replace

import pytest

from sizebook.core.tables import table
from sizebook.models import catalog
from sizebook.plans.training.inputs import Setup
from sizebook.plans.training.work import Work, work_of
from sizebook.tables.hardware import accelerator
from sizebook.training.activations import kept_bytes, moved_bytes
from sizebook.training.layout import Layout
from sizebook.training.memory import memory
from sizebook.training.policy_effects import saved_share
from sizebook.training.profile import model_profile
from sizebook.training.quantities import Batches
from sizebook.training.recipe import Method, Recipe
from sizebook.training.recipe_grammar import OUTPUTS, read_recomputation

# Llama 2 70B: 80 layers of 8192, 64 heads of 128 with 8 of keys and values, feed-forward blocks of 28672.
D, KV, FF, LAYERS = 8192, 1024, 28_672, 80
QUERY_KEY_VALUE, OUT, UP, DOWN = D * (D + 2 * KV), D * D, 2 * D * FF, D * FF
ALL = QUERY_KEY_VALUE + OUT + UP + DOWN
LAYOUT = Layout(dp=64, fsdp=64, zero_stage=3, micro_batch=2)


def worked(words: str, recompute: str = "lightest") -> Work:
    setup = Setup(
        architecture=catalog.architecture("llama-2-70b"),
        gpu=accelerator("h100-sxm"),
        gpus=64,
        batches=Batches(batch=128, seq=4096),
        method=Method(recipe=Recipe(stack="fsdp", recompute_modules=words)),
    )
    return work_of(setup, replace(LAYOUT, recompute=recompute))


@pytest.mark.parametrize(
    ("words", "kept", "products_again"),
    [
        ("remat_policy=full", D, ALL - DOWN),
        ("remat_policy=save_qkv_proj", D + D + 2 * KV, OUT + UP),
        ("remat_policy=save_out_proj", D + D, QUERY_KEY_VALUE + UP),
        ("remat_policy=save_dot_except_mlp", D + D + 2 * KV + D, UP),
        ("remat_policy=save_dot_except_mlpwi", D + D + 2 * KV + D + D, UP),
        ("remat_policy=SAVE_DOT_ONLY", D + D + 2 * KV + D + 2 * FF + D, 0),
        ("remat_policy=custom; out_proj=device; mlpwo=device", D + D + D, QUERY_KEY_VALUE + UP),
        ("remat_policy=custom query_proj=device key_proj=device value_proj=device", D + D + 2 * KV, OUT + UP),
    ],
)
def test_a_policy_keeps_its_outputs_and_computes_the_rest(words: str, kept: int, products_again: int) -> None:
    profile, recipe = (
        model_profile(catalog.architecture("llama-2-70b"), 4096),
        Recipe(stack="fsdp", recompute_modules=words),
    )
    assert recipe.recomputed.policy is not None
    full = replace(LAYOUT, recompute="full")
    assert kept_bytes(profile.whole, full, Method(recipe=recipe), profile=profile) == 2 * LAYERS * kept
    share = saved_share(profile.whole, recipe.recomputed.policy, D)
    assert (1 - share.matrices) * ALL == pytest.approx(products_again, abs=1e-3)
    assert share.scores == 0
    # Full recomputation runs the layers once more, scores of 64 heads of 128 over 4096 keys among them.
    done = worked(words).flops_per_token
    assert done["hardware"] == pytest.approx(
        3 * (2 * LAYERS * ALL + 2 * D * 32_000) + 4 * (4 * LAYERS * D * 4096) + 2 * LAYERS * products_again
    )


def test_a_policy_that_keeps_what_attention_returns_scores_once() -> None:
    policy = read_recomputation("remat_policy=minimal_flash").policy
    assert policy is not None and policy.kept == frozenset(OUTPUTS)
    profile = model_profile(catalog.architecture("llama-2-70b"), 4096)
    assert saved_share(profile.whole, policy, D).scores == 1
    # Two bytes an element of input, q, k, v, context, its projection and the feed-forward's, and four a head.
    method = Method(recipe=Recipe(stack="fsdp", recompute_modules="remat_policy=minimal_flash"))
    kept = kept_bytes(profile.whole, replace(LAYOUT, recompute="full"), method, profile=profile)
    assert kept == LAYERS * (2 * (D + D + 2 * KV + D + D + 2 * FF + D) + 4 * 64)


def test_what_moves_to_the_host_is_not_on_the_gpu() -> None:
    profile = model_profile(catalog.architecture("llama-2-70b"), 4096)
    layout = replace(LAYOUT, recompute="full")
    on_device, on_host = (
        Method(recipe=Recipe(stack="fsdp", recompute_modules=f"remat_policy={name}"))
        for name in ("save_qkv_proj", "qkv_proj_offloaded")
    )
    assert moved_bytes(profile.whole, layout, on_device, profile=profile) == 0
    assert moved_bytes(profile.whole, layout, on_host, profile=profile) == 2 * LAYERS * (D + 2 * KV)
    here, there = (memory(profile, layout, each, n_micro=1).activations for each in (on_device, on_host))
    assert here - there == pytest.approx(2 * 4096 * 2 * LAYERS * (D + 2 * KV))
    # 13 GB over a link of 64 GB/s take 0.3 s, behind products of 4 s.
    assert worked("remat_policy=qkv_proj_offloaded").step == worked("remat_policy=save_qkv_proj").step


def test_more_that_is_kept_takes_less_time_and_more_memory() -> None:
    """From the slowest to the fastest, as MaxText's configuration orders its policies; full recomputation is slower."""
    names = ("full", "save_out_proj", "save_qkv_proj", "save_dot_except_mlp", "save_dot_with_context_except_mlp")
    done = [worked("", "full"), *(worked(f"remat_policy={name}") for name in names)]
    seconds = [each.step.total for each in done]
    assert seconds == sorted(seconds, reverse=True) and len(set(seconds)) == len(seconds)
    needed = [each.fullest.activations for each in done[1:]]
    assert needed == sorted(needed)


def test_a_policy_stands_for_what_is_recomputed() -> None:
    blank, full = worked("remat_policy=save_qkv_proj"), worked("remat_policy=save_qkv_proj", "full")
    assert blank.step == full.step and blank.fullest == full.fullest
    assert full.recipe.startswith("layers recomputed, kept: attention_in") and "not read" not in full.recipe
    assert worked("remat_policy=full").recipe.startswith("layers recomputed but for their last product")
    assumed = worked("remat_policy=custom").recipe
    assert assumed.startswith("layers recomputed, kept as of most custom policies: attention_in attention_out")


def test_what_names_no_policy_is_said() -> None:
    assert "not read: remat_policy=save_everything_else" in worked("remat_policy=save_everything_else").recipe
    assert worked("remat_policy=save_everything_else").step == worked("").step
    idle = worked("remat_policy=save_qkv_proj", "every-other-matmul")
    assert "not read: remat_policy=save_qkv_proj" in idle.recipe
    assert idle.step == worked("", "every-other-matmul").step
    # Half of an output that is computed again is computed again, whichever half is said first.
    halves = ("query_proj=remat key_proj=device", "key_proj=device query_proj=remat")
    found = [read_recomputation(f"remat_policy=custom out_proj=device {each}").policy for each in halves]
    assert [each.kept for each in found if each] == [{"attention_out"}] * 2
    # Words of Megatron are no policies.
    assert read_recomputation("full").policy is None and read_recomputation("mlp moe_act").policy is None


def test_every_policy_of_the_table_is_read_by_its_name() -> None:
    rows = table("training_policies")
    assert len(rows) > 15
    for row in rows:
        policy = read_recomputation(f"remat_policy={row['policy']}").policy
        assert policy is not None and policy.kept == frozenset(row["keeps"].split()) <= frozenset(OUTPUTS)
        assert policy.on_host == frozenset(row["on_host"].split())
        assert policy.is_assumed == (row["policy"] == "custom")
