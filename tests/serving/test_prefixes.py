"""Prefixes that stay in a cache between turns: their age, who finds them, and what is sent back."""

import math

import pytest

from sizebook.serving.prefixes import PrefixReuse, Talk, Tiers, age_evicted
from tests.row_lists import listed

TALK = Talk((1.0, 2.0), think_seconds=10.0)  # a byte behind the first of two turns, two behind the last


def test_a_cache_is_full_at_the_age_at_which_it_evicts() -> None:
    """At an age of 10 ln 2 s half of the next turns came in time: 1 x 10 x 0.5 + 2 x 6.931 = 18.863 byte-seconds of
    each conversation, so that 3 a second fill 56.589 bytes.
    """
    age = 10 * math.log(2)
    assert TALK.hit_chance(age) == pytest.approx(0.5)
    assert TALK.byte_seconds(age) == pytest.approx(5 + 2 * age)
    assert age_evicted(TALK, 3 * (5 + 2 * age), conversations_per_second=3.0) == pytest.approx(age)
    assert age_evicted(TALK, 0.0, conversations_per_second=3.0) == 0


def test_prefixes_of_single_requests_stay_for_room_over_rate() -> None:
    """1,000 bytes of room, 4 bytes behind each of 5 requests a second: 50 s."""
    assert age_evicted(Talk((4.0,), think_seconds=60.0), 1000.0, conversations_per_second=5.0) == pytest.approx(50)


@pytest.mark.parametrize(*listed("serving", "test_turns_find_their_prefix_on_the_gpu_or_behind_it"))
def test_turns_find_their_prefix_on_the_gpu_or_behind_it(
    returning: float, shared: bool, found: float, restored: float
) -> None:
    tiers = Tiers(10 * math.log(2), 20 * math.log(2), returning, shared)
    assert tiers.hit_chance(TALK) == pytest.approx((found, restored))


def test_a_tier_that_evicts_sooner_than_the_gpu_sends_nothing_back() -> None:
    assert Tiers(10 * math.log(2), 5.0, 1.0, False).hit_chance(TALK) == pytest.approx((0.5, 0.0))


def test_a_first_turn_waits_for_nothing() -> None:
    """Of four requests three are later ones; half of those wait 0.2 s: 0.075 s on average."""
    assert PrefixReuse(hit_share=0.9, restored=0.5, restore_seconds=0.2).mean_restore(4) == pytest.approx(0.075)
