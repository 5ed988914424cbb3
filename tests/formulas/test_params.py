"""Closed forms against figures worked out by hand, published tables, and each other."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizebook.core.tables import read
from sizebook.formulas import params
from sizebook.functions import load

load()
PUBLISHED = Path(__file__).resolve().parents[1] / "published"


@pytest.mark.parametrize("row", read(PUBLISHED / "gpt3_table_2_1.csv"), ids=lambda r: r["name"])
def test_gpt3_table(row: dict[str, str]) -> None:
    """Within 2 % of the published figure, but for XL, whose 24 heads contradict its width."""
    n_layers, d_model, n_heads, d_head = (int(row[k]) for k in ("n_layers", "d_model", "n_heads", "d_head"))
    published = int(row["published_total"])
    computed = params.params_gpt(n_layers, d_model, n_heads, d_head, 50257, 2048)
    if row["name"] == "GPT-3 XL":
        assert computed == 1_516_406_784
        n_heads = 16
        computed = params.params_gpt(n_layers, d_model, n_heads, d_head, 50257, 2048)
    assert computed == pytest.approx(published, rel=0.02)


def test_original_transformer_table() -> None:
    base, big = read(PUBLISHED / "transformer_table_3.csv")
    totals = [
        params.params_transformer(*(int(row[k]) for k in ("n_layers", "d_model", "d_ff", "vocab")), 0, "tied")
        for row in (base, big)
    ]
    assert totals == [63_082_496, 214_245_376]
    assert totals[1] == pytest.approx(int(big["published_total"]), rel=0.006)
    # Reaching the paper's 65 M takes a vocabulary of about 40,800 (errata).
    missing = int(base["published_total"]) - totals[0]
    assert 37000 + missing / 512 == pytest.approx(40_800, rel=0.005)


sizes = st.integers(1, 512)


@given(n_heads=sizes, d_head=sizes)
def test_attention_with_full_heads_is_mha(n_heads: int, d_head: int) -> None:
    width = n_heads * d_head
    assert params.params_attention(width, n_heads, d_head) == params.params_mha(width)


@given(n_layers=sizes, d_model=sizes)
def test_kaplan_with_standard_widths_is_twelve_l_d_squared(n_layers: int, d_model: int) -> None:
    assert params.params_non_embedding(n_layers, d_model, d_model, 4 * d_model) == 12 * n_layers * d_model**2


@given(n_layers=sizes, d_model=sizes, d_ff=sizes, vocab=sizes)
def test_transformer_is_the_sum_of_its_parts(n_layers: int, d_model: int, d_ff: int, vocab: int) -> None:
    parts = (
        params.params_encoder(n_layers, d_model, d_ff)
        + params.params_decoder(n_layers, d_model, d_ff)
        + params.params_linear(d_model, vocab)
    )
    assert params.params_transformer(n_layers, d_model, d_ff, vocab) == parts


def test_formulas_take_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    assert params.params_mha(numpy.array([512, 1024])).tolist() == [1_050_624, 4_198_400]
    heads = numpy.array([8, 32])
    assert params.params_attention(4096, 32, 128, heads, False).tolist() == [41_943_040, 67_108_864]
