"""Names that were changed, and what each is called now: old ones keep working, and say so.

A name is taken for the new one wherever it is not itself known and the new one is: as an argument, a key of a scenario
file, a column of a sweep and an input of a workbook.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
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
    "rate_date": ("rate_date_1",),
    "rate_per_usd": ("rate_per_usd_1",),
    "api_in": ("usd_per_mtok_in",),
    "api_out": ("usd_per_mtok_out",),
}


_BAND = "its range is the band of measurements, fill the workbook once for each value"
_PLAN = "the plan works it out"
# Inputs of the workbooks of 0.3.0 that no plan knows, and what stands for each.
GONE: dict[str, str] = {
    "hours_csv": "it is read into shape",
    **{
        f"{name}_{case}": _BAND
        for name in (
            "requests_per_day", "growth_per_month", "peak_factor", "price_usd", "pue", "grams_per_kwh", "other_usd",
            "tokens", "given_mfu", "band",
        )
        for case in ("low", "high")
    },
    "band": "its range is the band of measurements",
    "term": "a price that is left blank is looked up, on demand and reserved",
    "price_basis": _PLAN,
    "given_flops_per_token": _PLAN,
    "given_memory_bytes": _PLAN,
    "given_step_seconds": f"{_PLAN}, or give mfu",
}  # fmt: skip
# Names whose meaning was split: none of the new ones is the old one, so they are refused with what to write instead.
REPLACED: dict[str, dict[str, str]] = {
    "at": {
        "band_quantile": "for the band of measurements (what it meant)",
        "request_percentile": "for a percentile of requests",
    },
}
_NUMBERED = re.compile(r"(.+)(_\d)")  # inputs of a service: name_1


@dataclass(frozen=True)
class Renamed:
    """One use of an old name: what it is called now."""

    old: str
    new: str

    @property
    def note(self) -> str:
        """What to tell whoever used the old name."""
        return f"old name: got '{self.old}', want '{self.new}'. The old one still works; rename it."


def current(name: str, known: Collection[str]) -> Renamed | None:
    """Return what an old name is called now in this place, or None where the name is known or was never another's.

    A number at its end, of a service, stays.
    """
    if name in known:
        return None
    numbered = _NUMBERED.fullmatch(name)
    stem, ending = (numbered[1], numbered[2]) if numbered else (name, "")
    new = (f"{each}{ending}" for each in RENAMED.get(stem, ()))
    return next((Renamed(name, each) for each in new if each in known), None)


def replaced(name: str, known: Collection[str]) -> str:
    """Return what to say of a name that is refused where its replacements are known; empty of any other name.

    A number at its end, of a service, stays.
    """
    numbered = _NUMBERED.fullmatch(name)
    stem, ending = (numbered[1], numbered[2]) if numbered else (name, "")
    new = {f"{each}{ending}": meant for each, meant in REPLACED.get(stem, {}).items()}
    if name in known or not any(each in known for each in new):
        return ""
    wanted = " or ".join(f"'{each}' {meant}" for each, meant in new.items())
    return f"name refused: got '{name}', want {wanted}. Rename it."


def notes(used: Iterable[Renamed], where: str) -> tuple[str, ...]:
    """Return one line for each old name that was used."""
    return tuple(f"{where}: {each.note}" for each in used)
