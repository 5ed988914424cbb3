"""Energy, carbon and money against published figures and sums worked out by hand."""

from __future__ import annotations

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import RangeError
from sizebook.formulas.energy import embodied_co2e_kg, market_co2e_kg, train_co2e_kg, train_energy_kwh
from sizebook.formulas.money import (
    blended_usd_per_gpu_hour,
    break_even_gpu_hours,
    train_cost_usd,
)


@pytest.mark.parametrize(
    ("hours", "watts", "pue", "megawatt_hours", "grams", "tonnes"),
    [
        (82_432, 400, 1.1, 36, 385, 14),  # LLaMA-7B: Touvron et al. 2023, table 15
        (1_022_362, 400, 1.1, 449, 385, 173),  # LLaMA-65B
        (184_320, 400, 1.0, None, 423.4, 31.22),  # Llama-2-7B model card
        (1_460_000, 700, 1.0, None, 414, 420),  # Llama-3.1-8B model card
        (30_840_000, 700, 1.0, None, 414, 8930),  # Llama-3.1-405B model card
    ],
)
def test_published_energy_and_carbon(
    hours: float, watts: float, pue: float, megawatt_hours: float | None, grams: float, tonnes: float
) -> None:
    energy = train_energy_kwh(hours, watts, pue, host_share=0)
    if megawatt_hours:
        assert energy / 1000 == pytest.approx(megawatt_hours, rel=0.015)
    assert train_co2e_kg(energy, grams) / 1000 == pytest.approx(tonnes, rel=0.03)


def test_embodied_carbon_of_bloom() -> None:
    # Luccioni et al. 2022 (arXiv:2211.02001), table 3: 11.2 t embodied for 1.08 M GPU-hours.
    assert embodied_co2e_kg(1_082_990) / 1000 == pytest.approx(11.2, rel=0.01)


def test_wall_power_of_eight_b200() -> None:
    # MLPerf Inference v5.1 power submission: 10,401 W at the wall for 8 GPUs of 1,000 W.
    assert train_energy_kwh(8, 1000, 1.0, host_share=0.3) == pytest.approx(10.401, rel=0.001)


def test_idle_hours_draw_idle_power() -> None:
    assert train_energy_kwh(100, 700, 1.0, host_share=0, idle_share=0.1, idle_watts=70) == pytest.approx(
        90 * 0.7 + 10 * 0.07
    )


def test_market_based_is_location_based_where_nothing_is_covered() -> None:
    assert market_co2e_kg(1000, 0, 400) == train_co2e_kg(1000, 400)
    assert market_co2e_kg(1000, 1, 400, 20) == 20


def test_an_owned_gpu_by_hand() -> None:
    # (30000 x 0.9 / 5 + 600) / (8760 x 0.5) + 1.0 kW x (1.2 x 0.1 + 150 x 12 / 4380)
    hourly = call("OWNED_USD_PER_GPU_HOUR", 30_000, 5, 0.5, 1000, 1.2, 0.1, 150, 600, 0.1)
    assert hourly == pytest.approx(6000 / 4380 + 0.12 + 1800 / 4380)


def test_break_even_is_where_both_cost_the_same() -> None:
    hours = break_even_gpu_hours(30_000, 2.5, 0.25)
    assert hours * 2.5 == pytest.approx(30_000 + hours * 0.25)


def test_what_costs_more_to_run_than_to_rent_never_breaks_even() -> None:
    for running in (2.5, 3):
        with pytest.raises(RangeError) as refused:
            break_even_gpu_hours(30_000, 2.5, running)
        assert str(refused.value) == (
            f"never breaks even: got {running} USD a GPU-hour to run, want less than the rent of 2.5. Rent it."
        )


def test_a_negative_budget_buys_nothing() -> None:
    with pytest.raises(RangeError, match=r"^budget_usd is out of range: got -1, want at least 0 \(money\)"):
        call("TOKENS_FOR_BUDGET", -1, 1e11, 2, 1e15, 0.4)


def test_a_mix_of_terms_and_a_sum() -> None:
    assert train_cost_usd(1000, blended_usd_per_gpu_hour(0.5, 2, 4), 500) == 3500
