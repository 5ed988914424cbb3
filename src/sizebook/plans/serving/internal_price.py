"""The internal price: what input, cached and output tokens cost by the seconds of GPUs that they take.

A replica's GPUs spend their time on prompts and on answers; both, from the estimate of its passes, share all of it at
the load planned for. What a month costs is split by these seconds; what no request takes is idle, a line of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sizebook.core.sections import quantity, section
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.serving.costs import costs_of
from sizebook.serving.encoding import EncodedCase
from sizebook.serving.time import computed_and_cached, load_of, prompts_together, step_seconds, tokens_of_step

LINES = ("input_usd", "cached_usd", "output_usd", "idle_usd")  # of what a month costs


@dataclass(frozen=True)
class GpuSeconds:
    """Seconds of GPUs that a request takes: for new tokens of its prompt, for cached ones, for its answer."""

    prompt: float
    cached: float
    answer: float


def gpu_seconds(replica: PlannedReplica) -> GpuSeconds:
    """Return the seconds of GPUs that a request takes of a replica at the load planned for, all of it shared out.

    What an engine does around passes is shared out as they are. Separate pools are what each pool takes. Of a model
    with an encoder that decodes, prompt and answer are those of a request alone.
    """
    whole = replica.gpus / replica.requests_per_second
    new, cached, answer = _passes(replica)
    each = whole / (new + cached + answer)
    return GpuSeconds(new * each, cached * each, answer * each)


def _passes(replica: PlannedReplica) -> tuple[float, float, float]:
    """Return what prompt, cached tokens and answer of a request take, in parts of any whole."""
    demand, case = replica.demand, replica.case
    if not replica.decodes:
        return 1.0, 0.0, 0.0
    if isinstance(case, EncodedCase):
        alone = replica.at(1)
        return float(alone.ttft_seconds), 0.0, float(alone.tpot_seconds) * (demand.output_tokens - 1)
    case = replica.pools.prefill.case if replica.pools else case
    at, load = costs_of(case), load_of(case, demand, demand.in_flight)
    prompt = float(prompts_together(at, load).each)
    uncached = replace(demand, input_tokens=max(1, round(float(load.computed))), cache_hit_ratio=0.0)
    of_new = 1.0
    if demand.cache_hit_ratio:
        of_new = min(1.0, float(prompts_together(at, load_of(at, uncached, demand.in_flight)).each) / prompt)
    if replica.pools is not None:
        first = replica.pools.prefill.gpus / replica.gpus
        return first * of_new, first * (1 - of_new), 1 - first
    batch = max(demand.in_flight / float(case.dp), 1.0)
    token = float(step_seconds(at, load) / tokens_of_step(at, demand.output_tokens))
    prompt /= float(case.pp)
    return prompt * of_new, prompt * (1 - of_new), token * (demand.output_tokens - 1) / batch


def cost_by_use(usd: float, requests: float, gpu_hours: float, each: GpuSeconds) -> tuple[float, float, float, float]:
    """Return what prompts, cached tokens, answers and idle GPUs cost of what a month costs."""
    per_second = usd / (gpu_hours * 3600)
    prompts, cached, answers = (requests * seconds * per_second for seconds in (each.prompt, each.cached, each.answer))
    return prompts, cached, answers, usd - (prompts + cached + answers)


@section
class InternalPrice:
    """What tokens and requests cost inside over all months, by the seconds of GPUs that they take, and what is idle."""

    internal_usd_per_request: float = quantity(
        "internal price of a request, without what is idle", "USD", label="Work for a request, USD"
    )
    internal_usd_per_mtok_input: float = quantity(
        "internal price of a million prompt tokens that are not cached, without what is idle",
        "USD/Mtok",
        label="Work for prompt tokens",
    )
    internal_usd_per_mtok_cached: float | None = quantity(
        "internal price of a million cached prompt tokens, blank where none is cached",
        "USD/Mtok",
        label="Work for cached tokens",
    )
    internal_usd_per_mtok_output: float = quantity(
        "internal price of a million output tokens, without what is idle", "USD/Mtok", label="Work for output tokens"
    )
    idle_usd: float = quantity("cost of GPU time that no request uses", "USD", label="Idle, USD")


def internal_price(replica: PlannedReplica, months: Sequence[Any]) -> InternalPrice:
    """Return the internal price over the months of a plan."""
    demand, requests = replica.demand, sum(month.requests for month in months)
    prompts, cached_usd, answers, idle = (sum(getattr(month, line) for month in months) for line in LINES)
    new, cached = (float(each) for each in computed_and_cached(demand.input_tokens, demand.cache_hit_ratio))
    return InternalPrice(
        internal_usd_per_request=(prompts + cached_usd + answers) / requests,
        internal_usd_per_mtok_input=prompts / (requests * new) * 1e6,
        internal_usd_per_mtok_cached=cached_usd / (requests * cached) * 1e6 if cached else None,
        internal_usd_per_mtok_output=answers / (requests * demand.output_tokens) * 1e6,
        idle_usd=idle,
    )
