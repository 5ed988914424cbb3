"""GPU_SPEC, GPU_LIST and PRICE_USD_PER_GPU_HOUR as a cell sees them."""

from collections.abc import Iterator
from datetime import date
from statistics import median

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import UnknownKeyError
from sizebook.functions import load
from sizebook.tables import prices
from sizebook.tables.hardware import accelerator, accelerators, dear_prices
from sizebook.tables.price_rows import PriceRow
from tests.refused import message_of
from tests.row_lists import listed

load()


@pytest.fixture(autouse=True)
def prices_are_quoted_anew() -> Iterator[None]:
    """Tests have rows of their own."""
    prices.quoted_on.cache_clear()
    yield
    prices.quoted_on.cache_clear()


@pytest.mark.parametrize("spelling", ["h100-sxm", "H100-SXM", "h100_sxm", " H100 SXM "])
def test_spelling_is_forgiven(spelling: str) -> None:
    assert call("GPU_SPEC", spelling, "memory_bytes") == 80 * 2**30


def test_a_spec_is_text_where_the_sheet_has_words() -> None:
    assert call("GPU_SPEC", "b200-sxm", "generation") == "blackwell"


def test_gpu_list_spills_one_key_a_row() -> None:
    everything = call("GPU_LIST")
    assert [key for (key,) in everything] == list(accelerators())
    assert ["mi300x"] in call("GPU_LIST", "amd")
    assert ["h100-sxm"] not in call("GPU_LIST", "amd")


@pytest.mark.parametrize(*listed("tables", "test_a_gpu_is_asked_for_in_full"))
def test_a_gpu_is_asked_for_in_full(typed: str, sharing: str) -> None:
    assert message_of(UnknownKeyError, accelerator, typed) == (
        f"ambiguous gpu: got '{typed}', want its form and memory size too. Use one of {sharing}."
    )


def test_the_maker_before_the_name_is_forgiven() -> None:
    assert accelerator("NVIDIA L40S").key == "l40s"
    assert accelerator("amd_mi300x").key == "mi300x"


def test_the_name_that_reports_print_is_accepted() -> None:
    assert accelerator("H100 SXM5 80 GB").key == "h100-sxm"
    assert all(accelerator(each.name) is each for each in accelerators().values())


@pytest.mark.parametrize(
    ("gpu", "price", "most"),
    [("h100-sxm", 25, None), ("h100-sxm", 220, "25"), ("h100-pcie", 13, "12"), ("h100-sxm", float("nan"), None)],
)
def test_a_price_of_a_month_or_in_cents_is_told(gpu: str, price: float, most: str | None) -> None:
    """Bounds of data/generations.csv: up to 25 USD for Hopper, 12 for its cards. 220 cents were planned with unsaid."""
    told = f"A price of {price:g} USD a GPU-hour is unusually high. Such a GPU costs {most} USD at most."
    assert [str(each) for each in dear_prices(gpu, price, price)] == ([told] if most else [])


def test_peaks_by_dtype() -> None:
    b200 = accelerator("b200-sxm")
    assert b200.peak_flop_per_s("fp4") == 2 * b200.peak_flop_per_s("fp8") == 4 * b200.peak_flop_per_s("bf16")
    assert message_of(UnknownKeyError, lambda: accelerator("a100-sxm-80gb").peak_flop_per_s("fp8")) == (
        "no fp8 peak: got 'a100-sxm-80gb', want an accelerator with fp8 units. It has fp32, tf32, bf16, fp16, int8."
    )


def row(provider: str, region: str, date: str, usd: float) -> PriceRow:
    hour = 8 * usd
    return PriceRow(provider, "8x", "h100-sxm", 8, region, "on_demand", hour, usd, "USD", date, "catalog", date)


ROWS = (
    row("one", "east", "2025-01", 9.0),  # older than the next rows of the same provider: does not count
    row("one", "east", "2026-01", 3.0),
    row("one", "west", "2026-01", 5.0),
    row("one", "south", "2026-01", 10.0),
    row("two", "all", "2025-06-01", 2.0),
)


def test_newest_rows_of_each_provider_then_the_median_of_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prices, "prices", lambda: ROWS)
    assert prices.quote("h100-sxm").usd_per_gpu_hour == median([5.0, 2.0])
    assert prices.quote("h100-sxm", provider="ONE").usd_per_gpu_hour == 5.0
    assert prices.quote("h100-sxm", provider="one", region="East").usd_per_gpu_hour == 3.0
    assert prices.quote("h100-sxm", provider="one").rows == ROWS[1:4]


def test_the_basis_names_table_spread_and_age(monkeypatch: pytest.MonkeyPatch) -> None:
    """10th and 90th percentile of 2, 5 and 9 USD: 2 + 0.2 * 3 and 5 + 0.8 * 4."""
    monkeypatch.setattr(prices, "prices", lambda: (*ROWS, row("three", "all", "2026-11-01", 9.0)))
    with prices.valued_on(date(2026, 11, 2)):
        found = prices.quote("h100-sxm")
    assert (found.low_usd_per_gpu_hour, found.high_usd_per_gpu_hour) == pytest.approx((2.6, 8.2))
    # January 2026 counts from its first day: 305 days; June 2025 is 519 days before; three rows of one provider.
    assert found.basis == (
        "data/prices.csv: on demand, median of 3 providers, 2.60 to 8.20 USD from the 10th to the 90th percentile, "
        "2025-06-01 to 2026-11-01; 4 of 5 prices over 180 days old"
    )


def test_the_users_own_rows_come_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prices, "prices", lambda: ROWS)
    monkeypatch.setattr(prices, "user_prices", lambda: (row("contract", "all", "2026-02-01", 1.75),))
    assert prices.quote("h100-sxm").usd_per_gpu_hour == 1.75
    assert prices.quote("h100-sxm", provider="two").usd_per_gpu_hour == 2.0


@pytest.mark.parametrize(*listed("tables", "test_price_errors"))
def test_price_errors(monkeypatch: pytest.MonkeyPatch, cells: list[str | None], message: str) -> None:
    monkeypatch.setattr(prices, "prices", lambda: ROWS)
    assert message_of(UnknownKeyError, call, "PRICE_USD_PER_GPU_HOUR", *cells) == message
