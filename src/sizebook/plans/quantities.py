"""Quantities that more than one plan shows or takes: a name, a unit and a label each, declared once."""

from typing import Annotated, Any

from sizebook.core.sections import Quantity, quantity

USD: Any = {"unit": "USD", "minimum": 0}

MonthNumber = Annotated[int, Quantity("month, the first is now", minimum=0, label="Month")]

# A replica, its node and its fleet

GpusPerReplica = Annotated[int, Quantity("GPUs of one replica", unit="GPUs", minimum=0, label="GPUs of a replica")]
InFlight = Annotated[
    int, Quantity("requests in flight on a replica", unit="requests", minimum=0, label="In flight on a replica")
]
CacheCapacity = Annotated[
    int, Quantity("requests that its cache holds", unit="requests", minimum=0, label="Requests that the cache holds")
]
TimeToFirstToken = Annotated[float, Quantity("time to first token", unit="seconds", label="Time to first token")]
TimePerOutputToken = Annotated[float, Quantity("time per output token", unit="seconds", label="Time per output token")]
RequestRate = Annotated[float, Quantity("requests a second of a replica", unit="requests/s", label="Rate of a replica")]
OutputRate = Annotated[
    float, Quantity("output tokens a second of a replica", unit="tokens/s", label="Output tokens a second")
]
Workers = Annotated[str, Quantity("workers of one replica, and what they do", label="Workers of a replica")]
RatesBasis = Annotated[
    str, Quantity("rates that times are worked out with: shipped, or a file of own ones", label="Rates")
]
ReleaseBasis = Annotated[
    str,
    Quantity("release of the engine, what it does by default and whether the fit has seen it", label="Engine release"),
]
TdpWatts = Annotated[float, Quantity("power of one GPU: its TDP", unit="watts", label="Power of a GPU")]
GpusPerNode = Annotated[int, Quantity("GPUs of a node", unit="GPUs", minimum=0, label="GPUs of a node")]
SpareReplicas = Annotated[
    int, Quantity("replicas kept for failures", unit="replicas", minimum=0, label="Spare replicas")
]

# A training run

ModelParameters = Annotated[int, Quantity("parameters of the model", unit="parameters", minimum=0, label="Parameters")]
TrainedParameters = Annotated[
    int, Quantity("parameters that are trained", unit="parameters", minimum=0, label="Trained parameters")
]
LayoutName = Annotated[str, Quantity("layout in the field's shorthand", label="Layout")]
TokensPerGpu = Annotated[
    float, Quantity("tokens a second on one GPU", unit="tokens/s", minimum=0, label="Tokens per second and GPU")
]
RecipeText = Annotated[str, Quantity("what of memory was stated or settled as the lightest that fits", label="Recipe")]
MeasuredFamily = Annotated[str, Quantity("family of measured runs whose band is shown", label="Band of")]
WholeRunFactor = Annotated[
    float,
    Quantity("whole run over steady state, as given or by default", unit="ratio", label="Whole run over steady state"),
]
WholeRunBasis = Annotated[str, Quantity("where that comes from", label="Whole-run basis")]

# Money, energy and carbon

OnDemandRate = Annotated[
    float, Quantity("price of a GPU-hour on demand", unit="USD/GPU-hour", label="On-demand GPU-hour")
]
ReservedRate = Annotated[
    float, Quantity("price of a reserved GPU-hour", unit="USD/GPU-hour", label="Reserved GPU-hour")
]
ReservedLongRate = Annotated[
    float | None,
    Quantity(
        "price of a GPU-hour reserved for three years, blank where no such contract may be signed",
        unit="USD/GPU-hour",
        label="GPU-hour reserved for three years",
    ),
]
PricesBasis = Annotated[str, Quantity("where the prices come from", label="Price basis")]
PriceBasis = Annotated[str, Quantity("where the price comes from", label="Price basis")]
PriceLow = Annotated[
    float,
    Quantity("price of a GPU-hour, 10th percentile of providers", unit="USD/GPU-hour", label="GPU-hour, low"),
]
PriceHigh = Annotated[
    float,
    Quantity("price of a GPU-hour, 90th percentile of providers", unit="USD/GPU-hour", label="GPU-hour, high"),
]
PriceShare = Annotated[
    float | None,
    Quantity(
        "share of the variance of the range of cost that is the price's, blank where there is no range",
        unit="ratio",
        minimum=0,
        maximum=1,
        label="Price's share of the range",
    ),
]
EnergyKwh = Annotated[float, Quantity("electrical energy", unit="kWh", minimum=0, label="Energy")]
StatedGrams = Annotated[
    float | None,
    Quantity(
        "greenhouse gases per energy, blank for the grid's",
        unit="gCO2e/kWh",
        minimum=0,
        maximum=1e5,
        default=None,
        label="Grams of CO2e per kWh",
        source="data/grid.csv",
    ),
]


def gpu_hour_price(meaning: str, label: str) -> Any:
    """Declare the price of a GPU-hour that an input may state, blank for that of the price table."""
    return quantity(
        meaning, "USD/GPU-hour", minimum=0, maximum=1e6, default=None, label=label, source="data/prices.csv"
    )


def band_end(figure: str, percent: int, unit: str, label: str = "") -> Quantity:
    """Return what one end of the band of a figure is; its label is the figure where none is given."""
    shown = label or f"{figure[:1].upper()}{figure[1:]}"
    return Quantity(f"{figure}, {percent}th percentile of measured", unit=unit, label=f"{shown}, p{percent}")
