"""What a model keeps of the tokens that it has read: keys and values, an indexer's keys, recurrent state."""

from sizebook.models.architecture import Architecture, Brick
from sizebook.models.flops import distinct_layers

STATE_ELEMENT_BYTES = 4  # engines keep recurrent state in single precision unless told otherwise
CONV_ELEMENT_BYTES = 2  # and the inputs of its convolution in 16 bits, all but the newest that the kernel reaches
INDEX_ELEMENT_BYTES = 1  # and an indexer's keys in eight bits, whatever the format of the cache


def state_bytes(brick: Brick) -> int:
    """Return the bytes that one sequence keeps of a mixer's state as engines hold it, 0 of other bricks."""
    channels, kernel = getattr(brick, "conv_channels", 0), getattr(brick, "d_conv", 0)
    recurrent = getattr(brick, "state_elements", 0) - channels * kernel
    return STATE_ELEMENT_BYTES * recurrent + CONV_ELEMENT_BYTES * channels * max(kernel - 1, 0)


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
            n_bytes += times * state_bytes(brick)
    return n_bytes
