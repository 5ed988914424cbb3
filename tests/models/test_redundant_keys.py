"""Words of other types that say of a model what it is anyway change nothing; those that say otherwise are refused."""

from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from tests.models.counts import counted
from tests.models.edits import bases
from tests.refused import message_of
from tests.row_lists import listed

BASES = bases()


@pytest.mark.parametrize(*listed("models", "test_a_key_that_says_what_is_so"))
def test_a_key_that_says_what_is_so(model_type: str, key: str, so: Any, otherwise: Any) -> None:
    config = BASES[model_type][0]
    assert counted({**config, key: so}) == counted(config)
    assert message_of(SizebookError, counted, {**config, key: otherwise}) == (
        f"keys not understood: got {key} in config.json, want keys whose effect on the count of model type "
        f"'{model_type}' is known. Remove a key only if it changes no tensor."
    )


@pytest.mark.parametrize(*listed("models", "test_a_key_of_what_holds_no_weights"))
def test_a_key_of_what_holds_no_weights(model_type: str, key: str, value: Any) -> None:
    config = BASES[model_type][0]
    assert counted({**config, key: value}) == counted(config)


@pytest.mark.parametrize(*listed("models", "test_the_same_key_where_it_would_matter"))
def test_the_same_key_where_it_would_matter(model_type: str, key: str, value: Any) -> None:
    refused = message_of(SizebookError, counted, {**BASES[model_type][0], key: value})
    assert refused.startswith(f"keys not understood: got {key} in config.json")


def test_a_size_beside_the_section_that_says_it() -> None:
    """A file with sections may repeat a size of one of them at its top; another size there is refused."""
    config = BASES["llava_next"][0]
    again = config["text_config"]["head_dim"]
    assert counted({**config, "head_dim": again}) == counted(config)
    refused = message_of(SizebookError, counted, {**config, "head_dim": again + 1})
    assert refused.startswith("keys not understood: got head_dim in config.json")


def test_a_switch_of_the_language_models_section() -> None:
    """What holds of the language model holds of its section, not of the tower's."""
    config = BASES["llava_next"][0]
    said = {**config, "text_config": {**config["text_config"], "use_rotary_pos_emb": True}}
    assert counted(said) == counted(config)
    tower = {**config, "vision_config": {**config["vision_config"], "use_rotary_pos_emb": True}}
    assert "use_rotary_pos_emb in config.json, 'vision_config'" in message_of(SizebookError, counted, tower)
