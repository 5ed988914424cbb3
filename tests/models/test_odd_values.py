"""Whatever stands under a key of a config: a count, or a refusal by name; and what a section says of its type holds."""

from itertools import count
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.models.config import Config
from sizebook.models.huggingface import architecture
from sizebook.models.spellings import spellings
from tests.models.counts import counted
from tests.models.edits import apply, bases
from tests.models.kinds_of_edits import sections

BASES = bases()
ODD: list[Any] = [-1, True, "64", 64.0, [], [[1]], {}, {"a": [1]}, 10**30, "", [None], [{}], None, 0, ["x", "y"]]
ODDER = [*ODD, float("nan"), float("inf"), 0.5, [1.5], [True], "relu", {"name": 3}, [0, 0], ["full_attention"]]
# Sections whose class transformers chooses by the type that they name.
CHOSEN = {
    "text_config": "aya_vision cohere2_vision idefics2 idefics3 internvl kimi_k25 lfm2_vl lighton_ocr llava llava_next "
    "llava_next_video llava_onevision minicpmv4_6 mistral3 paligemma qwen2_audio qwen3_asr smolvlm voxtral",
    "vision_config": "aya_vision cohere2_vision gemma3 lfm2_vl lighton_ocr llava llava_next llava_next_video "
    "llava_onevision mistral3 paligemma",
    "audio_config": "qwen2_audio qwen3_asr voxtral",
}


def _refused(config: dict[str, Any]) -> bool:
    try:
        counted(config)
    except SizebookError:
        return True
    return False


def _paths(config: dict[str, Any]) -> list[str]:
    inner = [(f"{name}.{key}", value) for name in sections(config) for key, value in config[name].items()]
    deeper = [f"{path}.{key}" for path, value in inner if isinstance(value, dict) for key in value]
    return [*config, *(path for path, _ in inner), *deeper]


def test_an_odd_value_is_counted_or_refused_by_name() -> None:
    """Every key of every type holds one odd value after another as the types go by: no error without a name."""
    turn, tried = count(), 0
    for configs in BASES.values():
        for path in _paths(configs[0]):
            tried += 1
            _refused(apply(configs[0], {path: ODD[next(turn) % len(ODD)]}))
    assert tried > 4000


def _read(config: Config, path: str = "") -> list[str]:
    """Return the paths of every key that a mapping asked for, whether the file has it or not."""
    inner = [found for name, section in config.sections.items() for found in _read(section, f"{path}{name}.")]
    return [*(f"{path}{key}" for key in sorted(config.read)), *inner]


def test_an_odd_value_of_a_key_that_is_left_out_is_refused_by_name() -> None:
    """What a mapping reads and the file lacks: ERNIE's last layer with experts was compared with a word before."""
    turn, tried = count(), 0
    for configs in BASES.values():
        asked = Config(dict(configs[0]), "config.json")
        architecture(asked)
        for path in _read(asked):
            if _has(configs[0], path.split(".")[:-1]):
                for _ in range(2):
                    tried += 1
                    _refused(apply(configs[0], {path: ODDER[next(turn) % len(ODDER)]}))
    assert tried > 12_000


def _has(config: dict[str, Any], sections_: list[str]) -> bool:
    """Return whether a config has such sections within each other."""
    place: Any = config
    for name in sections_:
        place = place.get(name)
        if not isinstance(place, dict):
            return False
    return True


@pytest.mark.parametrize(
    ("model_type", "path", "value"),
    [
        ("ernie4_5_moe", "moe_layer_end_index", "3"),
        ("ernie4_5_moe", "moe_layer_end_index", [3]),
        ("ernie4_5_moe", "moe_layer_end_index", {}),
        ("glm4v", "text_config.hidden_size", float("nan")),
        ("phimoe", "num_experts_per_tok", 3),
        ("albert", "architectures", [[1]]),
        ("gemma4_text", "per_layer_config.3.head_dim", "64"),
        ("longformer", "attention_window", ["x", "y"]),
        ("deberta-v2", "pos_att_type", [["p2c"]]),
        ("recurrent_gemma", "block_types", [["recurrent"]]),
        ("qwen2_5_omni", "token2wav_config.dit_config.enc_channels", [[1]]),
        ("qwen2_5_omni", "token2wav_config.bigvgan_config.upsample_rates", []),
        ("nemotron_h", "layers_block_type", []),
        ("laguna", "num_attention_heads_per_layer", [None] * 4),
        ("qwen2_5_omni", "token2wav_config.bigvgan_config.resblock_dilation_sizes", []),
    ],
)
def test_lists_at_odds_are_refused(model_type: str, path: str, value: object) -> None:
    assert _refused(apply(BASES[model_type][0], {path: value}))


def test_spellings_of_a_section_that_disagree_are_refused() -> None:
    """With the section's type said, and left to the class of the file."""
    tried = 0
    for model_type, configs in BASES.items():
        for name in sections(configs[0]):
            section = configs[0][name]
            for pair in spellings(section.get("model_type")):
                for have, other in (pair, pair[::-1]):
                    if isinstance(section.get(have), int) and other not in section:
                        changes = {f"{name}.{other}": section[have] + 1}
                        assert _refused(apply(configs[0], changes)), (model_type, name, other)
                        tried += 1
    assert tried > 40
    untyped = {"audio_config.model_type": "(dropped)", "audio_config.intermediate_size": 113}
    assert _refused(apply(BASES["qwen2_audio"][0], untyped))


@pytest.mark.parametrize("section", sorted(CHOSEN))
def test_a_section_of_another_type_is_not_counted_as_its_usual_one(section: str) -> None:
    for model_type in CHOSEN[section].split():
        config = BASES[model_type][0]
        usual = counted(config)["total"]
        for other in ("clip_vision_model", "no_such_type"):
            changed = apply(config, {f"{section}.model_type": other})
            said = config[section].get("model_type")
            assert other == said or _refused(changed) or counted(changed)["total"] != usual, (model_type, other)


def test_a_part_without_a_head_of_its_own_is_counted_bare() -> None:
    """No automatic class of transformers puts a head on these: a file that names no class is loaded without one."""
    for model_type in ("glm4v_text", "glm4v_moe_text", "ernie4_5_vl_moe_text"):
        config = apply(BASES[model_type][0], {"architectures": "(dropped)", "tie_word_embeddings": False})
        table = config["vocab_size"] * config["hidden_size"]
        assert counted(config)["parts"].get("lm_head", 0) == 0
        assert counted(config)["parts"]["embedding"] == table


def test_of_two_words_for_channels_a_class_reads_one() -> None:
    """Either was taken where the other was absent: LLaVA with `in_channels` 7 had 12,288 parameters too many."""
    words, tried = ("num_channels", "in_channels"), 0
    for model_type, rows in BASES.items():
        if not isinstance(rows[0].get("vision_config"), dict):
            continue
        without = apply(rows[0], {f"vision_config.{word}": "(dropped)" for word in words})
        changed = [word for word in words if _changes(without, f"vision_config.{word}")]
        tried += 1
        assert len(changed) <= 1, model_type
    assert tried > 40


def _changes(config: dict[str, Any], path: str) -> bool:
    """Return whether seven of something are counted, and as another number than where nothing is said."""
    try:
        return bool(counted(apply(config, {path: 7}))["total"] != counted(config)["total"])
    except SizebookError:
        return False
