"""How much carbon a kilowatt-hour carries: countries and cloud regions of ``data/grid.csv``."""

from dataclasses import dataclass
from functools import cache
from typing import Annotated

from sizebook.core.errors import UnknownKeyError
from sizebook.core.hints import suggestion
from sizebook.core.registry import function
from sizebook.core.sections import DEFAULT, Quantity
from sizebook.core.tables import Row, is_own, record, table
from sizebook.core.texts import Country, Text, text

BASES = ("location", "market")


@dataclass(frozen=True)
class Grid:
    """The grid of a country or cloud region: grams of CO2e per kWh drawn from it (location-based).

    ``carbon_free_share`` is the share of hours the operator matches with carbon-free energy, where it publishes one.
    """

    key: str
    name: str
    kind: str
    g_co2e_per_kwh: float
    basis: str
    year: str
    carbon_free_share: float | None
    source: str
    retrieved: str

    @property
    def origin(self) -> Text:
        """Where its grams come from, as reports say it."""
        letters = _letters().get(self.key)
        name = Country(self.name, letters) if letters else self.name
        table = text("your table of grids") if is_own("grid", self.key) else text("data/grid.csv")
        return text("{table}: {grid}, {year}, {basis}", table=table, grid=name, year=self.year, basis=text(self.basis))


@cache
def grids() -> dict[str, Grid]:
    """Return the row of the newest year of every key of ``data/grid.csv``, read once."""
    newest: dict[str, Row] = {}
    for row in table("grid"):
        if row["year"] >= newest.setdefault(row["key"], row)["year"]:
            newest[row["key"]] = row
    return {key: record(Grid, row) for key, row in newest.items()}


@cache
def _by_name() -> dict[str, Grid]:
    """Return the grids by name, those of countries by their two letters too: DE and Germany are deu."""
    letters = {row["alpha_2"].casefold(): grids()[row["key"]] for row in table("countries")}
    return {row["name"].casefold(): grids()[row["key"]] for row in table("grid")} | letters


@cache
def _letters() -> dict[str, str]:
    """Return the two letters of each country by the key of its grid."""
    return {row["key"]: row["alpha_2"] for row in table("countries")}


def grid_of(region: str) -> Grid:
    """Return the grid of a region: ``aws:us-east-1``, ``gcp:europe-west1``, ``fra``, ``fr`` or ``France``.

    Errors: an unknown region, with the keys that end in the word (a bare ``us-east-1``) or the nearest one.
    """
    folded = region.strip().casefold()
    found = grids().get(folded) or _by_name().get(folded)
    if found is None:
        ending = [key for key in grids() if key.endswith(f":{folded}")]
        hint = f" Did you mean '{ending[0]}'?" if ending else suggestion(region, [*grids(), *_by_name()])
        raise UnknownKeyError(
            f"unknown region: got '{region}', want a key of data/grid.csv: a country, its code of two or three "
            f"letters, or aws:, gcp: or azure: with a region.{hint}"
        )
    return found


GridRegion = Annotated[
    str,
    Quantity(
        "country code or cloud region, such as fra or aws:us-east-1",
        kind="text",
        choices=lambda: tuple(grids()),
        default="usa",
        label="Region of the grid",
        source="data/grid.csv",
    ),
]
GridBasis = Annotated[
    str, Quantity("what the grid emits (location) or what was bought (market)", choices=BASES, default="location")
]
GramsPerKwh = Annotated[float, Quantity("greenhouse gas per unit of electricity", unit="g CO2e/kWh")]


@function(category="carbon", source="data/grid.csv, one source and year a row")
def grid_g_per_kwh(grid: GridRegion, basis: GridBasis = DEFAULT) -> GramsPerKwh:
    """Return the grams of CO2e that one kWh carries in a country or cloud region.

    location: the mean of the local grid. market: location x (1 - carbon-free share), where the operator publishes that
    share; a lower bound, since the hours left over are dirtier than the mean. Left out: losses on the way and the
    making of power stations, unless the row's source counts them.
    """
    found = grid_of(grid)
    if basis == "location":
        return found.g_co2e_per_kwh
    if found.carbon_free_share is None:
        raise UnknownKeyError(
            f"no market-based figure: got '{found.key}', want a region whose operator publishes a carbon-free share "
            "(gcp:). Use basis location, or type the grams per kWh of your contract."
        )
    return found.g_co2e_per_kwh * (1 - found.carbon_free_share)
