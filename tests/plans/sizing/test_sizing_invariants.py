"""What holds of every sizing: parts sum to the total, shares to one, and a larger model or format never takes less."""

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizebook.core.quantities import dtype_keys
from sizebook.core.tables import by_key
from sizebook.models import catalog
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.plans.sizing.plan import Sizing, size_model

few = settings(max_examples=60)
DESCRIBED = sorted(key for key in catalog.model_keys() if catalog.facts(key)["architecture"])
DTYPES = st.sampled_from(dtype_keys())

CONFIGS = st.builds(
    lambda heads, group, d_head, d_ff, layers, vocab, tied: {
        "model_type": "llama", "num_attention_heads": heads * group, "num_key_value_heads": heads, "head_dim": d_head,
        "hidden_size": heads * group * d_head, "intermediate_size": d_ff, "num_hidden_layers": layers,
        "vocab_size": vocab, "max_position_embeddings": 2048, "tie_word_embeddings": tied,
    },
    st.integers(1, 8), st.integers(1, 8), st.sampled_from([32, 64, 128]), st.integers(1, 20_000), st.integers(1, 80),
    st.integers(1, 200_000), st.booleans(),
)  # fmt: skip


def sized(config: dict[str, Any], dtype: str = "bf16") -> Sizing:
    return size_model("made up", architecture(Config(config, "config.json")), dtype)


def holds(found: Sizing) -> None:
    total = found.count.total
    assert sum(part.parameters for part in found.parts) == total
    assert sum(part.derivation.value for part in found.parts) == total
    assert sum(part.share for part in found.parts) == pytest.approx(1)
    assert all(0 < part.share <= 1 for part in found.parts)
    assert 0 < found.count.active <= total
    bits = Fraction(by_key("dtypes", "dtype")[found.dtype]["bits_per_weight"])
    assert found.weight_bytes == math.ceil(total * bits / 8)
    by_bits = sorted(found.storage, key=lambda each: each.bits_per_weight)
    assert [each.n_bytes for each in by_bits] == sorted(each.n_bytes for each in by_bits)


@pytest.mark.parametrize("model", DESCRIBED)
def test_parts_of_every_model_of_the_catalog_sum_to_its_total(model: str) -> None:
    holds(size_model(model, catalog.architecture(model)))


@few
@given(CONFIGS, DTYPES)
def test_parts_of_any_decoder_sum_to_its_total_in_any_format(config: dict[str, Any], dtype: str) -> None:
    holds(sized(config, dtype))


@few
@given(CONFIGS, st.sampled_from(["num_hidden_layers", "intermediate_size", "vocab_size"]), st.integers(1, 1000))
def test_a_larger_model_never_has_fewer_parameters(config: dict[str, Any], name: str, more: int) -> None:
    less, greater = sized(config), sized(config | {name: config[name] + more})
    assert greater.count.total > less.count.total
    assert greater.weight_bytes > less.weight_bytes


@few
@given(CONFIGS)
def test_an_output_projection_of_its_own_is_a_vocabulary_more(config: dict[str, Any]) -> None:
    tied, untied = (sized(config | {"tie_word_embeddings": shared}).count.total for shared in (True, False))
    assert untied - tied == config["vocab_size"] * config["hidden_size"]


@few
@given(CONFIGS, st.data())
def test_a_wider_format_never_takes_fewer_bytes(config: dict[str, Any], data: st.DataObject) -> None:
    widths = {key: Fraction(row["bits_per_weight"]) for key, row in by_key("dtypes", "dtype").items()}
    one, other = data.draw(DTYPES), data.draw(DTYPES)
    narrow, wide = sorted((one, other), key=lambda key: widths[key])
    assert sized(config, narrow).weight_bytes <= sized(config, wide).weight_bytes
