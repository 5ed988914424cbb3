"""Why a replica cannot be planned: what binds, by how much, and the smallest change that would do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sizebook.formulas.hardware import accelerator
from sizebook.formulas.serving_case import Case, case_of
from sizebook.formulas.serving_memory import engine_constants, engine_memory, physical_bytes, sequences_that_fit
from sizebook.formulas.serving_time import latency

if TYPE_CHECKING:
    from sizebook.plans.serving import Setup
    from sizebook.plans.traffic import Traffic


def no_room(model: str, setup: Setup, traffic: Traffic, missing_bytes: float) -> str:
    """Return that not even one request fits, by how much, and the smallest degree that makes room."""
    fix = "No tp up to 8 makes room: raise pp, shorten the requests"
    for degree, wider in _wider(model, setup):
        room = engine_memory(wider, physical_bytes(accelerator(setup.gpu)), engine_constants(setup.engine))
        if sequences_that_fit(wider, room, float(traffic.longest_tokens)) >= 1:
            fix = f"Raise tp to {degree}"
            break
    return (
        f"memory binds: got {missing_bytes / 1e9:.1f} GB too much on each {setup.gpu} for {model} at {setup.layout}, "
        f"want room for one request. {fix} or choose a narrower weight_dtype."
    )


def _wider(model: str, setup: Setup) -> Iterator[tuple[int, Case]]:
    """Yield the tensor-parallel degrees of one node above the setup's own that divide the heads, and their case."""
    for degree in (2, 4, 8):
        wider = case_of(model, setup.gpu, setup.engine, setup.weight_dtype, setup.kv_dtype, degree, setup.pp, setup.dp)
        if degree > setup.tp and wider.shape.common_heads % degree == 0:
            yield degree, wider


def too_many(model: str, setup: Setup, concurrency: int, capacity: int) -> str:
    """Return that the cache does not hold the requests in flight, and what does."""
    return (
        f"cache binds: got {concurrency} requests in flight on a replica of {model} at {setup.layout}, want at most "
        f"{capacity}. Lower concurrency, or {_larger(setup)[0].lower()}{_larger(setup)[1:]}."
    )


def _larger(setup: Setup) -> str:
    return f"Raise tp to {setup.tp * 2}" if setup.tp < 8 else f"Raise pp to {setup.pp * 2}"


def missed(model: str, setup: Setup, traffic: Traffic, limits: tuple[float, float], case: Case) -> str:
    """Return which limit (seconds to the first token, seconds a token) one request alone misses, and what meets it."""
    alone = latency(case, float(traffic.input_tokens), float(traffic.output_tokens), 1.0)
    most_first, most_token = limits
    name, got, want = ("ttft_seconds", alone.ttft_seconds, most_first)
    if alone.ttft_seconds <= most_first:
        name, got, want = ("tpot_seconds", alone.tpot_seconds, most_token)
    for degree, wider in _wider(model, setup):
        at = latency(wider, float(traffic.input_tokens), float(traffic.output_tokens), 1.0)
        if at.ttft_seconds <= most_first and at.tpot_seconds <= most_token:
            return (
                f"{name} binds: got {got:.4g} s with one request in flight at {setup.layout}, want {want:.4g} s. "
                f"Raise tp to {degree}, or accept {got:.4g} s."
            )
    return (
        f"{name} binds: got {got:.4g} s with one request in flight at {setup.layout}, want {want:.4g} s. No tp up to 8 "
        f"meets it; accept {got:.4g} s or choose a faster gpu or a narrower weight_dtype."
    )
