"""Break-evens that two peers publish, worked out again by the pieces that plans use."""

import math

import pytest

from sizebook.core.sections import put_together
from sizebook.plans.alternatives import settled_month
from sizebook.plans.break_even import Course, Stairs, first_crossing
from sizebook.plans.owned import OwnedGpus, OwnedNode

# ewyluda/gpu-price-index at a3b9e64, tests/fixtures/tco_cases.json: servers of 8 GPUs, USD a server, kW of one, years,
# 8 % of the purchase a year for operations, 150 USD a kW and month. Published: written off, colocation and operations
# a month of all servers, interest and energy a month, rent a month, and the month by which owning has cost no more.
SERVERS = [
    (8, 250_000, 10.2, 5, (33_333.33, 12_240.0, 13_333.33), 6_666.67 + 4_987.03, 124_929.28, 23),  # 64 H100 at 70 %
    (1, 450_000, 14.3, 5, (7_500.0, 2_145.0, 3_000.0), 1_500.0 + 626.97, 13_919.64, None),  # 8 B200 at 35 %
    (2, 250_000, 11.0, 5, (8_333.33, 3_300.0, 3_333.33), 1_666.67 + 1_886.25, 10_468.20, None),  # 12 MI300X at 50 %
    (32, 120_000, 6.5, 4, (80_000.0, 31_200.0, 25_600.0), 17_600.0 + 15_278.14, 241_448.96, 26),  # 256 A100 at 95 %
    (1, 70_000, 4.5, 5, (1_166.67, 675.0, 466.67), 233.33 + 204.98, 1_182.60, None),  # 3 L40S at 20 %
]


@pytest.mark.parametrize(("servers", "usd", "kw", "years", "published", "beside", "rent", "month"), SERVERS)
def test_months_until_owned_servers_have_cost_no_more_than_rented_ones(
    servers: int,
    usd: float,
    kw: float,
    years: int,
    published: tuple[float, float, float],
    beside: float,
    rent: float,
    month: int | None,
) -> None:
    """Interest on half of the purchase, and energy at a load of its own, are the peer's: taken as it publishes them."""
    asked = {"capex_usd": usd / 8, "years": years, "residual": 0.0, "usd_per_kwh": 0.0, "staff_usd_per_year": usd / 100}
    owned = put_together(OwnedGpus, {**asked, "colocation_usd_per_kw_month": 150.0})
    found = OwnedNode(owned, gpus=8, kw=kw, tdp_watts=700.0, pue=1.3).months([servers] * 12 * years, [0.0] * 12 * years)
    written_off, colocation, operations = published
    assert found[0].written_off_usd == pytest.approx(written_off, abs=0.005)
    assert found[0].running_usd == pytest.approx(colocation + operations, abs=0.01)
    paid = [each.capex_usd + each.running_usd + beside for each in found]
    assert settled_month(paid, [rent] * len(found)) == month


def test_the_tokens_from_which_rented_replicas_cost_no_more_than_an_api() -> None:
    """redhat-performance/configiq at 5233437, lib/hybrid-savings/audit-scenarios.test.ts: 81 M tokens a replica.

    100 USD a replica and 30 beside, 1.40 USD a million at the API: two replicas end at 162 M tokens, where the API asks
    226.8 of 230 USD; three cost 330, which the API asks at 330 / 1.4 = 235.714286 M tokens.
    """
    replica = 100 * 3_600 * 100 * 0.9 / 2 * 5 / 1e6  # output tokens a second, hours, load, peak, all tokens over output
    assert replica == 81
    rented = Course(lambda millions: 30 + 100 * math.ceil(millions / replica))
    met = first_crossing(rented, Course(lambda _: 0.0, slope=1.4), Stairs(frozenset({replica})).ends(0.0))
    assert met.times is not None and math.ceil(met.times * 1e6) == 235_714_286


def test_an_owned_server_of_the_other_audit_costs_400_a_month() -> None:
    """The same file: 24,000 USD over five years, nothing else; 800 from the second replica on."""
    node = OwnedNode(put_together(OwnedGpus, {"capex_usd": 24_000, "years": 5, "usd_per_kwh": 0.0}), 1, 0.0, 0.0, 1.0)
    assert [month.written_off_usd for month in node.months([1, 2], [0.0, 0.0])] == pytest.approx([400, 800])
