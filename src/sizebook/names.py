"""Names that were changed, and what each is called now: old ones keep working, and say so.

A name is taken for the new one wherever it is not itself known and the new one is: as an argument, a key of a scenario
file, a column of a sweep and an input of a workbook.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

# Old name -> the names that it became; the first that is known in the place counts.
RENAMED: dict[str, tuple[str, ...]] = {
    "rows": ("n_layouts",),
    "peak_factor": ("burst_factor",),
    "tokens": ("context_tokens",),
    "region": ("grid",),
    "batch": ("sequences",),
    "bias": ("projection_bias",),
    "vocab": ("n_entries",),
    "watts": ("system_watts",),
    "dtype": ("compute_dtype", "kv_dtype"),
    "convention": ("flops_convention",),
    "approach": ("loss_law",),
    "spare": ("spare_replicas",),
    "rank": ("lora_rank",),
    "adapter_on": ("lora_on",),
    "gpu": ("gpus_compared",),
    "ttft_seconds": ("ttft_target_seconds",),
    "tpot_seconds": ("tpot_target_seconds",),
    "ttft_target": ("ttft_target_seconds",),
    "tpot_target": ("tpot_target_seconds",),
    "price_usd": ("price_usd_per_gpu_hour", "on_demand_usd_per_gpu_hour"),
    "reserved_usd": ("reserved_usd_per_gpu_hour",),
    "burst_usd": ("on_demand_usd_per_gpu_hour",),
    "given_mfu": ("mfu",),
    "api_in": ("usd_per_mtok_in",),
    "api_out": ("usd_per_mtok_out",),
}


@dataclass(frozen=True)
class Renamed:
    """One use of an old name: what it is called now."""

    old: str
    new: str

    @property
    def note(self) -> str:
        """What to tell whoever used the old name."""
        return f"old name: got '{self.old}', want '{self.new}'. The old one still works; rename it."


def current(name: str, known: Container[str]) -> Renamed | None:
    """Return what an old name is called now in this place, or None where the name is known or was never another's."""
    if name in known:
        return None
    return next((Renamed(name, new) for new in RENAMED.get(name, ()) if new in known), None)


def notes(used: Iterable[Renamed], where: str) -> tuple[str, ...]:
    """Return one line for each old name that was used."""
    return tuple(f"{where}: {each.note}" for each in used)
