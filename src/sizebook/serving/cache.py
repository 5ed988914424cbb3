"""Bytes of keys, values and recurrent state that a model keeps for the tokens it has read."""

from typing import Annotated

from sizebook.core.quantities import MemoryBytes, Model
from sizebook.core.registry import function
from sizebook.core.sections import DEFAULT, Quantity
from sizebook.formulas.weights import dtype_bits
from sizebook.models import catalog
from sizebook.models.cache_size import cache_bytes
from sizebook.serving.quantities import ContextTokens, KvDtype

Sequences = Annotated[int, Quantity("sequences kept at a time", minimum=1, default=1, source="neutral: one sequence")]


@function(
    category="memory",
    source="2 x layers x n_kv_heads x d_head a token; latent: DeepSeek-V2 (arXiv:2405.04434), section 2.1.2",
)
def kv_cache_bytes(
    model: Model, context_tokens: ContextTokens, kv_dtype: KvDtype = DEFAULT, sequences: Sequences = DEFAULT
) -> MemoryBytes:
    """Return the bytes of keys and values (and recurrent state) that a published model keeps for sequences of tokens.

    Each layer its own kind: grouped heads, one latent vector, a window of at most its width, the constant state of a
    mixer. A blank kv_dtype is bf16; state counts 4 bytes an element, inputs of its convolution 2 and an indexer's keys
    1, as engines keep them, whatever it is. Layers that attend to an encoder count as many of its tokens.
    KV_CACHE_BYTES_PER_GPU says the same of one GPU at tp 1. Left out: paging waste.
    """
    return sequences * cache_bytes(catalog.architecture(model), context_tokens, dtype_bits(kv_dtype or "bf16") / 8)
