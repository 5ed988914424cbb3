"""Energy, carbon and money against published figures and sums worked out by hand."""

from sizebook.core.errors import RangeError
from sizebook.formulas.energy import market_co2e_kg, train_co2e_kg
from sizebook.formulas.money import break_even_gpu_hours
from tests.refused import message_of


def test_market_based_is_location_based_where_nothing_is_covered() -> None:
    assert market_co2e_kg(1000, 0, 400) == train_co2e_kg(1000, 400)
    assert market_co2e_kg(1000, 1, 400, 20) == 20


def test_what_costs_more_to_run_than_to_rent_never_breaks_even() -> None:
    for running in (2.5, 3):
        assert message_of(RangeError, break_even_gpu_hours, 30_000, 2.5, running) == (
            f"never breaks even: got {running} USD a GPU-hour to run, want less than the rent of 2.5. Rent it."
        )
