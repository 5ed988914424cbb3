"""The choice: over accelerators, engines, formats and layouts, what serves the traffic within the target for the least.

Candidates that cannot meet the target are counted with the limit that stopped them, never shown as if they did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from sizebook.errors import SizebookError, TargetError
from sizebook.formulas.hardware import accelerator
from sizebook.models.serving_shape import shape_of
from sizebook.plans.serving import Prices, ServingPlan, Setup, Target, plan_serving
from sizebook.plans.traffic import Traffic

GPUS = ("h100-sxm", "h200-sxm", "b200-sxm")
ENGINES = ("vllm", "sglang", "tensorrt-llm")
DTYPES: tuple[str | None, ...] = (None, "fp8")
# What candidates share. Nothing is drafted: a factor for servers that may draft would favour the engine that has one.
SHARED = Setup("", draft_tokens=0)


@dataclass(frozen=True)
class Choice:
    """One candidate that meets the target; ``on_front`` where nothing is both cheaper and faster."""

    plan: ServingPlan
    usd_per_month: float
    tpot_seconds: float
    on_front: bool


@dataclass(frozen=True)
class Choices:
    """Candidates from the cheapest, and how many failed for which reason."""

    ranked: tuple[Choice, ...]
    failed: tuple[tuple[str, int], ...]


def layouts(model: str, gpu: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield (tp, pp, dp, ep) within one node: tensor parallelism, and for expert models attention data parallelism."""
    most = min(8, accelerator(gpu).scale_up_domain)
    shape = shape_of(model)
    for degree in (1, 2, 4, 8):
        if degree > most:
            continue
        if shape.common_heads % degree == 0:
            yield degree, 1, 1, 1
        if degree > 1 and shape.n_experts and shape.n_experts % degree == 0:
            yield 1, 1, degree, degree


def choose(
    model: str, traffic: Traffic, target: Target, prices: Callable[[str], Prices],
    gpus: Sequence[str] = GPUS, engines: Sequence[str] = ENGINES, dtypes: Sequence[str | None] = DTYPES,
    shared: Setup = SHARED,
) -> Choices:  # fmt: skip
    """Return every candidate that meets the target, from the cheapest in the last month.

    Of ``shared`` every candidate takes the cache format and the drafts.

    Errors: none meets it; the message names the limits that bind, the most frequent first.
    """
    plans: list[ServingPlan] = []
    failed: Counter[str] = Counter()
    for gpu in gpus:
        for engine in engines:
            for dtype in dtypes:
                for tp, pp, dp, ep in layouts(model, gpu):
                    setup = replace(
                        shared, gpu=gpu, engine=engine, weight_dtype=dtype, tp=tp, pp=pp, dp=dp, ep=ep
                    )  # fmt: skip
                    try:
                        plans.append(plan_serving(model, setup, traffic, target, prices(gpu)))
                    except SizebookError as error:
                        failed[str(error).partition(":")[0]] += 1
    if not plans:
        reasons = ", ".join(f"{reason} ({times})" for reason, times in failed.most_common())
        raise TargetError(
            f"no candidate meets the target: got {reasons}, want one that does. Relax that target or add a faster gpu."
        )
    plans.sort(key=lambda plan: plan.months[-1].usd)
    return Choices(tuple(_marked(plans)), tuple(failed.most_common()))


def _marked(plans: list[ServingPlan]) -> Iterator[Choice]:
    fastest = float("inf")
    for plan in plans:
        tpot = float(plan.replica.at_knee.tpot_seconds)
        yield Choice(plan, plan.months[-1].usd, tpot, tpot < fastest)
        fastest = min(fastest, tpot)
