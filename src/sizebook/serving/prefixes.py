"""Prefixes that stay in a cache between the turns of conversations: how long, and how many turns find theirs.

What nobody uses leaves a cache in the order of its last use. While requests come at a steady rate all of it leaves at
one age (Che, Tung and Wang 2002), at which what is younger fills the room that is there:

    conversations / s x (sum of bytes x think x (1 - exp(-age / think)) + bytes behind the last turn x age) = room

over all turns but the last. A next turn comes after an exponential time to think, so it finds its prefix, which it
takes along, with the chance 1 - exp(-age / think).
"""

import math
from dataclasses import dataclass, replace

from sizebook.serving.case import Case

_HALVINGS = 60


@dataclass(frozen=True)
class Talk:
    """A conversation as caches see it: bytes on a GPU behind each turn, and mean seconds from an answer to a prompt."""

    bytes_behind: tuple[float, ...]
    think_seconds: float

    def byte_seconds(self, age: float) -> float:
        """Return byte-seconds that one conversation takes of a cache that evicts at an age."""
        *before, last = self.bytes_behind
        return math.fsum(before) * self.think_seconds * self.hit_chance(age) + last * age

    def hit_chance(self, age: float) -> float:
        """Return the chance that a next turn finds the prefix in a cache that evicts at an age."""
        return -math.expm1(-age / self.think_seconds)


def age_evicted(talk: Talk, room_bytes: float, conversations_per_second: float) -> float:
    """Return the seconds after its last use at which a prefix leaves a cache with so much room, by halving."""
    if room_bytes <= 0:
        return 0.0
    held = room_bytes / conversations_per_second
    low, high = 0.0, held / talk.bytes_behind[-1]  # what the last turns leave behind alone
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if talk.byte_seconds(middle) <= held else (low, middle)
    return low


@dataclass(frozen=True)
class Tiers:
    """Ages at which prefixes leave the GPU and what lies behind it, the share of turns that come back to their replica,
    and whether what lies behind it serves all replicas.
    """

    gpu_seconds: float
    host_seconds: float
    returning: float
    shared: bool

    def hit_chance(self, talk: Talk) -> tuple[float, float]:
        """Return the shares of later turns that find their prefix at all, and that have it sent back to the GPU.

        The tier behind holds what the GPU holds too, as engines copy blocks when they are written.
        """
        near, far = talk.hit_chance(self.gpu_seconds), talk.hit_chance(self.host_seconds)
        elsewhere = (1 - self.returning) * far if self.shared else 0.0
        every = self.returning * max(near, far) + elsewhere
        return every, every - self.returning * near


@dataclass(frozen=True)
class PrefixReuse:
    """Shares of later turns that find their prefix, and that have it sent back to the GPU, which takes
    ``restore_seconds``; tokens and seconds that prefixes stay for in a GPU's memory and behind it, on a replica.
    """

    hit_share: float = 1.0
    restored: float = 0.0
    restore_seconds: float = 0.0
    gpu_tokens: float = 0.0
    gpu_seconds: float = 0.0
    host_tokens: float = 0.0
    host_seconds: float = 0.0

    @property
    def figures(self) -> dict[str, float]:
        """What is kept of prompts, by the names under which plans show it; stays in hours."""
        return {
            "restored_ratio": self.restored,
            "restore_seconds": self.restore_seconds,
            "prefix_tokens": self.gpu_tokens,
            "prefix_hours": self.gpu_seconds / 3600,
            "host_prefix_tokens": self.host_tokens,
            "host_prefix_hours": self.host_seconds / 3600,
        }

    def mean_restore(self, turns: int) -> float:
        """Return the seconds of sending back that a request waits for on average; a first turn waits for none."""
        return self.restored * self.restore_seconds * (turns - 1) / turns


def delayed_case(case: Case, seconds: float) -> Case:
    """Return a case whose first tokens come later by some seconds in which nothing else waits."""
    first = case.rates["first_token_seconds"] + seconds
    return replace(case, rates={**case.rates, "first_token_seconds": first}) if seconds else case
