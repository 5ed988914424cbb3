"""Columns of figures align and stay honest about small numbers."""

import pytest

from sizebook.reports.number_columns import aligned, binary_scale, decimal_scale, fixed, percentages, short_scale


def test_column_has_as_many_decimals_as_its_smallest_number_needs() -> None:
    assert aligned([32.12e9, 4.015e9], factor=1e9) == ["32.12", "4.01"]
    assert aligned([0.0464, 12.5]) == ["0.046", "12.500"]
    assert aligned([140.6, 70.3]) == ["140.6", "70.3"]
    assert aligned([0.0, 1500.0]) == ["0", "1\u202f500"]


def test_negative_numbers_have_a_minus_sign_not_a_hyphen() -> None:
    assert fixed(-1234.5, 1) == "\u22121\u202f234.5"


def test_numbers_that_would_round_to_zero_say_so() -> None:
    assert percentages([0.7, 0.00001, 0.0, -0.00001]) == ["70.00", "<0.01", "0.00", ">\u22120.01"]


@pytest.mark.parametrize(
    ("scale", "values", "expected"),
    [
        (decimal_scale, [3.2e10, 5e6], (1e9, "G")),
        (binary_scale, [2.0**31], (2.0**30, "Gi")),
        (short_scale, [7e9, 1.0], (1e9, "B")),
        (short_scale, [12.0], (1.0, "")),
        (short_scale, [], (1.0, "")),
    ],
)
def test_scale_fits_the_largest_value(scale: object, values: list[float], expected: tuple[float, str]) -> None:
    assert scale(values) == expected  # type: ignore[operator]
