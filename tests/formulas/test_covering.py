"""The units to commit to are the least cost there is: every way to sign is tried on small cases."""

import itertools
import math
import random
from collections.abc import Mapping, Sequence

import pytest

from sizebook.formulas.covering import Need, Offer, cover


def cost(
    needs: Sequence[Need], prices: Sequence[float], offers: Sequence[Offer], signed: Mapping[tuple[int, int], int]
) -> float:
    """Return what a day of each month costs, and the days of contracts after the last one."""
    total = sum(n * offers[o].usd_per_hour[at] * 24 * offers[o].months for (o, at), n in signed.items())
    for month, (need, price) in enumerate(zip(needs, prices, strict=True)):
        held = sum(n for (o, at), n in signed.items() if at <= month < at + offers[o].months)
        total += price * sum(max(0, units - held) * hours for units, hours in need.items())
    return total


def least(needs: Sequence[Need], prices: Sequence[float], offers: Sequence[Offer], most: int) -> float:
    """Return the least cost of all ways to sign up to so many units in each month."""
    places = [(o, at) for o in range(len(offers)) for at in range(len(needs))]
    ways = itertools.product(range(most + 1), repeat=len(places))
    return min(cost(needs, prices, offers, dict(zip(places, way, strict=True))) for way in ways)


@pytest.mark.parametrize("seed", range(150))
def test_no_other_way_to_sign_costs_less(seed: int) -> None:
    drawn = random.Random(seed)
    n, most = drawn.randint(2, 5), drawn.randint(1, 2)
    needs = [{drawn.randint(0, most): 8.0} | {most + 1 - drawn.randint(1, most + 1): 16.0} for _ in range(n)]
    prices = [drawn.choice([2.0, 3.0, 4.0]) for _ in range(n)]
    offers = [Offer(drawn.randint(1, 4), [drawn.choice([1.0, 1.5, 2.0]) for _ in range(n)])]
    if n < 5:
        offers.append(Offer(drawn.randint(2, 5), [drawn.choice([0.8, 1.3]) for _ in range(n)]))
    found = cost(needs, prices, offers, cover(needs, prices, offers))
    assert found == pytest.approx(least(needs, prices, offers, most), rel=1e-12)


def test_a_contract_takes_the_place_of_one_that_ends() -> None:
    """One unit is needed for five months and a second in the third: two contracts of three months cover all of it, and
    neither covers one unit alone."""
    needs = [{1: 24.0}, {1: 24.0}, {2: 24.0}, {1: 24.0}, {1: 24.0}]
    assert cover(needs, [3.0] * 5, [Offer(3, [2.0] * 5)]) == {(0, 0): 1, (0, 2): 1}


def test_what_costs_the_same_is_not_signed() -> None:
    """Twelve hours a day at 4 are a day at 2; thirteen are more."""
    for hours, wanted in ((12.0, {}), (13.0, {(0, 0): 5})):
        assert cover([{5: hours}], [4.0], [Offer(1, [2.0])]) == wanted


def test_a_price_that_nobody_lists_signs_nothing() -> None:
    assert cover([{5: 24.0}], [math.nan], [Offer(1, [2.0])]) == {}
    assert cover([{5: 24.0}], [4.0], [Offer(1, [math.nan])]) == {}


def test_of_contracts_that_cost_the_same_the_shortest_stand() -> None:
    """Five months need two contracts of three; from the second month on they end with the months, and none is idle."""
    needs = [{0: 24.0}, *[{3: 24.0}] * 5]
    assert cover(needs, [3.0] * 6, [Offer(3, [0.0] * 6)]) == {(0, 1): 3, (0, 4): 3}
