"""Sections that are published alone, against parameters that the repositories of the weights state."""

from __future__ import annotations

from typing import Any

import pytest

from sizebook.core.errors import UnknownKeyError
from tests.models.counts import counted


def _sizes(width: int, inner: int, layers: int, heads: int) -> dict[str, Any]:
    return {
        "hidden_size": width,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
    }


WORDS = {"vocab_size": 49408, "max_position_embeddings": 77}
LARGE = {**_sizes(1024, 4096, 24, 16), "image_size": 224, "patch_size": 14, "num_channels": 3, "projection_dim": 768}
PUBLISHED = [
    # Stable Diffusion 1.5's text_encoder, SDXL's text_encoder_2
    ("CLIPTextModel", {**_sizes(768, 3072, 12, 12), **WORDS, "projection_dim": 768}, 123_060_480),
    ("CLIPTextModelWithProjection", {**_sizes(1280, 5120, 32, 20), **WORDS, "projection_dim": 1280}, 694_659_840),
    # openai/clip-vit-large-patch14 and google/siglip-so400m-patch14-384, their towers
    ("CLIPVisionModel", LARGE, 303_179_776),
    ("CLIPVisionModelWithProjection", LARGE, 303_966_208),
    (
        "SiglipVisionModel",
        {**_sizes(1152, 4304, 27, 16), "image_size": 384, "patch_size": 14, "num_channels": 3},
        428_225_600,
    ),
    # Qwen 2.5 7B has 7,615,616,512, of which its head 152,064 x 3,584
    (
        "Qwen2_5_VLTextModel",
        {**_sizes(3584, 18944, 28, 28), "num_key_value_heads": 4, "vocab_size": 152_064},
        7_615_616_512 - 152_064 * 3_584,
    ),
]
TYPES = {
    "CLIPText": "clip_text_model",
    "CLIPVisi": "clip_vision_model",
    "SiglipVi": "siglip_vision_model",
    "Qwen2_5_": "qwen2_5_vl_text",
}


@pytest.mark.parametrize(("name", "sizes", "total"), PUBLISHED)
def test_encoders_of_pipelines(name: str, sizes: dict[str, Any], total: int) -> None:
    assert counted({"model_type": TYPES[name[:8]], "architectures": [name], **sizes})["total"] == total


def test_a_class_that_holds_more_is_refused() -> None:
    """A whole under a section's type would be counted without its tower."""
    sizes = {**_sizes(64, 96, 2, 4), "num_key_value_heads": 2, "vocab_size": 100}
    with pytest.raises(UnknownKeyError) as refused:
        counted({"model_type": "qwen2_5_vl_text", "architectures": ["Qwen2_5_VLForConditionalGeneration"], **sizes})
    assert str(refused.value) == (
        "not described: got 'architectures' = ['Qwen2_5_VLForConditionalGeneration'] in config.json, want "
        "Qwen2_5_VLTextModel first."
    )
