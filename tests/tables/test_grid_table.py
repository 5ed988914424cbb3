"""The grid table: countries and cloud regions in grams per kilowatt-hour, whatever unit the source used."""

from pathlib import Path

import pytest

from sizebook.core.tables import table
from sizebook.functions import load
from sizebook.tables.grid import grid_of, grids
from tests.csv_files import rows_of

# The first row of a key; a region of AWS or Azure has an undated one, and one of a year where somebody says it.
GRID = {row["key"]: row for row in reversed(table("grid"))}
load()


def test_countries_and_the_regions_of_three_clouds() -> None:
    kinds = [key.partition(":")[0] if ":" in key else "country" for key in GRID]
    assert kinds.count("country") >= 200
    assert min(kinds.count(cloud) for cloud in ("aws", "azure", "gcp")) >= 20


def test_metric_tons_became_grams(shared: Path) -> None:
    for row in rows_of(shared / "truth" / "grid_aws.csv"):
        grams = float(GRID[f"aws:{row['Region']}"]["g_co2e_per_kwh"])
        assert grams == pytest.approx(1e6 * float(row["CO2e (metric ton/kWh)"]))


# Two rows of the source print 000402 and 000077: the decimal point is lost, and they read as 402 tons.
@pytest.mark.parametrize(("key", "grams"), [("azure:germanywestcentral", 402), ("azure:finlandcentral", 77)])
def test_a_lost_decimal_point_is_mended(key: str, grams: float) -> None:
    assert float(GRID[key]["g_co2e_per_kwh"]) == grams


@pytest.mark.parametrize(
    ("key", "grams", "year"),
    [("aws:us-west-2", 322.167, "2020"), ("azure:centralus", 426.254, "2020"), ("aws:ap-northeast-1", 465.8, "2021")],
)
def test_a_region_answers_with_its_newest_year(key: str, grams: float, year: str) -> None:
    """Cloud Carbon Footprint's methodology: 0.000322167 and 0.000426254 t/kWh in WECC and MRO, 0.0004658 in Japan."""
    assert (grid_of(key).g_co2e_per_kwh, grid_of(key).year) == (grams, year)


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
