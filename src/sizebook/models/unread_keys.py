"""Refuses what a mapping did not read of a config.json and what may change the count.

A key that goes unread would make the count wrong in silence: it is refused unless its name says that it cannot matter
(`key_names`), the model is so anyway, or a section of the file says the same.
"""

from collections.abc import Callable
from typing import Any

from sizebook.models.config import Config
from sizebook.models.key_names import cannot_matter, changes_nothing, odd_activation
from sizebook.models.refusals import not_understood, spellings_disagree
from sizebook.models.spellings import spellings

# Sections that set what a layer does; its sizes stand beside them, in the file or section that holds them.
SETTINGS_OF_LAYERS = {
    "attention_other_setting",
    "attn_config",
    "ffn_config",
    "linear_attn_config",
    "sparse_attention_config",
}


def refuse_unread_keys(config: Config, holds: Callable[[str, Any], bool] = lambda key, value: False) -> None:
    """Refuse keys that were not read and may change the count, and spellings that disagree.

    ``holds`` says whether a key tells of the model what is so anyway: of a file whose sections, if any, set what
    layers do, or of the section that holds its language model.
    """
    _refuse_other_spellings(config)
    if odd := odd_activation(config.values):
        raise config.unknown(odd[0], config.values[odd[0]], odd[1])
    left = [key for key, value in config.values.items() if key not in config.read and not _harmless(config, key, value)]
    if config.sections.keys() <= SETTINGS_OF_LAYERS:
        left = [key for key in left if not holds(key, config.values[key])]
    if left and (left := [key for key in left if not _says_again(config, key)]):
        raise not_understood(left, config.values.get("model_type"), config.where)
    for name, section in config.sections.items():
        if name == "text_config":
            refuse_unread_keys(section, holds)
        else:
            refuse_unread_keys(section)


def _refuse_other_spellings(config: Config) -> None:
    """Refuse two spellings of one key that say different things."""
    for pair in spellings(config.spelt_as()):
        if all(name in config.values for name in pair):
            one, other = (config.values[name] for name in pair)
            if type(one) is not type(other) or one != other:
                raise spellings_disagree((pair[0], one), (pair[1], other), config.where)


def _harmless(config: Config, key: str, value: Any) -> bool:
    return cannot_matter(key, value) or changes_nothing(config.spelt_as(), key, value)


def _says_again(config: Config, key: str) -> bool:
    """Return whether a section of the file says the same under the same key."""
    value = config.values[key]
    inner = (section.values.get(key) for section in config.sections.values())
    return any(said.__class__ is value.__class__ and said == value for said in inner)
