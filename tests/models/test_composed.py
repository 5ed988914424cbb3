"""A section of another type: counted as transformers 5.23 counts the whole, or refused; never as something else."""

from sizebook.core.errors import SizebookError
from tests.models.composed import FROZEN, composed, parts
from tests.models.counts import counted, small_configs, total_or_none
from tests.models.edits import bases
from tests.refused import message_of


def test_parts_of_other_types() -> None:
    same, tried, wrong = 0, 0, []
    for row in small_configs(FROZEN):
        for other, total in row["totals"].items():
            ours, tried = total_or_none(composed(row["type"], row["section"], other)), tried + 1
            same += ours == total
            if ours not in (None, total):
                wrong.append((row["type"], row["section"], other, total, ours))
    assert tried > 1500
    assert same > 200
    assert wrong == []


def test_the_head_of_the_whole_has_no_bias() -> None:
    """Phi's own head has one of 640 entries; LLaVA's, which takes its place, none: 640 parameters fewer."""
    llava, phi = bases()["llava"][0], parts()["text_config"]["phi"]
    assert counted({**phi, "architectures": ["PhiForCausalLM"]})["parts"]["bias"] > 640
    described = counted({**llava, "text_config": phi})
    assert described["total"] == 401_584
    assert described["parts"]["lm_head"] == 640 * phi["hidden_size"]


def test_a_tie_that_the_text_type_gives() -> None:
    """LLaVA ties where either level says so; Gemma's class does by itself, without a word in the file."""
    llava, gemma = bases()["llava"][0], dict(parts()["text_config"]["gemma"])
    gemma.pop("tie_word_embeddings", None)
    tied = counted({**llava, "tie_word_embeddings": False, "text_config": gemma})
    assert "lm_head" not in tied["parts"]
    said = counted({**llava, "tie_word_embeddings": False, "text_config": {**gemma, "tie_word_embeddings": False}})
    assert said["total"] - tied["total"] == 640 * gemma["hidden_size"]


def test_experts_in_every_layer_of_qwen_3_5() -> None:
    """Its class reads neither word for dense layers, which Qwen 3 Next's does."""
    config = bases()["qwen3_5_moe_text"][0]
    for key, value in (("mlp_only_layers", [1]), ("decoder_sparse_step", 2)):
        assert total_or_none({**config, "intermediate_size": 112, key: value}) is None, key


def test_what_is_said_twice_and_at_odds() -> None:
    """X-MOD holds an adapter once that is named twice; Nemotron-H's two patterns agree or are refused."""
    xmod = bases()["xmod"][0]
    assert total_or_none({**xmod, "languages": ["en_XX", "en_XX"]}) == total_or_none({**xmod, "languages": ["en_XX"]})
    nemotron = bases()["nemotron_h"][0]
    words = ["linear_attention", "moe", "full_attention", "mlp", "linear_attention"]
    assert total_or_none({**nemotron, "layers_block_type": words}) == total_or_none(nemotron)
    assert message_of(SizebookError, counted, {**nemotron, "layers_block_type": words[:3]}) == (
        "two spellings disagree: got 'hybrid_override_pattern' = 'ME*-M' and 'layers_block_type' = "
        "['linear_attention', 'moe', 'full_attention'] in config.json, want the same, as both name one key. "
        "Remove the wrong one."
    )


def test_ratios_that_are_no_whole_part() -> None:
    """One over 0.66 is one patch a side in transformers' InternVL."""
    assert total_or_none({**bases()["internvl"][0], "downsample_ratio": 0.66}) == 586_392


def test_a_bias_of_step_37s_projector() -> None:
    """As many parameters more as the text model is wide: 1,348,832 in transformers."""
    step = bases()["step3p7"][0]
    assert total_or_none({**step, "projector_bias": False}) == 1_348_736
    assert total_or_none({**step, "projector_bias": True}) == 1_348_736 + 96


def test_a_section_in_the_spelling_of_the_type_that_it_says() -> None:
    """IDEFICS's ViT says `embed_dim`, which Idefics 3's class does not read: it builds its own width."""
    for model_type in ("idefics3", "smolvlm", "llama4", "phi4_multimodal", "step3p7"):
        assert total_or_none(composed(model_type, "vision_config", "idefics_vision")) is None, model_type
