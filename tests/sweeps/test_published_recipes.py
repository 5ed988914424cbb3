"""Prose of published tables on recomputation and offloading, in the grammar that plans read."""

import polars as pl
import pytest

from sizebook.sweeps.published_recipes import normalised, with_normalised_recipes
from sizebook.sweeps.training import sweep
from sizebook.training.recipe_grammar import read_offload, read_recomputation


@pytest.mark.parametrize(
    ("prose", "every", "first"),
    [
        ("selective layer", 2, 0),  # torchtitan's default frequency
        ("selective_ac_option=3", 3, 0),
        ("every other layer", 2, 0),
        ("every 4th layer", 4, 0),
        ("1/3 of layers", 3, 0),
        ("5 layers", 0, 5),
        ("1 layer", 0, 1),
        ("block recomputation of 5 layers", 0, 5),
        ("full, block, 1 layer", 0, 1),
        ("recompute_granularity=full recompute_method=block recompute_num_layers=5", 0, 5),
        ("--recompute-granularity full --recompute-method block --recompute-num-layers 5", 0, 5),
        ("first 3 layers of each pipeline stage recomputed", 0, 3),
    ],
)
def test_layers(prose: str, every: int, first: int) -> None:
    found = read_recomputation(normalised("", prose, "")[1])
    assert found.layers is not None and (found.layers.every, found.layers.first) == (every, first)
    assert not found.unread


@pytest.mark.parametrize(
    "prose",
    ["selective ac", "0 layers", "uniform 4 layers", "5 layers, every 2nd layer", "4 layers 5 layers", "mlp 5 layers",
     "remat_policy=full 5 layers", "no AC"],
)  # fmt: skip
def test_prose_without_a_form_stays_unread(prose: str) -> None:
    recompute, modules, _ = normalised("", prose, "")
    found = read_recomputation(modules)
    assert recompute == "" and found.layers is None and found.unread


@pytest.mark.parametrize(
    ("prose", "kind"),
    [
        ("selective op", "every-other-matmul"),
        ("selective op (llama3_8b.toml)", "every-other-matmul"),
        ("per-op SAC", "every-other-matmul"),
        ("selective_ac_option=op", "every-other-matmul"),
        ("activation checkpointing", "full"),
        ("gradient_checkpointing (finetune scripts)", "full"),
        ("full", "full"),
        ("--recompute-method uniform --recompute-num-layers 1", "full"),
    ],
)
def test_prose_that_names_a_kind_becomes_recompute(prose: str, kind: str) -> None:
    """It fills a blank ``recompute``, adds nothing to the same value, and stays unread beside another."""
    assert normalised("", prose, "") == normalised(kind, prose, "") == (kind, "", "")
    recompute, modules, _ = normalised("selective", prose, "")
    assert recompute == "selective" and read_recomputation(modules).unread


@pytest.mark.parametrize(
    ("prose", "policy"),
    [
        ("SAVE_DOT_ONLY", "save_dot_only"),
        ("custom remat policy", "custom"),
        ("remat minimal_flash", "minimal_flash"),
        ("remat_policy=full", "full"),
    ],
)
def test_policies(prose: str, policy: str) -> None:
    assert normalised("", prose, "") == ("", f"remat_policy={policy}", "")


@pytest.mark.parametrize(
    ("prose", "form"),
    [
        ("activations to host", "activations"),
        ("activations of 20 layers to CPU", "activations of 20 layers"),
        ("activations of fused_group_mlp", "activations of mlp"),
        ("optimizer on CPU", "optimizer"),
        ("optimizer in host memory (ZeRO-Offload)", "optimizer"),
    ],
)
def test_offloads(prose: str, form: str) -> None:
    assert normalised("none", "none (granularity null)", prose) == ("none", "none", form)
    assert not read_offload(form).unread


def test_a_sweep_reads_prose_as_its_form() -> None:
    row = {"model": "llama-3-8b", "gpu": "h100-sxm", "gpus": 8, "tokens": "1T", "batch": 64, "dtype": "bf16"}
    prose, form = (
        sweep(pl.DataFrame([row | given]))
        for given in ({"recompute_modules": "per-op SAC", "offload": "optimizer on CPU"},
                      {"recompute": "every-other-matmul", "offload": "optimizer"})
    )  # fmt: skip
    assert prose["recompute_modules"].to_list() == ["per-op SAC"]
    assert prose["recipe"].to_list() == ["every-other-matmul recomputation, on the host: optimizer"]
    assert prose["step_seconds"].to_list() == form["step_seconds"].to_list()
    assert with_normalised_recipes(pl.DataFrame([row])).columns == list(row)
