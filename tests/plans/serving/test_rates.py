"""The price rule of serving and fleets: what is given counts, and nobody reserves above the price on demand."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from sizebook.core.errors import UnknownKeyError
from sizebook.core.sections import put_together
from sizebook.plans.commitments import CommitmentTerms
from sizebook.plans.serving.inputs import Prices
from sizebook.plans.serving.rates import Rates, rates_of
from sizebook.tables.prices import providers, quote
from tests.refused import message_of

GOOGLE = {"provider": "gcp", "region": "us-central1"}
LISTED = (
    ("gcp", "h100-sxm", "us-central1", "on_demand", 11.0, "2026-11-09"),
    ("gcp", "h100-sxm", "us-central1", "on_demand", 12.0, "2026-11-09"),
    ("gcp", "h100-sxm", "us-central1", "reserved_1y", 7.5, "2026-08-20"),
    ("gcp", "h100-sxm", "us-central1", "reserved_3y", 5.0, "2026-08-20"),
    ("qubrid", "h100-sxm", "all", "reserved_1y", 1.5, "2026-09-20"),
    ("qubrid", "h100-sxm", "all", "on_demand", 3.0, "2026-09-20"),
    ("verda", "h100-sxm", "all", "on_demand", 4.0, "2026-10-04"),
    ("verda", "mi355x", "all", "on_demand", 2.0, "2026-10-04"),
)


@pytest.fixture
def own_list(listed: Callable[..., None]) -> None:
    listed(*LISTED)


def rates(gpu: str = "h100-sxm", term: str = "1y", **values: Any) -> Rates:
    return rates_of(gpu, put_together(Prices, values), CommitmentTerms(sign_terms=term), gpus=1)


RESERVED = [("1y", "one-year reservation", 7.5), ("3y", "three-year reservation", 5.0)]


def money(found: Rates) -> tuple[float, float, str]:
    return found.on_demand_usd, found.reserved_usd, found.basis


def test_prices_that_are_given_count_even_where_reserving_is_dearer() -> None:
    given: dict[str, Any] = {"on_demand_usd_per_gpu_hour": 2.0, "reserved_usd_per_gpu_hour": 3.0}
    assert money(rates(**given)) == (2.0, 3.0, "given in the scenario")


@pytest.mark.usefixtures("own_list")
@pytest.mark.parametrize(("term", "said", "reserved"), RESERVED)
def test_a_provider_answers_with_its_own_prices(term: str, said: str, reserved: float) -> None:
    on_demand, found, basis = money(rates(term=term, **GOOGLE))
    assert (on_demand, found) == ((11 + 12) / 2, reserved)
    few = "fewer than 3 providers list it"
    assert basis == (
        f"data/prices.csv: on demand, gcp alone, 2026-11-09; {few}; "
        f"reserved: data/prices.csv: {said}, gcp alone, 2026-08-20; {few}"
    )


@pytest.mark.usefixtures("own_list")
def test_a_reserved_price_above_the_one_on_demand_is_not_taken() -> None:
    """A year costs 7.50 USD at one and 1.50 at another, 4.50 in the middle; on demand 4.00 of 11.50, 3.00 and 4.00."""
    found = rates()
    assert found.reserved_usd == found.on_demand_usd == 4.0
    assert found.basis == (
        f"{quote('h100-sxm').basis}; reserved: taken as on demand, since the median of a one-year "
        "reservation is dearer (4.50 USD)"
    )
    beside = rates(**GOOGLE, on_demand_usd_per_gpu_hour=5.0)
    assert money(beside) == (5.0, 5.0, (
        "on demand: given in the scenario; reserved: taken as on demand, since the median of a one-year reservation "
        "is dearer (7.50 USD)"
    ))  # fmt: skip


def test_where_none_is_listed_the_price_on_demand_stands_for_both() -> None:
    found = rates("mi355x")
    assert found.reserved_usd == found.on_demand_usd
    assert found.basis == (
        f"{quote('mi355x').basis}; reserved: taken as on demand, since no price of a one-year reservation is listed"
    )


def test_power_and_grid_stand_beside() -> None:
    french = rates(grid="fra", pue=1.1)
    assert (french.tdp_watts, french.pue, french.grams_per_kwh) == (700.0, 1.1, 56.039)
    assert rates(grams_per_kwh=10).grid_basis == "given in the scenario"


@pytest.mark.parametrize("given", [{}, {"on_demand_usd_per_gpu_hour": 2.0}])
def test_a_provider_that_nobody_knows_is_refused(given: dict[str, Any]) -> None:
    assert message_of(UnknownKeyError, rates, provider="gpc", **given) == (
        f"unknown provider: got 'gpc', want 'gcp', or one of {len(providers()) - 1} others. "
        "docs/functions.md lists them."
    )


def test_an_accelerator_without_a_price_has_rates_that_are_not_listed() -> None:
    found = rates("h20")
    assert math.isnan(found.on_demand_usd) and math.isnan(found.reserved_usd)
    said = "no table lists a price of h20: set on_demand_usd_per_gpu_hour"
    assert (found.basis, found.on_demand_range_usd, found.reserved_range_usd) == (said, None, None)
