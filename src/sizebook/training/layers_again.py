"""Whole layers that the backward pass computes again where the others of a stage keep what they need.

Megatron's block method takes the first layers of each chunk of a pipeline (transformer_config.py: recompute_method,
recompute_num_layers), torchtitan's selective mode every second layer unless it is told another frequency
(job_config.py: selective_ac_option).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

# What torchtitan's configuration says where nobody does: selective_ac_option = "2".
USUAL_FREQUENCY = 2
_ORDINALS = {"other": 2, "second": 2, "third": 3, "fourth": 4}
_EVERY = re.compile(
    r"\bevery (?P<word>other|second|third|fourth) layer|\bevery (?P<nth>\d+)(?:st|nd|rd|th)? layers?\b"
    r"|\b1/(?P<part>\d+) of (?:all |the )?layers\b|\bselective (?:ac|activation checkpointing) option (?P<option>\d+)\b"
    r"|\b(?P<usual>selective layers?)\b"
)
_FIRST = re.compile(r"\b(?:num layers (?P<after>\d+)|(?P<before>\d+) layers?|block (?P<bare>\d+)(?! layers?))\b")
_KNOWN = re.compile(
    r"recompute|recomputation|recomputed|activations?|checkpoint(?:ing)?|granularity|full|selective|ac|option|method"
    r"|block|uniform|num|layers?|of|each|per|every|in|first|all|the|pipeline|stages?|other|second|third|fourth"
)


@dataclass(frozen=True)
class LayersAgain:
    """Every ``every``-th layer of a stage, or the ``first`` ones of each of its chunks, and the words that said so."""

    every: int
    first: int
    words: frozenset[str]

    def share(self, n_layers: float, chunks: int) -> float:
        """Return the share of a stage's layers that are computed again."""
        whole = round(n_layers)
        count = whole // self.every if self.every else min(self.first * chunks, whole)
        return count / whole if whole else 0.0


@lru_cache(maxsize=256)
def stated_layers(text: str) -> LayersAgain | None:
    """Return which layers words say are computed again, None where they name none, or two things at once."""
    plain = " ".join(re.findall(r"[a-z0-9/]+", text.casefold().replace("_", " ")))
    every = [_frequency(found) for found in _EVERY.finditer(plain)]
    first = [int(next(filter(None, found.groups()))) for found in _FIRST.finditer(_EVERY.sub(" ", plain))]
    if "uniform" in plain.split() and set(first) <= {1} and not every:
        # Units of one layer each, as many as there are: every layer.
        every, first = [1], []
    elif "uniform" in plain.split():
        return None
    if len({*every, *first}) != 1 or (every and first) or 0 in (*every, *first):
        return None
    numbers = {str(number) for number in (*every, *first)} | ({"1"} if "1/" in plain else set())
    words = frozenset(word for word in re.findall(r"[a-z0-9_]+", text.casefold()) if _is_read(word, numbers))
    return LayersAgain(every[0] if every else 0, first[0] if first else 0, words)


def _frequency(found: re.Match[str]) -> int:
    said = found.groupdict()
    if said["usual"]:
        return USUAL_FREQUENCY
    return _ORDINALS.get(said["word"] or "") or int(said["nth"] or said["part"] or said["option"])


def _is_read(word: str, numbers: set[str]) -> bool:
    parts = re.findall(r"[a-z]+|\d+(?:st|nd|rd|th)?", word)
    return all(_KNOWN.fullmatch(part) or re.sub(r"\D", "", part) in numbers for part in parts)
