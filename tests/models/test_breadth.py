"""Models asked for by name: counted by a tested mapping, in the catalog or said not to be, or refused and listed."""

import re
from pathlib import Path

import pytest

from sizebook.core.errors import UnknownKeyError
from sizebook.core.tables import by_key
from tests.models.counts import counted

PAGE = (Path(__file__).parents[2] / "docs" / "architectures.md").read_text(encoding="utf-8")
# Model types, and a row of the catalog where there is one.
COUNTED = {
    "aya_vision": "aya-vision-8b",
    "arctic": "arctic-instruct",
    "bailing_moe": "ling-lite",
    "bailing_moe_v2": "ling-mini-2.0",
    "bert": "jina-embeddings-v2-base-en",
    "cohere2_vision": "command-a-vision",
    "deepseek_vl_v2": "deepseek-vl2",
    "dinov2": "dinov2-base",
    "ernie4_5_moe_vl": "",
    "ernie4_5_vl_moe": "ernie-4.5-vl-28b-a3b",
    "exaone": "exaone-3.5-7.8b",
    "gemma3n": "gemma-3n-e4b",
    "glm4v_moe": "glm-4.5v",
    "idefics2": "idefics2-8b",
    "internvl_chat": "internvl2.5-8b",
    "kimi_k3": "kimi-k3",
    "kimi_vl": "kimi-vl-a3b",
    "minimax_m1": "minimax-m1",
    "minimax_text_01": "minimax-text-01",
    "mistral4": "mistral-small-4-119b",
    "nemotron-nas": "llama-3.1-nemotron-ultra-253b",
    "new": "gte-base-en-v1.5",
    "nvembed": "nv-embed-v2",
    "phi3_v": "phi-3.5-vision",
    "phi4_multimodal": "phi-4-multimodal",
    "qwen3_omni_moe": "qwen3-omni-30b-a3b",
    "rwkv7": "rwkv-7-world-0.4b",
    "siglip": "siglip-so400m-patch14-384",
    "step3_text": "step-3",
    "step3_vl": "",
    "step3p5": "step-3.5-flash",
    "step3p7": "step-3.7-flash",
    "vit": "vit-base-patch16-224",
    "wav2vec2": "wav2vec2-base-960h",
    "wavlm": "wavlm-base",
}


def test_the_page_says_which_of_them_the_catalog_lacks() -> None:
    said = re.search(r"Counted, and without a row in the catalog .*?: (.*?); the parts of", PAGE, re.DOTALL)
    assert said is not None
    assert re.findall(r"`([^`]+)`", said[1]) == sorted(name for name, row in COUNTED.items() if not row)
    assert {row for row in COUNTED.values() if row} <= by_key("models", "key").keys()


@pytest.mark.parametrize(("model_type", "listed"), [("grok-1", "Grok-1 and 2")])
def test_what_could_not_be_verified_is_refused_and_listed(model_type: str, listed: str) -> None:
    with pytest.raises(UnknownKeyError, match=f"^unknown model type: got '{model_type}' in config.json"):
        counted({"model_type": model_type, "hidden_size": 64})
    assert f"\n| {listed} |" in PAGE
