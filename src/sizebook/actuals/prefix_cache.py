"""How much of its prompts a server would find in its cache of prefixes, replayed block by block."""

from collections import OrderedDict
from collections.abc import Iterable, Sequence

Prompt = tuple[Sequence[int], int]  # a number for each block that no other prefix has, and the tokens of the prompt


def cache_hit_ratio(prompts: Iterable[Prompt], block_tokens: int, cache_tokens: float) -> float:
    """Return the share of prompt tokens that a radix cache of that size already holds when the prompt comes.

    Blocks that were used longest ago go first, the last of a prefix before those it stands on, as engines do. What
    they do not give up while a request runs, and the time that a prefix takes to be worked out, are left out.

    ``cache_tokens`` is what all replicas that share a cache hold; `math.inf` gives the most that any cache finds.
    """
    held: OrderedDict[int, None] = OrderedDict()
    found = asked = 0
    for blocks, tokens in prompts:
        asked += tokens
        found += min(tokens, block_tokens * _leading(blocks, held))
        for block in reversed(blocks):  # the first block was used last: no prefix outlives what it stands on
            held[block] = None
            held.move_to_end(block)
        while len(held) * block_tokens > cache_tokens:
            held.popitem(last=False)
    return found / asked if asked else 0.0


def _leading(blocks: Sequence[int], held: OrderedDict[int, None]) -> int:
    """Return how many blocks from the first on are held."""
    return next((at for at, block in enumerate(blocks) if block not in held), len(blocks))
