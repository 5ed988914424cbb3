"""The second engine: where it is installed, it counts as the first one does."""

import importlib.util

import pytest

from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.huggingface import architecture
from sizebook.sources.torch_engine import count_on_meta
from tests.models.made_checkpoints import TINY, TINY_PARAMETERS


# The extra is several gigabytes on some machines, so the suite does not install it; the first engine is held to counts
# that transformers gave in tests/models and tests/published.
@pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="the extra 'torch' is not installed")
@pytest.mark.parametrize("changed", [{}, {"tie_word_embeddings": True}, {"attention_bias": True}, {"head_dim": 8}])
def test_both_engines_agree(changed: dict[str, object]) -> None:
    config = Config({**TINY, **changed}, "config.json")
    counted = count_on_meta(config)
    assert counted.total == count(architecture(config)).total
    assert changed or counted.total == TINY_PARAMETERS
    assert counted.built_as == "LlamaForCausalLM"
