"""Closed forms against figures worked out by hand, published tables, and each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizebook.core.cells import call
from sizebook.core.errors import RangeError
from sizebook.core.registry import find
from sizebook.core.tables import read
from sizebook.formulas import params
from sizebook.functions import load

load()
PUBLISHED = Path(__file__).resolve().parents[1] / "published"


@pytest.mark.parametrize(
    ("name", "arguments", "value"),
    [
        ("PARAMS_MHA", {"d_model": 512}, 1050624),
        ("PARAMS_ATTENTION", {"d_model": 12288, "n_heads": 96, "d_head": 128, "bias": False}, 603979776),
        ("PARAMS_ATTENTION", {"d_model": 12288, "n_heads": 96, "d_head": 128, "n_kv_heads": 96, "bias": False},
         603979776),
        # Llama-3.1-8B: 2 x 4096 x 4096 + 2 x 4096 x 1024
        ("PARAMS_ATTENTION", {"d_model": 4096, "n_heads": 32, "d_head": 128, "n_kv_heads": 8, "bias": False}, 41943040),
        # Qwen2-7B has biases on q, k, v; ours adds the output's: 3584 x (3584 + 512) x 2 + 3584 + 2 x 512 + 3584
        ("PARAMS_ATTENTION", {"d_model": 3584, "n_heads": 28, "d_head": 128, "n_kv_heads": 4}, 29368320),
        ("PARAMS_FFN", {"d_model": 512, "d_ff": 2048}, 2099712),
        ("PARAMS_FFN", {"d_model": 4096, "d_ff": 14336, "bias": False, "gated": True}, 176160768),
        ("PARAMS_FFN", {"d_model": 512, "d_ff": 2048, "convention": "dashboard"}, 2098176),
        ("PARAMS_LN", {"d_model": 512}, 1024),
        ("PARAMS_LN", {"d_model": 512, "bias": False}, 512),
        ("PARAMS_ENCODER", {"n_layers": 6, "d_model": 512, "d_ff": 2048}, 18914304),
        ("PARAMS_DECODER", {"n_layers": 6, "d_model": 512, "d_ff": 2048}, 25224192),
        ("PARAMS_LINEAR", {"d_in": 512, "d_out": 37000}, 18981000),
        ("PARAMS_TRANSFORMER", {"n_layers": 6, "d_model": 512, "d_ff": 2048, "vocab": 37000}, 63119496),
        # the older spelling of 'exact'
        ("PARAMS_TRANSFORMER", {"n_layers": 6, "d_model": 512, "d_ff": 2048, "vocab": 37000, "convention": "post"},
         63119496),
        # errata: 63,082,496 with biases and norms, three-way tied; 63.2 M with 512 learned positions
        ("PARAMS_TRANSFORMER", {"n_layers": 6, "d_model": 512, "d_ff": 2048, "vocab": 37000, "convention": "tied"},
         63082496),
        # Kaplan's way by hand: 12 x 6 x 512^2 + 4 x 6 x 512 x 2048 + 37512 x 512
        ("PARAMS_TRANSFORMER", {"n_layers": 6, "d_model": 512, "d_ff": 2048, "vocab": 37000, "n_positions": 512,
                                "convention": "weights"}, 63246336),
        # 12 feed-forward biases too short by 1536 each against the first row
        ("PARAMS_TRANSFORMER", {"n_layers": 6, "d_model": 512, "d_ff": 2048, "vocab": 37000, "convention": "dashboard"},
         63119496 - 12 * 1536),
        ("PARAMS_EMBEDDING", {"n_entries": 50257, "d_model": 12288, "n_positions": 2048}, 642723840),
        ("PARAMS_NON_EMBEDDING", {"n_layers": 96, "d_model": 12288, "d_attn": 12288, "d_ff": 49152}, 173946175488),
        ("PARAMS_GPT", {"n_layers": 96, "d_model": 12288, "n_heads": 96, "d_head": 128, "vocab": 50257,
                        "n_positions": 2048}, 174588899328),
        ("PARAMS_DECODER_ONLY", {"n_layers": 24, "d_model": 1024, "d_ff": 4096, "vocab": 50000, "n_positions": 1024},
         354336768),
        # GPT-2 small as its checkpoint holds it
        ("PARAMS_DECODER_ONLY", {"n_layers": 12, "d_model": 768, "d_ff": 3072, "vocab": 50257, "n_positions": 1024,
                                 "projection_bias": True, "final_norm": True}, 124439808),
        ("PARAMS_DECODER_ONLY", {"n_layers": 12, "d_model": 768, "d_ff": 3072, "vocab": 50257, "n_positions": 1024,
                                 "projection_bias": True, "tied": False, "final_norm": True}, 124439808 + 50257 * 768),
    ],
)  # fmt: skip
def test_values(name: str, arguments: dict[str, object], value: int) -> None:
    assert call(name, *(arguments.get(a.name) for a in find(name).arguments)) == value


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


def test_heads_that_do_not_group_are_refused() -> None:
    with pytest.raises(RangeError) as caught:
        params.params_attention(512, 8, 64, 3)
    assert str(caught.value) == (
        "heads do not group: got n_heads 8 and n_kv_heads 3, want n_kv_heads to divide n_heads. Correct one of the two."
    )


def test_formulas_take_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    assert params.params_mha(numpy.array([512, 1024])).tolist() == [1_050_624, 4_198_400]
    heads = numpy.array([8, 32])
    assert params.params_attention(4096, 32, 128, heads, False).tolist() == [41_943_040, 67_108_864]
