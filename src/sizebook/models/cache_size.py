"""What a model keeps of the tokens that it has read: keys and values, an indexer's keys, recurrent state."""

from sizebook.models.architecture import Architecture
from sizebook.models.flops import distinct_layers

STATE_ELEMENT_BYTES = 4  # engines keep recurrent state in single precision unless told otherwise
INDEX_ELEMENT_BYTES = 1  # and an indexer's keys in eight bits, whatever the format of the cache


def cache_bytes(architecture: Architecture, tokens: int, element_bytes: float) -> float:
    """Return the bytes that one sequence of ``tokens`` keeps: windows hold at most their width, state is constant.

    Keys and values take ``element_bytes``; an indexer's keys and a mixer's state have formats of their own.
    """
    n_bytes = 0.0
    for layer, times in distinct_layers(architecture.layers):
        for brick in layer.bricks:
            held = min(getattr(brick, "window", None) or tokens, tokens)
            n_bytes += times * held * getattr(brick, "cache_width", 0) * element_bytes
            n_bytes += times * tokens * getattr(brick, "index_width", 0) * INDEX_ELEMENT_BYTES
            n_bytes += times * getattr(brick, "state_elements", 0) * STATE_ELEMENT_BYTES
    return n_bytes
