"""A key that a config leaves out: the count is that of the type's default, or the file is refused; never a third."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sizebook.core.errors import SizebookError
from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.huggingface import architecture
from sizebook.models.type_defaults import section_defaults
from tests.models.counts import counted, small_configs


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
        "the whole 'vision_config' in config.json, 'projection_dim' = 2048 in config.json",
    )


def _removals() -> Iterator[tuple[dict[str, int], dict[str, Any], str, str]]:
    """Yield the parts of each config of distinct sizes, the config without one size of one section, and which it is."""
    for row in small_configs("distinct_counts.jsonl"):
        config, whole = row["config"], count(architecture(Config(dict(row["config"]), "config.json"))).parts
        for name, section in config.items():
            given = section_defaults(config["model_type"], name, section) if isinstance(section, dict) else {}
            for key in given:
                if isinstance(section.get(key), int | list) and not isinstance(section[key], bool):
                    rest = {other: value for other, value in section.items() if other != key}
                    yield whole, {**config, name: rest}, name, key


def test_every_size_that_a_section_leaves_out_is_said() -> None:
    """Where the count changes, because the section's class gives another size, a note names the size and the place."""
    silent, said, types = [], 0, set()
    for whole, without, section, key in _removals():
        try:
            described = architecture(Config(without, "config.json"))
        except SizebookError:
            continue
        if count(described).parts == whole:
            continue
        if any(f"'{key}' = " in note and f"in config.json, '{section}'" in note for note in described.notes):
            said, types = said + 1, types | {without["model_type"]}
        else:
            silent.append((without["model_type"], section, key))
    assert silent == []
    assert said > 1200
    assert len(types) > 80


def test_sections_that_say_no_more_than_their_type() -> None:
    """GLM 4.1V's sections by their types alone: each size taken is named with its place."""
    sections = {key: {"model_type": f"glm4v_{key[:-7]}"} for key in ("text_config", "vision_config")}
    described = architecture(Config({"model_type": "glm4v", **sections}, "config.json"))
    assert count(described).total == 10_292_777_472
    assert "'hidden_size' = 4096 in config.json, 'text_config'" in described.notes[0]
    assert "'hidden_size' = 1536 in config.json, 'vision_config'" in described.notes[0]


def test_what_a_whole_puts_into_its_section() -> None:
    """Voxtral's class fills in 3072 where Llama's own would be 4096 wide, whatever else the section says."""
    described = architecture(Config({"model_type": "voxtral", "text_config": {"model_type": "llama"}}, "config.json"))
    assert described.d_model == 3072
    assert "'hidden_size' = 3072 in config.json, 'text_config'" in described.notes[0]


def test_a_section_of_another_type_takes_what_the_class_of_the_whole_gives() -> None:
    """Qwen 2.5 VL reads a section of Qwen 2 as its own: 8192 wide, where Qwen 2's class would be 4096."""
    sections = {"text_config": {"model_type": "qwen2"}, "vision_config": {}}
    assert architecture(Config({"model_type": "qwen2_5_vl", **sections}, "config.json")).d_model == 8192
