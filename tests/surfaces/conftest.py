"""Fixtures of the tests that compare surfaces."""

from collections.abc import Iterator
from datetime import date

import pytest

from sizebook.tables.prices import valued_on


@pytest.fixture
def on_the_day_of_the_grid() -> Iterator[None]:
    """Prices are as old as on the day that the scenarios of the grid state, for cells too, which state none."""
    with valued_on(date(2026, 11, 21)):
        yield
