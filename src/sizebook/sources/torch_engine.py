"""The second counting engine: transformers builds the model from its config on PyTorch's meta device (extra `torch`).

Nothing is allocated, so any size can be built; but it takes seconds, and it counts what the installed transformers
builds, which may leave out layers that a checkpoint stores. It checks the first engine and steps in for types that only
transformers knows.
"""

import json
from dataclasses import dataclass
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.extras import need
from sizebook.models.config import Config
from sizebook.sources.writing import scratch_folder

# Classes with a head come first: a config that names no known class is counted as the model that generates.
AUTOMATIC = (
    "AutoModelForImageTextToText",
    "AutoModelForCausalLM",
    "AutoModelForSeq2SeqLM",
    "AutoModelForMaskedLM",
    "AutoModel",
)


@dataclass(frozen=True)
class MetaCount:
    """Parameters, tied ones once, and persistent buffers of a model as transformers builds it, and its class."""

    total: int
    buffers: int
    built_as: str


def count_on_meta(config: Config) -> MetaCount:
    """Return the count of the model that transformers builds from a config."""
    model = built_on_meta(config)
    stored = model.state_dict().keys()
    return MetaCount(
        total=sum(parameter.numel() for parameter in model.parameters()),
        buffers=sum(buffer.numel() for name, buffer in model.named_buffers() if name in stored),
        built_as=type(model).__name__,
    )


def built_on_meta(config: Config) -> Any:
    """Return the model that transformers builds from a config, tensors without numbers."""
    torch, transformers = _libraries()
    with scratch_folder() as folder:
        (folder / "config.json").write_text(json.dumps(config.values), encoding="utf-8")
        try:
            parsed = transformers.AutoConfig.from_pretrained(folder, trust_remote_code=False)
        except (ValueError, KeyError, OSError) as error:
            raise InputError(
                f"transformers cannot read it: got {str(error).splitlines()[0]} for {config.where}, want a config of a "
                "model type that the installed transformers knows. Upgrade transformers, or correct the config."
            ) from error
    with torch.device("meta"):
        model = _built(transformers, parsed)
    model.tie_weights()
    return model


def _built(transformers: Any, parsed: Any) -> Any:
    """Return the model of the class that the config names, else of the first automatic class that takes it."""
    for name in parsed.architectures or ():
        if hasattr(transformers, name):
            return getattr(transformers, name)._from_config(parsed)
    for name in AUTOMATIC:
        automatic = getattr(transformers, name)
        if type(parsed) in automatic._model_mapping:
            return automatic.from_config(parsed)
    raise InputError(
        f"no model class: got a config of {type(parsed).__name__}, want one that transformers builds a model from. "
        "Name it under 'architectures' in the config."
    )


def _libraries() -> tuple[Any, Any]:
    need("torch", instead="leave the option --engine out")
    import torch
    import transformers

    return torch, transformers
