"""Configs with several keys changed together: counted as transformers counts them, or refused."""

import importlib.util
import random

import pytest

from tests.models.counts import small_configs, total_or_none
from tests.models.deep_edits import FROZEN, deep
from tests.models.edits import apply, bases, counted_by_transformers
from tests.models.test_edits import follows_the_checkpoint, judged

BASES = bases()


def test_several_keys_together() -> None:
    rows = small_configs(FROZEN)
    refused, wrong = judged(rows)
    assert len(rows) >= 400
    assert wrong == []
    assert refused / len(rows) <= 0.1  # nearly all: heads that do not divide, as several sizes changed at once


def test_lists_at_odds_with_what_they_describe() -> None:
    """Counted wrong in silence before: a pattern said empty, no rates, blocks wider than what gathers them."""
    nemotron, omni = BASES["nemotron_h"][0], BASES["qwen2_5_omni"][0]
    assert total_or_none(apply(nemotron, {"layers_block_type": []})) is None
    assert total_or_none(apply(omni, {"token2wav_config.bigvgan_config.upsample_rates": []})) is None


@pytest.mark.skipif(importlib.util.find_spec("transformers") is None, reason="the extra 'torch' is not installed")
def test_new_ones_agree_with_transformers() -> None:
    chance, compared = random.Random(), 0
    for _ in range(200):
        config = chance.choice(BASES[chance.choice(sorted(BASES))])
        changed = apply(config, deep(chance, config))
        ours = total_or_none(changed)
        theirs = None if ours is None or follows_the_checkpoint(changed) else counted_by_transformers(changed)
        if theirs is not None:
            assert ours == theirs, changed
            compared += 1
    assert compared > 100
