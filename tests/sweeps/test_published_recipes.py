"""Prose of published tables on recomputation and offloading, in the grammar that plans read."""

import polars as pl
import pytest

from sizebook.sweeps.published_recipes import normalised, with_normalised_recipes
from sizebook.sweeps.training import sweep
from sizebook.training.recipe_grammar import read_offload, read_recomputation
from tests.row_lists import listed


@pytest.mark.parametrize(*listed("sweeps", "test_layers"))
def test_layers(prose: str, every: int, first: int) -> None:
    found = read_recomputation(normalised("", prose, "")[1])
    assert found.layers is not None and (found.layers.every, found.layers.first) == (every, first)
    assert not found.unread


@pytest.mark.parametrize(*listed("sweeps", "test_prose_without_a_form_stays_unread"))
def test_prose_without_a_form_stays_unread(prose: str) -> None:
    recompute, modules, _ = normalised("", prose, "")
    found = read_recomputation(modules)
    assert recompute == "" and found.layers is None and found.unread


@pytest.mark.parametrize(*listed("sweeps", "test_prose_that_names_a_kind_becomes_recompute"))
def test_prose_that_names_a_kind_becomes_recompute(prose: str, kind: str) -> None:
    """It fills a blank ``recompute``, adds nothing to the same value, and stays unread beside another."""
    assert normalised("", prose, "") == normalised(kind, prose, "") == (kind, "", "")
    recompute, modules, _ = normalised("selective", prose, "")
    assert recompute == "selective" and read_recomputation(modules).unread


@pytest.mark.parametrize(*listed("sweeps", "test_policies"))
def test_policies(prose: str, policy: str) -> None:
    assert normalised("", prose, "") == ("", f"remat_policy={policy}", "")


@pytest.mark.parametrize(*listed("sweeps", "test_offloads"))
def test_offloads(prose: str, form: str) -> None:
    assert normalised("none", "none (granularity null)", prose) == ("none", "none", form)
    assert not read_offload(form).unread


def test_a_sweep_reads_prose_as_its_form() -> None:
    row = {"model": "llama-3-8b", "gpu": "h100-sxm", "gpus": 8, "tokens": "1T", "batch": 64, "dtype": "bf16", "tp": 1}
    prose, form = (
        sweep(pl.DataFrame([row | given]))
        for given in ({"recompute_modules": "per-op SAC", "offload": "optimizer on CPU"},
                      {"recompute": "every-other-matmul", "offload": "optimizer"})
    )  # fmt: skip
    assert prose["recompute_modules"].to_list() == ["per-op SAC"]
    assert prose["recipe"].to_list() == ["every-other-matmul recomputation, on the host: optimizer"]
    assert prose["step_seconds"].to_list() == form["step_seconds"].to_list()
    assert with_normalised_recipes(pl.DataFrame([row])).columns == list(row)
