"""Bytes of keys, values and recurrent state that a model keeps for the tokens it has read."""

from __future__ import annotations

from typing import Annotated

from sizebook.formulas.weights import dtype_bits
from sizebook.models import catalog
from sizebook.models.architecture import Architecture
from sizebook.models.flops import distinct_layers
from sizebook.quantities import Dtype, MemoryBytes, Model
from sizebook.registry import DEFAULT, Quantity, function

CacheTokens = Annotated[int, Quantity("tokens that one sequence has read", unit="tokens", kind="integer", minimum=1)]
Sequences = Annotated[int, Quantity("sequences kept at a time", kind="integer", minimum=1, default=1)]


def cache_elements(architecture: Architecture, tokens: int) -> int:
    """Return the elements that one sequence of ``tokens`` keeps: windows hold at most their width, state is
    constant."""
    elements = 0
    for layer, times in distinct_layers(architecture.layers):
        for brick in layer.bricks:
            held = min(getattr(brick, "window", None) or tokens, tokens)
            elements += times * (getattr(brick, "cache_width", 0) * held + getattr(brick, "state_elements", 0))
    return elements


@function(
    category="memory",
    source="2 x layers x n_kv_heads x d_head a token; latent: DeepSeek-V2 (arXiv:2405.04434), section 2.1.2",
    example=({"model": "qwen3-0.6b", "tokens": 40_960}, 4_697_620_480.0),
)
def kv_cache_bytes(
    model: Model, tokens: CacheTokens, dtype: Dtype = DEFAULT, sequences: Sequences = DEFAULT
) -> MemoryBytes:
    """Return the bytes of keys and values (and recurrent state) that a published model keeps for sequences of tokens.

    Each layer its own kind: grouped heads, one latent vector, a window of at most its width, the constant state of a
    mixer. Before tensor parallelism, which replicates key-value heads once it exceeds them. Left out: paging waste.
    """
    return sequences * cache_elements(catalog.architecture(model), tokens) * dtype_bits(dtype) / 8
