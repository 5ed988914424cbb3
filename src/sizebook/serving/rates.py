"""The numbers behind serving times: shares and launch times of measured kernels, and the fitted scheduling of engines.

``data/kernels.csv``, written by ``calibration/kernels.py``, has a row for each accelerator, operation and format,
fitted to the fastest measured kernels; ``data/calibration_serving.csv``, written by ``calibration/serving.py``, the few
numbers that are fitted to running servers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from sizebook.core.tables import table
from sizebook.tables.own_rates import SERVING, Setup

TYPICAL = "typical"  # the median accelerator, for all that nobody measured
COLUMNS = ("launch_seconds", "growth_seconds", "bandwidth", "compute", "passes", "half")
# Where a format was not measured, the next that kernels of it resemble.
_RESEMBLES = {"mxfp4": "fp4", "int8": "fp8"}


@dataclass(frozen=True, slots=True)
class Formats:
    """The formats of one case, as the kernel tables name them, and whether its attention is latent, or has heads wider
    than flash kernels take.
    """

    weights: str
    experts: str
    kv: str
    latent: bool
    wide: bool = False


@cache
def _rows() -> dict[tuple[str, str, str], dict[str, float]]:
    rows = {}
    for row in table("kernels"):
        numbers = {name: float(row[name]) for name in COLUMNS if row[name]}
        rows[row["gpu"], row["operation"], row["format"]] = numbers
    return rows


@cache
def is_measured(gpu: str) -> bool:
    """Return whether the kernels of an accelerator were measured, those of decode steps among them; of AMD's no
    attention in decode steps was.
    """
    return (gpu, "decode_attention", "bf16") in _rows()


def _row(gpu: str, operation: str, form: str) -> dict[str, float]:
    """Return the numbers of an operation: the accelerator's own, or the typical; a near format where one is missing."""
    rows = _rows()
    for wanted in (form, _RESEMBLES.get(form, form)):
        for key in (gpu, TYPICAL):
            if (key, operation, wanted) in rows:
                return rows[key, operation, wanted]
    return rows[TYPICAL, operation, "bf16"]


def _product(gpu: str, form: str) -> dict[str, float]:
    """Return the numbers of matrix products.

    Weights of four bits are unpacked in the kernel of a sixteen-bit product, which takes no longer to launch. Their
    table knows one accelerator and one engine, whose launches would be those of every other.
    """
    row = _row(gpu, "product", form)
    return {**row, "launch_seconds": _row(gpu, "product", "bf16")["launch_seconds"]} if form == "int4" else row


@cache
def scheduling(engine: str) -> dict[str, float]:
    """Return what is fitted end to end: one value for all, on a few numbers times a factor of the engine."""
    values: dict[str, float] = {}
    for row in table("calibration_serving"):
        if row["key"] in ("", engine):
            values[row["name"]] = values.get(row["name"], 1.0) * float(row["value"])
    return values


@cache
def scheduled() -> tuple[str, ...]:
    """Return the names of what is fitted end to end."""
    return tuple(dict.fromkeys(row["name"] for row in table("calibration_serving")))


@cache
def kernel_rates(gpu: str, formats: Formats) -> dict[str, float]:
    """Return the numbers of all operations for one accelerator and the formats of a case, by operation and column."""
    kind = "latent_{}" if formats.latent else "wide_{}" if formats.wide else "{}_attention"
    found = {
        "product": _product(gpu, formats.weights),
        "head": _row(gpu, "product", "bf16"),
        "decode_attention": _row(gpu, kind.format("decode"), formats.kv),
        "prefill_attention": {"half": 0.0, **_row(gpu, kind.format("prefill"), "")},
        "experts": _row(gpu, "experts", formats.experts),
        "reduce": _row(gpu, "reduce", ""),
        **{name: _row(gpu, name, "") for name in ("state_decode", "state_prefill", "index_decode", "index_prefill")},
    }
    return {f"{name}_{column}": value for name, row in found.items() for column, value in row.items()}


# What each factor of own rates multiplies; shares of bandwidth and peak, which are no seconds, it divides.
_KERNELS = ("product", "head", "decode_attention", "prefill_attention", "experts", "state", "index", "activation")
_LAUNCHES = ("layer_seconds", "step_seconds", "request_seconds")
_FIRST = ("first_token_seconds", "first_token_steps", "eager_seconds", "queue_under_way", "queue_share")


def setup_of(gpu: str, engine: str) -> Setup:
    """Return what own rates are looked up by: serving on an accelerator with an engine."""
    return Setup(SERVING, gpu, engine)


def rescaled(rates: Mapping[str, float], factors: Mapping[str, float]) -> dict[str, float]:
    """Return the rates with factors on the seconds that they give: see `sizebook.tables.own_rates`."""
    return {name: value * _factor(name, factors) for name, value in rates.items()}


def _factor(name: str, factors: Mapping[str, float]) -> float:
    if name in _LAUNCHES:
        return factors.get("launch", 1.0)
    if name in _FIRST:
        return factors.get("first_token", 1.0)
    kind = "network" if name.startswith("reduce_") else "compute" if name.startswith(_KERNELS) else ""
    factor = factors.get(kind, 1.0)
    if name.endswith(("_bandwidth", "_compute")):
        return 1 / factor
    return factor if name.endswith(("_launch_seconds", "_growth_seconds", "_passes")) else 1.0
