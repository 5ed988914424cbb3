"""The price table: dated rows of many catalogs, and what makes a row implausible."""

import re

import pytest

from sizebook.core.tables import Row, by_key, table
from sizebook.tables.hardware import accelerators
from sizebook.tables.prices import on_demand_beside, quote
from sizebook.validation.data_checks import findings

P5: Row = {
    "provider": "aws",
    "instance": "p5.48xlarge",
    "gpu": "h100-sxm",
    "gpus": "8",
    "region": "us-east-1",
    "term": "on_demand",
    "usd_per_hour": "55.04",
    "usd_per_gpu_hour": "6.88",
    "currency": "USD",
    "date": "2026-01-21",
    "source": "catalog",
    "retrieved": "2026-01-22",
}


def test_the_shipped_table_has_no_findings() -> None:
    assert findings("prices", table("prices")) == []


def test_rows_providers_and_terms() -> None:
    rows = table("prices")
    assert len(rows) >= 80
    assert len({row["provider"] for row in rows}) >= 8
    assert {row["term"] for row in rows} == {"on_demand", "spot", "capacity_block", "reserved_1y", "reserved_3y"}
    assert all(re.fullmatch(r"\d{4}-\d{2}(-\d{2})?", row["date"]) for row in rows)


def test_sources_name_the_catalog_and_the_version_read() -> None:
    catalog, page = r"[\w.-]+/[\w.-]+@[0-9a-f]{7} \S+", r"https://\S+ \(validated \d{4}-\d{2}-\d{2}\)"
    assert [row for row in table("prices") if not re.match(f"{catalog}|{page}", row["source"])] == []


@pytest.mark.parametrize("key", accelerators())
def test_every_accelerator_has_bounds_for_its_price(key: str) -> None:
    found = accelerators()[key]
    card = "card_" if found.form == "pcie" else ""
    bounds = by_key("generations", "generation")[found.generation]
    assert 0 < float(bounds[f"lowest_{card}usd_per_gpu_hour"]) < float(bounds[f"highest_{card}usd_per_gpu_hour"])


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"source": ""}, "no source: got a blank, want where the figures come from. Name the page, paper or file."),
        ({"retrieved": ""}, "no date: got retrieved '', want the day it was read as YYYY-MM-DD. Fill it in."),
        (
            {"date": "2026"},
            "no date: got date '2026', want the price's day or month, YYYY-MM-DD or YYYY-MM. Fill it in.",
        ),
        (
            # The vCPUs and memory of an 8 x H100 host without its accelerators, as catalogs that split them list it.
            {"usd_per_hour": "10.5", "usd_per_gpu_hour": "1.3125"},
            "implausible price: got 1.3125 USD a GPU-hour, want 1.5 to 25 for h100-sxm on_demand. "
            "Check that host and accelerator are priced together, and the number of accelerators.",
        ),
        (
            {"gpus": "1", "usd_per_gpu_hour": "55.04"},
            "implausible price: got 55.04 USD a GPU-hour, want 1.5 to 25 for h100-sxm on_demand. "
            "Check that host and accelerator are priced together, and the number of accelerators.",
        ),
        (
            {"usd_per_gpu_hour": "6.5"},
            "price does not divide: got 6.5 USD a GPU-hour, want 55.04 / 8 = 6.88. Correct one of the three.",
        ),
        ({"currency": "EUR"}, "other currency: got 'EUR', want USD. Convert it and say the rate in source."),
        (
            {"term": "on-demand"},
            "unknown term: got 'on-demand', want one of on_demand, spot, capacity_block, reserved_1y, "
            "reserved_3y. "
            "Did you mean 'on_demand'?",
        ),
        (
            {"gpu": "h100-smx"},
            "unknown gpu: got 'h100-smx', want a key of data/hardware.csv. Did you mean 'h100-sxm'?",
        ),
        ({"region": ""}, "blank region: got nothing, want the catalog's word, or 'all' for one price. Fill it in."),
        ({"usd_per_gpu_hour": "nan"}, "no price: got usd_per_gpu_hour 'nan', want a number above 0. Correct the cell."),
    ],
)
def test_findings_of_a_row(cells: dict[str, str], message: str) -> None:
    row = {**P5, **cells}
    assert findings("prices", [row]) == [f"line 2 (aws p5.48xlarge {row['term']}): {message}"]


def test_spot_may_cost_a_third_of_the_lowest_price() -> None:
    spot = {**P5, "term": "spot", "usd_per_hour": "4.8", "usd_per_gpu_hour": "0.6"}
    assert findings("prices", [spot]) == []


def test_spot_dearer_than_on_demand_is_a_column_mixed_up() -> None:
    spot = {**P5, "term": "spot", "usd_per_hour": "64", "usd_per_gpu_hour": "8"}
    assert findings("prices", [P5, spot]) == [
        "line 3 (aws p5.48xlarge spot): dearer than on demand: got spot 64 USD an hour, want at most 55.04. "
        "Check which column of the catalog it is."
    ]


def test_a_repeated_offer_is_found() -> None:
    assert findings("prices", [P5, P5]) == [
        "line 3 (aws p5.48xlarge on_demand): repeated row: got aws p5.48xlarge h100-sxm us-east-1 on_demand 2026-01-21 "
        "again, want it once. Keep the right one."
    ]


def test_what_the_providers_of_a_quote_ask_on_demand() -> None:
    # p4d.24xlarge 21.9576 in us-east-1 and 30.0978 in ap-northeast-1 at AWS, a2-highgpu-1g 3.6734 at Google.
    reserved = quote("a100-sxm-40gb", term="reserved_1y")
    assert {row.provider for row in reserved.rows} == {"aws", "gcp"}
    assert on_demand_beside(reserved) == pytest.approx(((21.9576 + 30.0978) / 2 / 8 + 3.6734) / 2, rel=1e-4)


def test_a_part_that_is_only_booked_ahead_has_no_price_on_demand() -> None:
    booked = quote("trainium2", term="capacity_block")
    assert booked.usd_per_gpu_hour == pytest.approx(2.235, rel=1e-3)  # trn2.48xlarge 35.7608 / 16
    assert on_demand_beside(booked) is None
