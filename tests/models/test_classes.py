"""What the class named under ``architectures`` changes on a decoder, and tie flags that contradict each other."""

from typing import Any

import pytest

from sizebook.core.errors import SizebookError, UnknownKeyError
from sizebook.models.config import Config
from sizebook.models.flops import forward
from sizebook.models.huggingface import _NAMED_OTHERWISE, _plain, architecture, modules
from tests.models.counts import counted, small_configs
from tests.models.edits import bases
from tests.refused import message_of
from tests.row_lists import listed

SMALL: dict[str, Any] = {
    "model_type": "mistral",
    "vocab_size": 1000,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "tie_word_embeddings": False,
}
LAYER = 64 * (64 + 32 + 32 + 64) + 3 * 64 * 96 + 2 * 64
BARE = 1000 * 64 + 2 * LAYER + 64
LABELS = {"id2label": {"0": "bad", "1": "fair", "2": "good"}}


@pytest.mark.parametrize(
    ("name", "more", "total"),
    [
        ("MistralForCausalLM", {}, BARE + 64 * 1000),
        ("MistralModel", {}, BARE),
        ("MistralForSequenceClassification", {"num_labels": 1}, BARE + 64),
        ("MistralForSequenceClassification", LABELS, BARE + 3 * 64),
        ("MistralForTokenClassification", LABELS, BARE + 3 * 64 + 3),
        ("MistralForQuestionAnswering", {}, BARE + 2 * 64 + 2),
    ],
)
def test_heads_of_classes(name: str, more: dict[str, Any], total: int) -> None:
    assert counted({**SMALL, **more, "architectures": [name]})["total"] == total


@pytest.mark.parametrize(
    ("kind", "name", "head"),
    [
        # A square matrix, a rectifier, then one output or two, each with a bias.
        ("qwen2", "Qwen2ForRewardModel", 64 * 64 + 64 + 64 + 1),
        ("qwen2", "Qwen2ForProcessRewardModel", 64 * 64 + 64 + 2 * 64 + 2),
        ("internlm2", "InternLM2ForRewardModel", 64),
    ],
)
def test_reward_models_with_scores_of_their_own(kind: str, name: str, head: int) -> None:
    """Their names end with Model: they were counted bare."""
    file = {**SMALL, "model_type": kind}
    bare = counted({**file, "architectures": [name.partition("For")[0] + "Model"]})["total"]
    assert counted({**file, "architectures": [name]})["total"] == bare + head


@pytest.mark.parametrize(*listed("models", "test_a_class_of_less_or_more_than_the_model_is_refused"))
def test_a_class_of_less_or_more_than_the_model_is_refused(name: str) -> None:
    """What classes have in common has no tensors, a draft model layers of its own: both were counted as the model."""
    with pytest.raises(UnknownKeyError, match=f"^unknown class: got '{name}' under 'architectures' in config.json, "):
        counted({**SMALL, "architectures": [name]})


def test_a_number_of_labels_beside_none_by_name() -> None:
    empty = {**SMALL, "architectures": ["MistralForSequenceClassification"], "id2label": {}, "num_labels": 3}
    assert counted(empty)["total"] == BARE + 3 * 64


# Classes that contradict their config, or of which checkpoints hold other tensors than transformers builds.
REFUSED = {
    "Blip2ForImageTextRetrieval",  # the querying transformer without a language model
    "BigBirdPegasusForCausalLM",
    "DebertaForSequenceClassification",
    "DebertaV2ForMultipleChoice",
    "DebertaV2ForSequenceClassification",
    "MarianForCausalLM",
    "ProphetNetForCausalLM",
    "Qwen3ASRForTokenClassification",
    "Wav2Vec2ForXVector",
    "WavLMForXVector",
    "WhisperForAudioClassification",
}


def test_every_class_of_every_type_is_counted() -> None:
    """What transformers 5.23 counts on the meta device; the ten that stay refused are named."""
    first, rows, refused = bases(), small_configs("class_counts.jsonl"), set()
    for row in rows:
        config = {**first[row["type"]][0], "architectures": [row["class"]]}
        try:
            assert counted(config)["total"] == row["total"], row
        except SizebookError:
            refused.add(row["class"])
    assert len(rows) > 600
    assert refused == REFUSED


def test_answers_of_gpt_j_by_label() -> None:
    """Its class has an output a label, a row and a bias each, where others have two; it was counted as they are."""
    config = {**bases()["gptj"][0], "architectures": ["GPTJForQuestionAnswering"]}
    config = {key: value for key, value in config.items() if key not in ("num_labels", "id2label")}
    assert counted({**config, "num_labels": 5})["total"] == 238_517
    assert counted(config)["total"] == 238_517 - 3 * (96 + 1)
    llama = {**bases()["llama"][0], "architectures": ["LlamaForQuestionAnswering"]}
    assert counted({**llama, "num_labels": 5}) == counted({**llama, "num_labels": 2})


def test_of_several_classes_the_first_counts() -> None:
    """Engines load the first that they know; encoders were refused with a second one behind it."""
    bert = bases()["bert"][0]
    one = counted({**bert, "architectures": ["BertForMaskedLM"]})["total"]
    assert counted({**bert, "architectures": ["BertForMaskedLM", "BertModel"]})["total"] == one
    assert counted({**bert, "architectures": ["BertModel", "BertForMaskedLM"]})["total"] != one
    mistral = counted({**SMALL, "architectures": ["MistralForCausalLM"]})["total"]
    assert counted({**SMALL, "architectures": ""})["total"] == mistral  # empty as if absent
    with pytest.raises(
        SizebookError, match=r"^unknown class: got \['NoSuchModel', 'BertModel'\] under 'architectures'"
    ):
        counted({**bert, "architectures": ["NoSuchModel", "BertModel"]})


