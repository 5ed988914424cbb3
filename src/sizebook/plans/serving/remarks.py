"""What to know before the figures of a serving plan are used, on every surface that shows them."""

import math
from collections.abc import Iterator
from typing import Any

from sizebook.core.sections import flat, sections_without_effect
from sizebook.core.texts import joined, span, text
from sizebook.core.units import percent, significant
from sizebook.plans.commitments import beyond_the_plan
from sizebook.plans.ledgers import usd_range
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.rates import GIVEN
from sizebook.serving.band import CONTEXT, FITTED, LOADED
from sizebook.tables.hardware import dear_prices, own_row
from sizebook.tables.price_rows import no_power, price_sentences

_SLOWEST_ASKED = 100.0, 1.0  # seconds to the first token and per token; longer targets are milliseconds, most likely
LITTLE_USED = 0.25  # of what a fleet could carry, below which a reader is told


def warnings(plan: ServingPlan) -> tuple[str, ...]:
    """Return what to know before the figures are used, and what the prices are."""
    return (*_warned(plan), *price_sentences([("", plan.rates.basis)], usd_range(plan).price_share))


def _warned(plan: ServingPlan) -> Iterator[str]:
    rates, used = plan.rates, plan.months[0].utilization
    yield from without_effect(plan.inputs)
    for target, slowest in zip(plan.inputs.target.latencies.limits, _SLOWEST_ASKED, strict=True):
        if slowest < target < math.inf:
            yield text(
                "A latency target of {target} s is unusually long. Targets are in seconds: write 0.05 for 50 ms.",
                target=f"{target:g}",
            )
    if plan.beyond_context:
        yield text("{what}: what it answers there is untested.", what=plan.beyond_context)
    band = plan.replica.bands["throughput"]
    if band.basis == LOADED:
        yield text(
            "Few servers were measured under such a load: throughput may be {range} times what is planned.",
            range=span(significant(band.low), significant(band.high)),
        )
    elif band.basis == CONTEXT:
        yield text(
            "No server was measured at such a context: throughput may be {range} times what is planned.",
            range=span(significant(band.low), significant(band.high)),
        )
    elif band.basis != FITTED:
        yield text(
            "No server of this model, GPU and engine was measured: throughput may be {range} times what is planned.",
            range=span(significant(band.low), significant(band.high)),
        )
    if plan.inputs.conversation.turns > 1:
        share = percent(plan.replica.demand.cache_hit_ratio)
        yield text("Caches hold {share} of all prompts: derived, for no server's were measured.", share=share)
    if plan.inputs.pictures.images:
        yield text("No server with images was measured: their tokens and the encoder's time are derived.")
    if used < LITTLE_USED:
        yield text("Traffic uses {share} of what the fleet could carry in month 1.", share=percent(used))
    yield from beyond_the_plan(*plan.portfolio.tail(plan.traffic.months))
    yield from own_row(plan.replica.setup.gpu)
    yield from _of_prices(plan)
    if math.isnan(rates.tdp_watts):
        yield no_power(plan.replica.setup.gpu)
    yield from (text("Count of the model: {note}.", note=note) for note in plan.notes)


def _of_prices(plan: ServingPlan) -> Iterator[str]:
    """Yield what is odd about prices that are given."""
    rates = plan.rates
    placed = plan.inputs.prices
    looked_up_by = {"provider": placed.provider, "region": placed.region, "price_book": placed.own.price_book}
    if rates.basis == GIVEN and any(looked_up_by.values()):
        given = joined((name for name, value in looked_up_by.items() if value), ", ")
        yield text("Without effect: {given}, because all prices are given.", given=given)
    yield from dear_prices(plan.replica.setup.gpu, rates.on_demand_usd, rates.reserved_usd, rates.reserved_3y_usd)


def without_effect(inputs: Any) -> Iterator[str]:
    """Yield what sections of a plan state that changes nothing, as the key that asks for them is off."""
    for part, given in sections_without_effect(inputs):
        yield text(
            "Without effect: {given}, because {key} is {value}.",
            given=joined(given, ", "),
            key=part.asked_by,
            value=flat(part)[part.asked_by],
        )
