"""How far measured steps lie from predicted ones, by family: what is trained and how, on which accelerators.

The ends of a band were found on runs whose model family and GPU generation the fit had not seen, every group weighing
the same (conformal quantiles): calibration/training.py, data/calibration_training_bands.csv. A combination that nobody
measured takes the widest band, and its name says so.
"""

from dataclasses import dataclass
from functools import cache

from sizebook.core.tables import by_key
from sizebook.core.texts import text
from sizebook.tables.hardware import Accelerator
from sizebook.tables.own_rates import own_rates, spread_of
from sizebook.training.machine import generation, setup_of
from sizebook.training.profile import ModelProfile
from sizebook.training.recipe import Method

UNMEASURED = "not measured"
PUBLISHED, OWN = text("published runs"), text("your own runs")
WIDEST = text("the widest band of published runs")


@dataclass(frozen=True)
class Band:
    """Measured over predicted seconds at the 10th and 90th percentile of a family of runs; ``runs`` says whose."""

    family: str
    low: float
    high: float
    runs: str = PUBLISHED


@cache
def bands() -> dict[str, Band]:
    """Return the bands of data/calibration_training_bands.csv by family."""
    rows = by_key("calibration_training_bands", "family")
    return {
        name: Band(name, float(row["low"]), float(row["high"]), WIDEST if name == UNMEASURED else PUBLISHED)
        for name, row in rows.items()
    }


def kind_of(profile: ModelProfile, method: Method) -> str:
    """Return what a run trains: adapters, or a model that is dense, of experts, or a hybrid with recurrent layers."""
    if method.recipe.lora_rank:
        return "adapters"
    if profile.whole.state_flops:
        return "hybrid"
    return "experts" if profile.whole.experts else "dense"


def families(profile: ModelProfile, gpu: Accelerator, method: Method) -> tuple[str, ...]:
    """Return the families that a run belongs to, the narrowest first: kind, generation and framework; kind and
    generation."""
    kind, family = kind_of(profile, method), generation(gpu)
    return (f"{kind} {family} {method.recipe.stack}", f"{kind} {family}") if was_measured(gpu) else ()


def was_measured(gpu: Accelerator) -> bool:
    """Return whether runs on a generation of accelerators were measured: no other generation's band is its own."""
    row = by_key("generations", "generation").get(gpu.generation)
    return row is not None and row["training_measured"] == "yes"


def highest_mfu(profile: ModelProfile, gpu: Accelerator, method: Method) -> tuple[str, float] | None:
    """Return the class of measured runs that a run belongs to, and the most of the peak that any of it reached, in 16
    bits or in fewer: what is trained and the generation; what is trained alone where none of those was measured."""
    kind, column = kind_of(profile, method), "highest_narrow_mfu" if method.narrow else "highest_mfu"
    rows = by_key("calibration_training_bands", "family")
    for name in (*families(profile, gpu, method)[1:], kind):
        members = [row[column] for family, row in rows.items() if f"{family} ".startswith(f"{name} ")]
        found = [float(cell) for cell in members if cell]
        if found:
            return name, max(found)
    return None


def own_family(kind: str, gpu: str, stack: str) -> str:
    """Return what the band of own runs is called."""
    return f"own {kind} {gpu} {stack}"


def own_bands(rates_file: str) -> dict[str, Band]:
    """Return the bands of a file of own rates by family, none where no file is named."""
    if not rates_file:
        return {}
    return {
        (name := own_family(kind, setup.gpu, setup.software)): Band(name, spread.low, spread.high, runs=OWN)
        for setup, fitted in own_rates(rates_file).setups.items()
        for (kind, figure), spread in fitted.spreads.items()
        if figure == "step"
    }


def band_of(profile: ModelProfile, gpu: Accelerator, method: Method) -> Band:
    """Return the band of own runs of such models, else of the narrowest family that was measured, else the widest."""
    kind = kind_of(profile, method)
    if spread := spread_of(method.rates_file, setup_of(gpu, method), kind, figure="step"):
        return Band(own_family(kind, gpu.key, method.recipe.stack), spread.low, spread.high, runs=OWN)
    known = bands()
    return next((known[name] for name in families(profile, gpu, method) if name in known), known[UNMEASURED])
