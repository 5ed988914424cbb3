"""The share of prompts that a prefix cache finds: what a plain radix tree finds, and of three requests by hand."""

import math
import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from sizebook.actuals.prefix_cache import cache_hit_ratio
from sizebook.actuals.traffic_figures import traffic_figures
from sizebook.actuals.traffic_logs import read_log
from tests.actuals.test_traffic import LOGS, saved


class Node:
    """A node of the reference: a tree of prefixes, each with the time of its last use."""

    def __init__(self) -> None:
        self.below: dict[int, Node] = {}
        self.used = 0


def reference(prompts: Sequence[tuple[list[int], int]], block_tokens: int, most: int) -> float:
    """A radix tree in its plainest form: walk, insert, then cut the leaf that was used longest ago until it fits."""
    root, found, asked, size = Node(), 0, 0, 0
    for clock, (blocks, tokens) in enumerate(prompts, start=1):
        node, hits, broken = root, 0, False
        for block in blocks:
            if block in node.below and not broken:
                hits += 1
            else:
                broken = True
            if block not in node.below:
                node.below[block] = Node()
                size += 1
            node = node.below[block]
            node.used = clock
        found, asked = found + min(tokens, hits * block_tokens), asked + tokens
        while size * block_tokens > most:
            parent, block = min(leaves(root, 0), key=lambda leaf: (leaf[0].below[leaf[1]].used, -leaf[2]))[:2]
            del parent.below[block]
            size -= 1
    return found / asked


def leaves(node: Node, depth: int) -> list[tuple[Node, int, int]]:
    found = []
    for block, below in node.below.items():
        found += leaves(below, depth + 1) if below.below else [(node, block, depth)]
    return found


@pytest.mark.parametrize("seed", range(8))
def test_the_cache_finds_what_a_radix_tree_finds(seed: int) -> None:
    chance = random.Random(seed)
    talks: list[list[int]] = [[1, 2]]
    prompts, fresh = [], 10
    for _ in range(300):
        blocks = list(chance.choice(talks))
        for _ in range(chance.randint(0, 4)):
            fresh += 1
            blocks.append(fresh)
        talks.append(blocks)
        prompts.append((blocks, 16 * len(blocks) - chance.randint(0, 15)))
    for size in (64, 512, 4096, 10**9):
        assert cache_hit_ratio(prompts, 16, size) == pytest.approx(reference(prompts, 16, size), abs=0.02)
    assert cache_hit_ratio(prompts, 16, math.inf) == reference(prompts, 16, 10**12)


def test_a_hit_by_hand(tmp_path: Path) -> None:
    """Block 1 of 512 tokens is common: prompts two and three, 300 and 200 tokens, are found: 500 / 600."""
    log = read_log(saved(tmp_path, "mooncake.jsonl", LOGS["mooncake.jsonl"]))
    assert traffic_figures(log, 1e9).cache_hit_ratio == pytest.approx(500 / 600)
    assert traffic_figures(log, 0).cache_hit_ratio == 0
    assert traffic_figures(log).cache_hit_ratio is None
