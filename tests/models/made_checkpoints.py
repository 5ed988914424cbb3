"""Makes small safetensors files by hand, so that tests do not depend on the library that they check against."""

import json
from pathlib import Path

from sizebook.models.architecture import Architecture
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.models.verifying import predicted_names
from tests.models.checkpoints.making import safetensors

TINY = {
    "model_type": "llama",
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "vocab_size": 100,
    "tie_word_embeddings": False,
}
# By hand: 2 x 100 x 64 + 2 x (64 x (64 + 32) x 2 + 3 x 64 x 128 + 2 x 64) + 64
TINY_PARAMETERS = 86_848


def tiny() -> Architecture:
    return architecture(Config(dict(TINY), "config.json"))


def tiny_tensors() -> dict[str, tuple[int, ...]]:
    """Return the tensors of the tiny model under the names that Llama checkpoints use."""
    return {
        name if name.startswith("lm_head") else f"model.{name}": shape
        for name, shape in predicted_names(tiny()).items()
    }


def file_bytes(tensors: dict[str, tuple[int, ...]]) -> bytes:
    return safetensors({name: ("BF16", shape) for name, shape in tensors.items()})


def write(folder: Path, tensors: dict[str, tuple[int, ...]]) -> Path:
    (folder / "config.json").write_text(json.dumps(TINY))
    path = folder / "model.safetensors"
    path.write_bytes(file_bytes(tensors))
    return path
