"""The grid table: countries and cloud regions in grams per kilowatt-hour, whatever unit the source used."""

import csv
from pathlib import Path

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import UnknownKeyError
from sizebook.core.tables import by_key, table
from sizebook.functions import load
from sizebook.tables.grid import grid_of, grids
from sizebook.validation.data_checks import findings

GRID = by_key("grid", "key")
load()


def test_the_shipped_table_has_no_findings() -> None:
    assert findings("grid", table("grid")) == []


def test_countries_and_the_regions_of_three_clouds() -> None:
    kinds = [key.partition(":")[0] if ":" in key else "country" for key in GRID]
    assert kinds.count("country") >= 200
    assert min(kinds.count(cloud) for cloud in ("aws", "azure", "gcp")) >= 20


def test_metric_tons_became_grams(shared: Path) -> None:
    with (shared / "truth" / "grid_aws.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            grams = float(GRID[f"aws:{row['Region']}"]["g_co2e_per_kwh"])
            assert grams == pytest.approx(1e6 * float(row["CO2e (metric ton/kWh)"]))


# Two rows of the source print 000402 and 000077: the decimal point is lost, and they read as 402 tons.
@pytest.mark.parametrize(("key", "grams"), [("azure:germanywestcentral", 402), ("azure:finlandcentral", 77)])
def test_a_lost_decimal_point_is_mended(key: str, grams: float) -> None:
    assert float(GRID[key]["g_co2e_per_kwh"]) == grams


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"source": ""}, "no source: got a blank, want where the figures come from. Name the page, paper or file."),
        (
            {"g_co2e_per_kwh": "0.000415755"},
            "implausible intensity: got 0.000415755 g CO2e/kWh, want 1 to 1500. "
            "Check the unit: kg/kWh is 1,000 times, metric tons/kWh 1,000,000 times smaller.",
        ),
        ({"basis": "locaton"}, "unknown basis: got 'locaton', want one of location, market. Did you mean 'location'?"),
        ({"carbon_free_share": "87"}, "share out of range: got '87', want 0 to 1. Divide a percentage by 100."),
    ],
)
def test_findings_of_a_row(cells: dict[str, str], message: str) -> None:
    row = {**GRID["gcp:us-central1"], **cells}
    assert findings("grid", [row]) == [f"line 2 (gcp:us-central1): {message}"]


@pytest.mark.parametrize(
    ("region", "basis", "grams"),
    [
        ("aws:us-east-1", None, 415.755),
        ("FRA", None, 56.039),
        ("france", None, 56.039),
        ("gcp:us-central1", "location", 412.72),
        ("gcp:us-central1", "market", 412.72 * 0.13),
    ],
)
def test_grid_g_per_kwh(region: str, basis: str | None, grams: float) -> None:
    assert call("GRID_G_PER_KWH", region, basis) == pytest.approx(grams)


@pytest.mark.parametrize(
    ("region", "basis", "message"),
    [
        (
            "us-east-1",
            None,
            "unknown region: got 'us-east-1', want a key of data/grid.csv: a country, its code of two or "
            "three letters, or aws:, gcp: or azure: with a region. Did you mean 'aws:us-east-1'?",
        ),
        (
            "Frnce",
            None,
            "unknown region: got 'Frnce', want a key of data/grid.csv: a country, its code of two or "
            "three letters, or aws:, gcp: or azure: with a region. Did you mean 'france'?",
        ),
        (
            "aws:us-east-1",
            "market",
            "no market-based figure: got 'aws:us-east-1', want a region whose operator publishes a carbon-free share "
            "(gcp:). Use basis location, or type the grams per kWh of your contract.",
        ),
    ],
)
def test_grid_errors(region: str, basis: str | None, message: str) -> None:
    with pytest.raises(UnknownKeyError) as raised:
        call("GRID_G_PER_KWH", region, basis)
    assert str(raised.value) == message


@pytest.mark.parametrize("spelling", ["DE", "de", "DEU", "Germany", " germany "])
def test_a_country_by_any_of_its_names(spelling: str) -> None:
    assert grid_of(spelling) is grid_of("deu")


def test_every_country_has_its_two_letters() -> None:
    """One country each; some whose letters do not begin the three."""
    rows = table("countries")
    assert {row["key"] for row in rows} == {key for key, row in grids().items() if row.kind == "country"}
    assert len({row["alpha_2"] for row in rows}) == len(rows)
    letters = {row["key"]: row["alpha_2"] for row in rows}
    wanted = {"che": "CH", "irl": "IE", "esp": "ES", "hrv": "HR", "ukr": "UA", "chn": "CN", "kor": "KR", "prk": "KP"}
    assert wanted.items() <= letters.items()
