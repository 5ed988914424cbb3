"""What tables list of an accelerator's price by term, for the formulas of workbooks to choose from."""

from typing import Annotated

from sizebook.core.sections import Quantity, put_together, section
from sizebook.plans.serving.inputs import Prices
from sizebook.tables.prices import listed_quotes

_LABELS = {"on demand": "On demand", "for a year": "Reserved for a year", "for three years": "Reserved for three years"}


def _price(term: str, end: str = "") -> Quantity:
    of = {"low": "10th percentile of providers' prices", "high": "90th percentile of providers' prices"}
    label = f"{_LABELS[term]}, listed {end}".rstrip()
    return Quantity(f"{of.get(end, 'price')} {term} in the tables", unit="USD/GPU-hour", label=label)


def _basis(term: str) -> Quantity:
    return Quantity(f"where the price {term} comes from", kind="text", label=f"{_LABELS[term]}, basis")


@section
class ListedPrices:
    """The price of a GPU-hour by term, both ends of providers, and where it comes from; blank where none is listed."""

    listed_on_demand_usd_per_gpu_hour: Annotated[float | None, _price("on demand")]
    listed_on_demand_low_usd_per_gpu_hour: Annotated[float | None, _price("on demand", "low")]
    listed_on_demand_high_usd_per_gpu_hour: Annotated[float | None, _price("on demand", "high")]
    listed_on_demand_basis: Annotated[str, _basis("on demand")]
    listed_reserved_1y_usd_per_gpu_hour: Annotated[float | None, _price("for a year")]
    listed_reserved_1y_low_usd_per_gpu_hour: Annotated[float | None, _price("for a year", "low")]
    listed_reserved_1y_high_usd_per_gpu_hour: Annotated[float | None, _price("for a year", "high")]
    listed_reserved_1y_basis: Annotated[str, _basis("for a year")]
    listed_reserved_3y_usd_per_gpu_hour: Annotated[float | None, _price("for three years")]
    listed_reserved_3y_low_usd_per_gpu_hour: Annotated[float | None, _price("for three years", "low")]
    listed_reserved_3y_high_usd_per_gpu_hour: Annotated[float | None, _price("for three years", "high")]
    listed_reserved_3y_basis: Annotated[str, _basis("for three years")]


def listed_prices(gpu: str, prices: Prices, gpus: int) -> ListedPrices:
    """Return what tables list of each term for so many GPUs."""
    terms = ("on_demand", "reserved_1y", "reserved_3y")
    found: dict[str, float | str | None] = {}
    quotes = listed_quotes(gpu, prices.provider, prices.region, terms=terms, gpus=gpus, own=prices.own)
    for term, quoted in quotes.items():
        found[f"listed_{term}_basis"] = quoted.basis if quoted else "not listed"
        for end in ("", "low_", "high_"):
            found[f"listed_{term}_{end}usd_per_gpu_hour"] = getattr(quoted, f"{end}usd_per_gpu_hour", None)
    return put_together(ListedPrices, found)