CLIP = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1, "num_attention_heads": 2}
LLAVA = {
    "model_type": "llava",
    "vision_config": {**CLIP, "image_size": 28, "patch_size": 14, "num_channels": 3},
    "text_config": {**SMALL, "model_type": "llama"},
}


def test_a_projector_reads_as_many_layers_of_the_encoder_as_the_file_lists() -> None:
    """Granite Vision's projector takes four layers of SigLIP side by side: its first matrix is four times as wide."""
    usual = counted(LLAVA)["total"]
    assert counted({**LLAVA, "vision_feature_layer": -1})["total"] == usual
    assert counted({**LLAVA, "vision_feature_layer": [-24, -20, -12, -1]})["total"] == usual + 3 * 32 * 64


def test_a_tie_flag_that_is_not_followed_is_noted() -> None:
    tied = {**LLAVA, "text_config": {**LLAVA["text_config"], "tie_word_embeddings": True}}  # type: ignore[dict-item]
    model = architecture(Config({**tied, "tie_word_embeddings": False}, "config.json"))
    assert model.notes == ("'tie_word_embeddings' of the top level is not followed: transformers 5 takes True",)
    assert counted(LLAVA)["total"] - counted(tied)["total"] == 64 * 1000
    assert architecture(Config(dict(LLAVA), "config.json")).notes == ()


def test_a_tower_alone_is_refused_and_a_language_model_alone_noted() -> None:
    with pytest.raises(UnknownKeyError, match="unknown class: got 'LlavaVisionModel' under 'architectures'"):
        counted({**LLAVA, "architectures": ["LlavaVisionModel"]})
    alone = architecture(Config({**LLAVA, "architectures": ["LlavaForCausalLM"]}, "config.json"))
    assert alone.notes == (
        "LlavaForCausalLM may build the language model alone; the vision or audio towers of the file are counted",
    )


def test_sections_under_the_text_models_class_are_refused() -> None:
    """Ministral 3's own class builds its defaults from such a file."""
    inner = {key: value for key, value in SMALL.items() if key != "architectures"} | {"model_type": "ministral3"}
    file = {"model_type": "ministral3", "text_config": inner, "vision_config": {"model_type": "pixtral"}}
    assert counted({**file, "architectures": ["Mistral3ForConditionalGeneration"]})["total"] > BARE
    for named in (["Ministral3ForQuestionAnswering"], ["Ministral3ForCausalLM"]):
        assert message_of(UnknownKeyError, counted, {**file, "architectures": named}) == (
            f"not described: got 'architectures' = {named} in config.json, want Mistral3ForConditionalGeneration first "
            "beside 'text_config'."
        )


def test_a_class_of_another_type_that_counts_the_same() -> None:
    """Engines go by the class or by the type: Mistral's tensors are Llama's."""
    llama = {**SMALL, "architectures": ["LlamaForCausalLM"]}
    assert counted(llama) == counted({**llama, "model_type": "llama"})


def test_every_type_and_only_types_are_named_otherwise() -> None:
    assert set(_NAMED_OTHERWISE.values()) <= set(modules())
    assert not set(_NAMED_OTHERWISE) & {_plain(name) for name in modules()}


def test_a_causal_class_that_builds_its_tower_says_no_more() -> None:
    """Fuyu's and GIT's classes end in ForCausalLM and are whole: nothing may be left out, no section need be said."""
    for model_type, name in (("fuyu", "FuyuForCausalLM"), ("git", "GitForCausalLM")):
        described = architecture(Config({**bases()[model_type][0], "architectures": [name]}, "config.json"))
        assert described.notes == ()
    config = {key: value for key, value in bases()["git"][0].items() if key != "vision_config"}
    assert architecture(Config(config, "config.json")).notes == (
        "the file leaves out what the class of its model type gives: the whole 'vision_config' in config.json",
    )


@pytest.mark.parametrize(
    ("name", "each_token"),
    [
        ("BertForTokenClassification", 2 * 3 * 48),
        ("BertForQuestionAnswering", 2 * 3 * 48),  # a score a label
        ("BertForSequenceClassification", 0),  # pooled: once a sequence
        ("BertForMultipleChoice", 0),
    ],
)
def test_a_classifier_of_tokens_runs_for_each(name: str, each_token: int) -> None:
    """PyTorch's counter says the same of each class; those of encoders and of BART ran for no token."""
    bert = {"model_type": "bert", "hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, **LABELS,
            "intermediate_size": 96, "vocab_size": 100, "max_position_embeddings": 64}  # fmt: skip
    bare, classed = (
        forward(architecture(Config({**bert, "architectures": [each]}, "config.json")), 6, causal=False).total
        for each in ("BertModel", name)
    )
    assert classed - bare == each_token


def test_modernbert_pools_before_its_transform() -> None:
    """A matrix of 48 x 48 ran for each token of a sequence that is classified."""
    bert = {"model_type": "modernbert", "hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, **LABELS,
            "intermediate_size": 96, "vocab_size": 100, "max_position_embeddings": 64}  # fmt: skip
    bare, pooled, labelled = (
        forward(architecture(Config({**bert, "architectures": [f"ModernBert{each}"]}, "c")), 6, causal=False).total
        for each in ("Model", "ForSequenceClassification", "ForTokenClassification")
    )
    assert (pooled - bare, labelled - bare) == (0, 2 * 48 * 48 + 2 * 3 * 48)
