"""What a month costs over its traffic: whole replicas by hand, each step beside every traffic before it."""

from typing import Any

import pytest

from sizebook.plans.serving.volumes import SHARES, volumes
from tests.plans.serving.test_alternatives import OWNED, plan

API = {"api_provider": "anthropic", "api_model": "claude-haiku-4-5"}
MONTH = 730 / 24  # days


def test_full_and_marginal_cost_by_hand() -> None:
    """Replicas of four GPUs at 2 USD are 5 840 a month, one of them spare, and take 259 978 requests a day each.

    100 000 of 400 tokens put out are 1 216.7 million a month. A node of two replicas is bought at 240 000.
    """
    asked = plan(**OWNED, **API)
    found = {each.traffic_share: each for each in asked.volumes}
    assert tuple(found) == SHARES
    once, of_node = 259_978, 5000 + 400 + 1020 + 153.3
    for share, replicas, nodes in ((0.1, 2, 1), (1.0, 2, 1), (2.0, 2, 1), (3.0, 3, 2), (4.0, 3, 2)):
        each, mtok = found[share], share * 100_000 * MONTH * 400 / 1e6
        assert (each.requests_per_day, each.mtok) == pytest.approx((share * 100_000, mtok))
        assert each.rented_usd == pytest.approx(5840 * replicas)
        assert each.rented_usd_per_mtok == pytest.approx(5840 * replicas / mtok)
        left = ((replicas - 1) * once - share * 100_000) * MONTH * 400 / 1e6
        assert (each.mtok_to_step, each.step_usd) == (pytest.approx(left, rel=1e-4), pytest.approx(5840))
        assert each.next_mtok_usd == 0
        work = share * 100_000 * MONTH * 4 / asked.replica.requests_per_second / 3600 * 0.7 * 1.25 * 0.1
        assert each.owned_usd == pytest.approx(nodes * of_node + work)
        assert each.api_usd == pytest.approx(share * 100_000 * MONTH * (2000 + 400 * 5) / 1e6)
    assert found[1.0].rented_usd == asked.usd_if_kept_up


def test_the_next_million_tokens_take_the_step_when_they_reach_it() -> None:
    """A hundredth of the tokens before a replica is full a million more cost all of the next one."""
    at_once = plan(requests_per_day=259_976.0)
    (found,) = (each for each in at_once.volumes if each.traffic_share == 1.0)
    assert found.mtok_to_step is not None and found.mtok_to_step < 1
    assert found.next_mtok_usd == found.step_usd == pytest.approx(5840)


@pytest.mark.parametrize("changes", [{"shape": "office"}, {"shape": "consumer", "whole_nodes": True, "tp": 2}])
def test_no_traffic_before_the_step_costs_more(changes: dict[str, Any]) -> None:
    last = plan(**changes).last_month
    for each in volumes(last, 400):
        assert each.mtok_to_step is not None and each.step_usd is not None
        far = each.mtok_to_step / each.mtok * each.traffic_share
        costs = [last.usd(each.traffic_share + far * n / 50) for n in range(50)]
        assert costs == pytest.approx([each.rented_usd] * 50)
        assert last.usd((each.traffic_share + far) * (1 + 1e-5)) == pytest.approx(each.rented_usd + each.step_usd)


def test_without_what_is_not_asked_or_listed() -> None:
    assert {(each.owned_usd, each.api_usd) for each in plan().volumes} == {(None, None)}
