"""Display of quantities: the label always says which kind of gigabyte."""

import math

import pytest

from sizebook.core import units


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (units.gibibytes(1_417_347_072), "1.32 GiB"),
        (units.gigabytes(1_417_347_072), "1.42 GB"),
        (units.gibibytes(16_060_522_496, 4), "14.96 GiB"),
        (units.gigabytes(999_960_000), "1.00 GB"),
        (units.gigabytes(0), "0 B"),
        (units.parameters(70_553_706_496), "70.6 B"),
        (units.parameters(999), "999"),
        (units.parameters(16), "16"),
        (units.parameters(1.5), "1.50"),
        (units.usd(1_239_000), "$1.24 M"),
        (units.usd(-5), "-$5.00"),
        (units.duration(3.2 * 86400), "3.20 days"),
        (units.duration(0.0412), "41.2 ms"),
        (units.percent(0.961), "96.1 %"),
        (units.grouped(1_234_567), "1 234 567"),
        (units.energy(1_240_000), "1.24 GWh"),
        (units.energy(12), "12.0 kWh"),
        (units.mass(12_340), "12.3 t"),
        (units.mass(310), "310 kg"),
        (units.flop(16.1e9), "16.1 GFLOP"),
        (units.flop(6.738e24), "6.74 × 10²⁴ FLOP"),
        (units.significant(9.996), "10.0"),
        (units.significant(1234.4), "1 234"),
        (units.in_unit(1_050_624, "parameters"), "1 050 624 parameters (1.05 M)"),
        (units.in_unit(0.4, "ratio"), "0.4000 (40.0 %)"),
        (units.in_unit(7, "tokens"), "7 tokens"),
    ],
)
def test_display(shown: str, text: str) -> None:
    assert shown.replace(units.THIN_SPACE, " ").replace(units.NO_BREAK_SPACE, " ") == text


def test_figures_that_are_compared_never_read_alike() -> None:
    assert units.distinct_figures(414.2, 400) == ("414", "400")
    assert units.distinct_figures(89.3, 89) == ("89.3", "89.0")
    assert units.distinct_figures(89.0004, 89) == ("89.0004", "89.0000")
    assert units.distinct_figures(12_345.6, 12_345.4) == (units.grouped(12_346), units.grouped(12_345))
    assert units.distinct_figures(3, 3) == ("3", "3")


def test_next_to_nothing_is_not_spelled_out() -> None:
    assert (units.percent(5.63e-7), units.percent(1e-4), units.percent(0)) == (
        "<0.01\u00a0%", "0.0100\u00a0%", "0\u00a0%",
    )  # fmt: skip


@pytest.mark.parametrize("value", [0.08645, 2.5e-5, 1234.5, 0.125, 8.6449999999])
def test_sums_in_another_order_are_one_figure(value: float) -> None:
    """A mean power and the peak that it equals differ in their last bit: 0.0865 beside 0.0864 contradicts itself."""
    beside = (math.nextafter(value, 0), math.nextafter(value, math.inf))
    assert {units.significant(each) for each in beside} == {units.significant(value)}
