"""Configs edited at random: what is counted is what transformers counts; the rest is refused, by name."""

import importlib.util
import random
from collections.abc import Callable
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.models.classes import NAMELESS
from sizebook.models.families.experts import NUMBERS, VISITED
from sizebook.models.spellings import spellings
from tests.models.counts import counted, small_configs, total_or_none
from tests.models.edits import FROZEN, apply, bases, counted_by_transformers
from tests.models.kinds_of_edits import FOREIGN, Changes, Config_, deep, drawn, edited

BASES = bases()
# The published files with an untied head store it; transformers 5 ties whatever they say.
ALWAYS_TIED = {"longt5", "mt5", "t5", "umt5"}


# The published files of these spell sizes as GPT-2 does; transformers 5 reads its own names alone.
SPELT_AS_GPT2 = {"nomic_bert": {"n_embd", "n_head", "n_inner", "n_layer", "n_positions"}}


def follows_the_checkpoint(config: dict[str, Any]) -> bool:
    if SPELT_AS_GPT2.get(config["model_type"], set()) & config.keys():
        return True
    if config["model_type"] in NAMELESS and "architectures" not in config:
        return True  # published so and loaded bare; the second engine would choose a head
    if config["model_type"] == "paddleocr_vl" and "text_config" not in config:
        return config.get("tie_word_embeddings") is False  # of the first files, whose checkpoint holds a head
    behind = config.get("text_config")  # BLIP-2 holds a whole T5
    places = (config, behind if isinstance(behind, dict) else {})
    return any(p.get("model_type") in ALWAYS_TIED and p.get("tie_word_embeddings") is False for p in places)


@pytest.mark.parametrize(
    ("file", "fewest", "most_refused"),
    [
        (FROZEN["edited"], 1000, 0.18),  # they contradict themselves; a sample holds more rare keys than were drawn
        (FROZEN["deep"], 400, 0.1),  # nearly all: heads that do not divide, as several sizes changed at once
    ],
)
def test_nothing_is_counted_wrong_in_silence(file: str, fewest: int, most_refused: float) -> None:
    rows, refused, wrong = small_configs(file), 0, []
    for row in rows:
        config = apply(BASES[row["type"]][row["row"]], row["set"])
        ours = total_or_none(config)
        refused += ours is None
        if ours is not None and ours != row["total"] and not follows_the_checkpoint(config):
            wrong.append((row, ours))
    assert len(rows) >= fewest
    assert wrong == []
    assert refused / len(rows) <= most_refused


def test_both_spellings_of_a_key_mean_it() -> None:
    """Every pair of names, on every type that has it: one for the other counts the same, both at odds are refused."""
    tried = 0
    for model_type, configs in BASES.items():
        for pair in spellings(model_type):
            have = next((name for name in pair if name in configs[0]), None)
            if have is None or isinstance(configs[0][have], list):
                continue
            other, tried = pair[have == pair[0]], tried + 1
            value = configs[0][have]
            spelt = apply(configs[0], {have: "(dropped)", other: value})
            assert total_or_none(spelt) == total_or_none(configs[0]), (model_type, pair)
            with pytest.raises(SizebookError) as refused:
                counted(apply(configs[0], {other: value + 1}))
            said = f"'{have}' = {value}", f"'{other}' = {value + 1}"
            assert str(refused.value) in {
                f"two spellings disagree: got {one} and {two} in config.json, want the same, as both name one key. "
                "Remove the wrong one."
                for one, two in (said, said[::-1])
            }
    assert tried > 100


def test_activation_functions_that_hold_weights_are_refused() -> None:
    """Blocks of any type get PReLU's or xIELU's own weights from transformers where a file names them."""
    for model_type, configs in BASES.items():
        for named in ("prelu", "xielu"):
            changed = {**configs[0], "hidden_act": named}
            assert (total_or_none(changed) is None) or (model_type, named) == ("apertus", "xielu"), (model_type, named)


def test_an_activation_function_that_is_no_word_is_refused() -> None:
    """Nothing says what a class makes of a list, an object or a number; DBRX alone writes an object, with a name."""
    for model_type, configs in BASES.items():
        for named in (["prelu"], ["gelu", "silu"], {"name": "prelu"}, {"act": "gelu"}, 3, True):
            assert total_or_none({**configs[0], "hidden_act": named}) is None, (model_type, named)
    dbrx = BASES["dbrx"][0]
    named = {path: {**dbrx["ffn_config"], "ffn_act_fn": {"name": path}} for path in ("gelu", "prelu")}
    assert total_or_none({**dbrx, "ffn_config": named["gelu"]}) == total_or_none(dbrx)
    assert total_or_none({**dbrx, "ffn_config": named["prelu"]}) is None


def test_labels_said_twice() -> None:
    config = {**BASES["llama"][0], "id2label": {"0": "a", "1": "b", "2": "c"}, "num_labels": 3}
    assert total_or_none(config) == total_or_none({**BASES["llama"][0], "num_labels": 3})


def test_words_for_the_experts_that_disagree_are_refused() -> None:
    """A number of experts, or of those a token visits, beside another type's word for it with another number."""
    tried = 0
    for config in (row["config"] for row in small_configs("distinct_counts.jsonl")):
        for names in (NUMBERS, VISITED):
            for have in (name for name in names if isinstance(config.get(name), int)):
                for other in (name for name in names if name not in config):
                    assert total_or_none({**config, other: config[have] + 1}) is None, (
                        config["model_type"],
                        have,
                        other,
                    )
                    tried += 1
    assert tried > 500


def edited_or_foreign(chance: random.Random, config: Config_) -> Changes:
    return drawn(chance, config, FOREIGN) if chance.random() < 1 / 4 else edited(chance, config)


@pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="the extra 'torch' is not installed")
@pytest.mark.parametrize(("edit", "fewest"), [(edited_or_foreign, 120), (deep, 100)])
def test_new_edits_agree_with_transformers(edit: Callable[[random.Random, Config_], Changes], fewest: int) -> None:
    chance, compared = random.Random(), 0
    for _ in range(300):
        config = chance.choice(BASES[chance.choice(sorted(BASES))])
        changed = apply(config, edit(chance, config))
        ours = total_or_none(changed)
        theirs = None if ours is None or follows_the_checkpoint(changed) else counted_by_transformers(changed)
        if theirs is not None:
            assert ours == theirs, changed
            compared += 1
    assert compared > fewest


def test_keys_that_no_module_reads_are_harmless() -> None:
    """BLIP-2's vision section says a projection that none of its classes builds."""
    blip = bases()["blip-2"][0]
    more = {**blip, "vision_config": {**blip["vision_config"], "projection_dim": 512}}
    assert counted(more) == counted(blip)
