"""The choice: over accelerators, engines, formats and layouts, what serves the traffic within the target for the least.

Candidates that cannot meet the target are counted with the limit that stopped them, never shown as if they did.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeVar

from sizebook.core.errors import InputError, SizebookError, TargetError
from sizebook.core.once import once
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.plans.serving.refusals import NoRoomError, check_load, check_stream
from sizebook.plans.serving.replica import PlannedReplica, Setup, Workload, replica_for
from sizebook.plans.serving.request_stream import RequestStream
from sizebook.serving.layouts import DEGREES, candidates
from sizebook.serving.quantities import PoolLayout, Replica

GPUS = ("h100-sxm", "h200-sxm", "b200-sxm")
MOST_SIMULATED = 8
Planned = TypeVar("Planned")


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


def choose(model: str, inputs: ServingInputs, gpus: Sequence[str] = GPUS, engine: str | None = None) -> Choices:
    """Return every candidate that meets the target; first comes the one whose last month costs least.

    ``inputs.replica`` states formats and drafts, its layout plays no part; ``engine`` None compares all.

    Errors: traffic that no candidate can be planned for; none meets the target, where the message names the limits that
    bind, the most frequent first.
    """
    check_release(inputs.replica, engine)
    inputs = inputs.read(model)
    latencies = inputs.target.latencies
    # Read once here, or every candidate would count as failed by it.
    _ = inputs.traffic.hours, inputs.traffic.longest_tokens
    check_load(inputs.traffic.mean_demand, latencies)
    check_stream(inputs.stream, latencies, inputs.requests.share)
    failed: Counter[str] = Counter()
    steady = with_mean_targets(inputs)
    compared = ((gpu, each) for gpu in gpus for each in candidates(model, gpu, inputs.replica, engine=engine))
    setups = ((gpu, replace(steady, replica=replica)) for gpu, replica in compared)
    plans = list(_planned(model, setups, failed))
    if inputs.requests.share is not None:
        plans = _simulated(plans, inputs, failed)
    if not plans:
        reasons = ", ".join(f"{reason} ({times})" for reason, times in failed.most_common())
        raise TargetError(
            f"no candidate meets the target: got {reasons}, want one that does. Relax that target or add a faster gpu."
        )
    plans.sort(key=_dearness)
    return Choices(tuple(_marked(plans)), tuple(failed.most_common()))


def with_room(
    planned: Callable[[str, str, ServingInputs], Planned], model: str, gpu: str, inputs: ServingInputs
) -> Planned:
    """Return what is planned of inputs; where a blank layout has no room, of the cheapest that has."""
    try:
        return once(planned, model, gpu, inputs)
    except NoRoomError as error:
        found = layouts_with_room(model, gpu, inputs, stated=inputs.stated, error=error)
        return once(planned, model, gpu, replace(inputs, replica=found.ranked[0].plan.replica.setup.replica))


def layouts_with_room(
    model: str, gpu: str, inputs: ServingInputs, *, stated: Collection[str], error: NoRoomError
) -> Choices:
    """Return the layouts and formats of a given accelerator that have room where those of the inputs have none.

    Errors: the refusal, where a degree or pools are stated, or no layout helps.
    """
    _refuse_stated(stated, inputs.pools, error)
    try:
        return choose(model, inputs, (gpu,), engine=inputs.replica.engine)
    except TargetError:  # what stops the plain layout is what there is to say
        raise error from None


def replicas_with_room(
    setup: Setup, workload: Workload, pools: PoolLayout, *, stated: Collection[str], error: NoRoomError
) -> list[PlannedReplica]:
    """Return the replicas that have room and meet the target where that of a setup has none. Errors as above."""
    _refuse_stated(stated, pools, error)
    found = []
    for each in candidates(setup.model, setup.gpu, setup.replica, engine=setup.replica.engine):
        with suppress(SizebookError):
            found.append(replica_for(replace(setup, replica=each), workload))
    if not found:
        raise error
    return found


def _refuse_stated(stated: Collection[str], pools: PoolLayout, error: NoRoomError) -> None:
    if not set(DEGREES).isdisjoint(stated) or pools != PoolLayout():
        raise error


def check_release(stated: Replica, engine: str | None) -> None:
    """Refuse a release of an engine that nobody names: each counts its own."""
    if stated.release and engine is None:
        raise InputError(
            f"release without an engine: got release '{stated.release}', want engine with it. Name the engine that it "
            "is of."
        )


def with_mean_targets(inputs: ServingInputs) -> ServingInputs:
    """Return the inputs with targets for the mean of a steady load instead of a percentile of requests."""
    return replace(inputs, requests=RequestStream())


def _planned(model: str, setups: Iterable[tuple[str, ServingInputs]], failed: Counter[str]) -> Iterator[ServingPlan]:
    """Yield the plans of the setups that meet the target, and count what stops the others."""
    for gpu, inputs in setups:
        try:
            yield plan_serving(model, gpu, inputs)
        except SizebookError as error:
            failed[str(error).partition(":")[0]] += 1


def _simulated(steady: list[ServingPlan], inputs: ServingInputs, failed: Counter[str]) -> list[ServingPlan]:
    """Return plans whose percentile of requests meets the target, simulated from the cheapest on average.

    A simulation takes a second: those that even on average cost more than the cheapest one found are left out, and so
    are those after `MOST_SIMULATED`.
    """
    steady.sort(key=_dearness)
    found: list[ServingPlan] = []
    for number, plan in enumerate(steady):
        cheapest = min((each.usd_if_kept_up for each in found), default=math.inf)
        if plan.usd_if_kept_up >= cheapest or (number >= MOST_SIMULATED and found):
            failed["not simulated, dearer on average"] += len(steady) - number
            break
        setup = plan.replica.setup
        found += _planned(plan.model, [(setup.gpu, replace(inputs, replica=setup.replica))], failed)
    return found


def _dearness(plan: ServingPlan) -> tuple[float, int]:
    """Return what plans are ranked by: the cost of the last month or, where nobody lists a price, the GPUs."""
    return dearness(plan.usd_if_kept_up), plan.months[-1].peak_gpus


def dearness(usd: float) -> float:
    """Return a cost to rank by; one that nobody lists comes last."""
    return math.inf if math.isnan(usd) else usd


def _marked(plans: list[ServingPlan]) -> Iterator[Choice]:
    fastest = float("inf")
    for plan in plans:
        tpot = float(plan.replica.at_knee.tpot_seconds)
        yield Choice(plan, plan.usd_if_kept_up, tpot, tpot < fastest)
        fastest = min(fastest, tpot)
