"""A key that a config leaves out: the count is that of the type's default, or the file is refused; never a third."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.huggingface import architecture
from tests.models.counts import counted


def _count(config: dict[str, Any]) -> dict[str, Any] | None:
    try:
        return counted(config)
    except SizebookError:
        return None


def test_every_key_of_every_default_config_left_out(shared: Path) -> None:
    """The files hold every key at its default, so leaving one out must not change what is counted."""
    wrong, tried = [], 0
    for path in sorted((shared / "configs" / "defaults").glob("*.json")):
        config = json.loads(path.read_text(encoding="utf-8"))
        whole = _count(config)
        if whole is None:
            continue
        for key in config.keys() - {"architectures", "model_type"}:
            tried += 1
            without = _count({name: value for name, value in config.items() if name != key})
            if without not in (None, whole):
                wrong.append((path.name, key))
    assert tried > 5000
    assert wrong == []


LLAMA = {"model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "vocab_size": 100}


def test_what_the_class_of_the_type_gives_is_said() -> None:
    """Llama's class is 11,008 wide within its blocks: a layer is 4 x 64^2 + 3 x 64 x 11,008 + 2 x 64."""
    described = architecture(Config(LLAMA, "config.json"))
    layers = 2 * (4 * 64**2 + 3 * 64 * 11008 + 2 * 64)
    assert count(described).total == 2 * 100 * 64 + layers + 64
    assert described.notes == (
        "the file leaves out what the class of its model type gives: 'intermediate_size' = 11008 in config.json",
    )


def test_a_section_that_is_left_out_is_that_of_the_class() -> None:
    """PaliGemma without sections: SigLIP and Gemma at the sizes of its class, as transformers 5.23 builds it."""
    described = architecture(Config({"model_type": "paligemma"}, "config.json"))
    assert count(described).total == 2_910_390_528
    assert described.notes == (
        "the file leaves out what the class of its model type gives: the whole 'text_config' in config.json, "
        "the whole 'vision_config' in config.json",
    )


def test_null_is_no_key_left_out() -> None:
    with pytest.raises(SizebookError, match=r"^missing key: got no 'intermediate_size' in config.json, want a whole"):
        architecture(Config({**LLAMA, "intermediate_size": None}, "config.json"))


def test_what_two_classes_build_differently_is_refused() -> None:
    """A class of the language model alone may build no tower: one that the file does not describe is not assumed."""
    config = {"model_type": "llava", "architectures": ["LlavaForCausalLM"], "text_config": LLAMA}
    with pytest.raises(SizebookError, match=r"^missing section: got no 'vision_config' in config.json, want what it"):
        architecture(Config({**config}, "config.json"))
