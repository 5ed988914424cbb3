"""How far measured steps lie from predicted ones, by family: what is trained and how, on which accelerators.

The ends of a band were found on runs whose model family and GPU generation the fit had not seen, every group weighing
the same (conformal quantiles): calibration/training.py, data/calibration_training_bands.csv. A combination that nobody
measured takes the widest band, and its name says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sizebook.core.tables import by_key
from sizebook.tables.hardware import Accelerator
from sizebook.training.machine import generation
from sizebook.training.profile import ModelProfile
from sizebook.training.quantities import Method

UNMEASURED = "not measured"


@dataclass(frozen=True)
class Band:
    """Measured over predicted seconds at the 10th and 90th percentile of a family of runs."""

    family: str
    low: float
    high: float


@cache
def bands() -> dict[str, Band]:
    """Return the bands of data/calibration_training_bands.csv by family."""
    rows = by_key("calibration_training_bands", "family")
    return {name: Band(name, float(row["low"]), float(row["high"])) for name, row in rows.items()}


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
    known = gpu.maker in ("NVIDIA", "AMD", "Google", "AWS")
    return (f"{kind} {family} {method.recipe.stack}", f"{kind} {family}") if known else ()


def band_of(profile: ModelProfile, gpu: Accelerator, method: Method) -> Band:
    """Return the band of the narrowest family that was measured, else the widest."""
    known = bands()
    return next((known[name] for name in families(profile, gpu, method) if name in known), known[UNMEASURED])
