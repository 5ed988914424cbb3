"""Makes small safetensors files by hand, so that tests do not depend on the library that they check against."""

import json
from pathlib import Path

from sizebook.models.architecture import Architecture
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.models.verifying import predicted_names

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


def file_bytes(tensors: dict[str, tuple[int, ...]], dtype: str = "BF16", width: int = 2) -> bytes:
    header, end = {}, 0
    for name, shape in tensors.items():
        size = width
        for extent in shape:
            size *= extent
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [end, end + size]}
        end += size
    return framed(json.dumps(header).encode()) + bytes(end)


def framed(header: bytes) -> bytes:
    return len(header).to_bytes(8, "little") + header


def write(folder: Path, tensors: dict[str, tuple[int, ...]]) -> Path:
    (folder / "config.json").write_text(json.dumps(TINY))
    path = folder / "model.safetensors"
    path.write_bytes(file_bytes(tensors))
    return path
