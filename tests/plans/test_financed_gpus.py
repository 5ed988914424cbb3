"""Bought GPUs that are written off faster, and paid for by loans and leases: by hand, and as money is worth today."""

from dataclasses import replace
from typing import Any

import pytest

from sizebook.core.errors import InputError
from sizebook.formulas.money import Running
from sizebook.plans.alternatives import AlternativeMonth, months_by_way, present_values, totals_of
from sizebook.plans.owned import Financing, OwnedGpus, OwnedNode
from sizebook.plans.serving.option_steps import alternative_steps
from tests.plans.serving.test_alternatives import OWNED, plan
from tests.refused import message_of

# Eight GPUs at 36 000 are 288 000; a quarter, 72 000, is left after twelve months.
BOUGHT = OwnedGpus(capex_usd=36_000, years=1.0, running=Running(usd_per_kwh=0.0, residual=0.25))
NODE = OwnedNode(BOUGHT, 8, 10.0, tdp_watts=500, pue=1.25)
LOAN = Financing(financing="loan", financing_rate_per_year=0.12, loan_months=24)
LEASE = Financing(financing="lease", financing_rate_per_year=0.12)


def node(**asked: Any) -> OwnedNode:
    return replace(NODE, owned=replace(BOUGHT, **asked))


def months(of: OwnedNode, needed: list[int]) -> tuple[AlternativeMonth, ...]:
    rented = plan(months=len(needed)).months
    return months_by_way(rented, [0.0] * len(needed), owned=of.months(needed, [0.0] * len(needed)))


def test_a_sixth_of_what_is_left_each_month_by_hand() -> None:
    """Twice a twelfth: 48 000 of 288 000, then 40 000 of 240 000. A node that is bought later begins anew.

    After month 7 are left 288 000 x (5/6)^7 = 80 376; of month 8 a sixth is more than what is left above 72 000.
    """
    found = node(depreciation="declining_balance").months([1, 2, *[2] * 10], [0.0] * 12)
    assert [each.written_off_usd for each in found[:3]] == pytest.approx([48_000, 88_000, 40_000 + 100_000 / 3])
    eighth = 288_000 * (5 / 6) ** 7 - 72_000
    assert found[7].written_off_usd == pytest.approx(eighth + 288_000 * (5 / 6) ** 6 / 6)
    assert [each.written_off_usd for each in found[9:]] == pytest.approx([0] * 3, abs=1e-6)
    assert sum(each.written_off_usd for each in found) == pytest.approx(2 * (288_000 - 72_000))


def test_a_loan_by_hand() -> None:
    """At 1 % a month over 24 months 288 000 are 24 x 13 557.16; 2 880 of the first are interest.

    Half a year later 180 000 of the book value are left, and 288 000 x 1.01^6 - 13 557.16 x (1.01^6 - 1) / 0.01 owed.
    """
    paid = 288_000 * 0.01 / (1 - 1.01**-24)
    found = months(node(financing=LOAN), [1] * 6)
    assert [each.capex_usd for each in found] == [0] * 6
    assert [each.instalments_usd for each in found] == pytest.approx([paid] * 6)
    assert found[0].owned_usd == pytest.approx(18_000 + 2_880)
    assert found[1].owned_usd == pytest.approx(18_000 + 0.01 * (288_000 * 1.01 - paid))
    owed = 288_000 * 1.01**6 - paid * (1.01**6 - 1) / 0.01
    assert totals_of(found).owned_left_usd == pytest.approx(180_000 - owed)
    assert totals_of(found).owned_capex_usd == pytest.approx(6 * paid)
    # Beyond their use instalments go on, and what the GPUs are then worth comes in.
    beyond = node(financing=LOAN).months([1, *[0] * 25], [0.0] * 26)
    assert [each.instalments_usd for each in beyond] == pytest.approx([paid] * 24 + [0, 0])
    assert beyond[12].capex_usd == -72_000


def test_a_lease_is_paid_down_to_what_goes_back() -> None:
    """72 000 are left in month 12 and go back with the node: all that is paid was written off or is interest."""
    paid = (288_000 * 1.01**12 - 72_000) * 0.01 / (1.01**12 - 1)
    found = months(node(financing=LEASE), [1] * 12 + [0])
    assert [each.instalments_usd for each in found] == pytest.approx([paid] * 12 + [0])
    assert [each.capex_usd for each in found] == [0] * 13
    assert sum(each.owned_usd or 0 for each in found) == pytest.approx(12 * paid)
    assert totals_of(found).owned_left_usd == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("needed", [[1] * 5, [1, 2, *[1] * 12], [2] * 30])
@pytest.mark.parametrize("financing", [LOAN, LEASE])
@pytest.mark.parametrize("depreciation", ["straight_line", "declining_balance"])
def test_at_its_own_interest_a_debt_is_worth_what_it_pays_for(
    financing: Financing, depreciation: str, needed: list[int]
) -> None:
    """As written off the GPUs are worth less sooner, so only bought in the same way are they worth the same today."""
    at_once = present_values(months(node(depreciation=depreciation), needed), 0.01).owned
    found = present_values(months(node(depreciation=depreciation, financing=financing), needed), 0.01).owned
    assert found == pytest.approx(at_once)


def test_a_plan_takes_them_into_its_cost_and_its_derivation() -> None:
    """A node of 240 000: a twenty-fourth is written off first, 800 of interest, and 36 instalments of 7 085.76."""
    given = OWNED | {"depreciation": "declining_balance", "financing": "loan", "financing_rate_per_year": 0.04}
    asked = plan(**given, loan_months=36)
    (month,), (plain,) = asked.alternative_months, plan(**OWNED).alternative_months
    paid = 240_000 * (0.04 / 12) / (1 - (1 + 0.04 / 12) ** -36)
    assert month.owned_usd == pytest.approx((plain.owned_usd or 0) - 5000 + 10_000 + 800)
    assert (month.capex_usd, month.instalments_usd, plain.instalments_usd) == (0, pytest.approx(paid), 0)
    steps = {str(step.label): (step.substituted, step.value) for step in alternative_steps(asked)}
    assert steps["Written off of a node in its first month"] == ("30000 * 8 * min(2 / 48, 1 - 0)", 10_000)
    assert steps["Instalment of a node a month"] == ("PMT(0.04 / 12, 36, -240\u202f000, 0)", pytest.approx(paid))
    assert steps["Cost of the month with GPUs bought"][1] == month.owned_usd


@pytest.mark.parametrize(
    ("stated", "message"),
    [
        ({"financing": "loan"},
         "interest rate missing: got financing loan and no financing_rate_per_year, want the interest "
         "rate a year, 0 for none. State it."),
        ({"financing": "lease", "financing_rate_per_year": 0.05, "loan_months": 24},
         "two lengths: got loan_months 24 and a lease, which ends with the use of the GPUs, want its years alone. "
         "Remove loan_months."),
        ({"loan_months": 24},
         "no effect: got loan_months and no financing, want financing with it. State financing, or leave out what "
         "needs it."),
    ],
)  # fmt: skip
def test_half_a_debt_is_refused(stated: dict[str, Any], message: str) -> None:
    assert message_of(InputError, Financing, **stated) == message
