"""Policies by which JAX computes layers again in the backward pass and keeps some of their outputs by name.

MaxText and praxis state them as ``remat_policy=save_qkv_proj``, ``SAVE_DOT_ONLY`` or tensor by tensor
(``remat_policy=custom query_proj=offload``); what each keeps is in data/training_policies.csv.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise

from sizebook.core.tables import by_key

OUTPUTS = ("attention_in", "context", "attention_out", "mlp_in", "mlp_out")
LAYER_INPUT = "layer_input"
_CUSTOM = "custom"
# The tensors of MaxText's configuration, each with the output that it is or is a part of.
_TENSORS = {
    "decoder_layer_input": LAYER_INPUT, "qkv_proj": "attention_in", "query_proj": "attention_in",
    "key_proj": "attention_in", "value_proj": "attention_in", "kv_proj": "attention_in", "context": "context",
    "out_proj": "attention_out", "mlpwi": "mlp_in", "mlpwi_0": "mlp_in", "mlpwi_1": "mlp_in", "mlpwo": "mlp_out",
}  # fmt: skip
_PLACES = ("device", "offload", "remat")
_BEFORE = ("remat_policy", "remat", "policy")


@dataclass(frozen=True)
class Policy:
    """Outputs of a layer that are kept, those that move to the host (its input may be one), the words that said so,
    and whether a custom policy left open which."""

    kept: frozenset[str]
    on_host: frozenset[str]
    words: frozenset[str]
    is_assumed: bool = False


@cache
def _rows() -> dict[str, tuple[frozenset[str], frozenset[str]]]:
    rows = by_key("training_policies", "policy")
    return {name: (frozenset(row["keeps"].split()), frozenset(row["on_host"].split())) for name, row in rows.items()}


@lru_cache(maxsize=256)
def stated_policy(text: str) -> Policy | None:
    """Return the policy that words on recomputation name, None where they name none."""
    words = re.findall(r"[a-z0-9_]+", text.casefold())
    named = [word for before, word in pairwise(["", *words]) if _names_one(before, word)]
    if _CUSTOM in words and set(words) & set(_BEFORE):
        named.append(_CUSTOM)
    if len(named) != 1:
        return None
    [name] = named
    placed = [(a, b) for a, b in pairwise(words) if a in _TENSORS and b in _PLACES]
    read = {name, *_BEFORE, *(word for pair in placed for word in pair)}
    kept, on_host = (frozenset[str](), frozenset[str]()) if placed and name == _CUSTOM else _rows()[name]
    places: dict[str, set[str]] = {}
    for tensor, place in placed:
        places.setdefault(_TENSORS[tensor], set()).add(place)
    # Half of an output is no output: what is computed again in part is computed again.
    stays = {each for each, found in places.items() if "remat" not in found}
    policy = Policy(kept, on_host, frozenset(read & set(words)), is_assumed=name == _CUSTOM and not placed)
    return replace(
        policy,
        kept=kept | stays - {LAYER_INPUT},
        on_host=on_host | {each for each in stays if "offload" in places[each]},
    )


def _names_one(before: str, word: str) -> bool:
    return word in _rows() and word != _CUSTOM and (word.startswith("save_") or before in _BEFORE)
