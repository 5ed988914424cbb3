"""The price table: dated rows of many catalogs, and what makes a row implausible."""

import re
from collections.abc import Callable

import pytest

from sizebook.core.tables import by_key, table
from sizebook.tables.hardware import accelerators
from sizebook.tables.prices import quote
from sizebook.validation.data_checks import findings
from tests.tables.test_findings import row_of

P5 = row_of("prices")


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


def test_what_the_providers_of_a_quote_ask_on_demand(listed: Callable[..., None]) -> None:
    listed(
        ("aws", "a100-sxm-40gb", "us-east-1", "on_demand", 2.7, "2026-10-10"),
        ("aws", "a100-sxm-40gb", "ap-northeast-1", "on_demand", 3.7, "2026-10-10"),
        ("aws", "a100-sxm-40gb", "us-east-1", "reserved_1y", 1.7, "2026-01-21"),
        ("gcp", "a100-sxm-40gb", "us-central1", "on_demand", 3.6, "2026-11-09"),
        ("gcp", "a100-sxm-40gb", "us-central1", "reserved_1y", 2.3, "2026-08-20"),
        ("verda", "a100-sxm-40gb", "all", "on_demand", 1.3, "2026-10-04"),
    )
    reserved = quote("a100-sxm-40gb", term="reserved_1y")
    assert {row.provider for row in reserved.rows} == {"aws", "gcp"}
    assert reserved.on_demand_beside == pytest.approx(((2.7 + 3.7) / 2 + 3.6) / 2)


def test_a_part_that_is_only_booked_ahead_has_no_price_on_demand(listed: Callable[..., None]) -> None:
    listed(("aws", "trainium2", "us-east-2", "capacity_block", 2.25, "2026-01-31"))
    booked = quote("trainium2", term="capacity_block")
    assert booked.usd_per_gpu_hour == 2.25
    assert booked.on_demand_beside is None
