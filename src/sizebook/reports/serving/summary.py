"""The first page of the serving report: what it costs over all months, how many GPUs, what a request sees."""

import math

from sizebook.core.texts import Text, plural, range_text, text
from sizebook.core.units import NOT_LISTED, duration, grouped, usd
from sizebook.plans.ledgers import total_usd, usd_range
from sizebook.plans.serving.plan import ServingPlan
from sizebook.reports import phrases
from sizebook.reports.document import Tile
from sizebook.reports.phrases import gpus, months
from sizebook.serving.encoding import EncodedCase

BINDING = {
    "ttft": text("the time to the first token is the limit"),
    "tpot": text("the time per token is the limit"),
    "cache": text("the room in the cache is the limit"),
    "prefill": text("what the prefill pool reads is the limit"),
    "batch": text("the engine's largest batch is the limit"),
    "given": text("the load given in the scenario is the limit"),
}


def sentences(plan: ServingPlan) -> tuple[str, str, str]:
    """Return what all months cost, which GPUs that takes, and what a request sees."""
    return _cost(plan), _gpus(plan), _seen(plan)


def _cost(plan: ServingPlan) -> Text:
    total, found, n = total_usd(plan.months), usd_range(plan), months(len(plan.months))
    if math.isnan(total):
        return text("Serving {model} for {months}: no price is listed, so no cost.", model=plan.model, months=n)
    return text(
        "Serving {model} for {months} costs {usd} ({range}).",
        model=plan.model,
        months=n,
        usd=usd(total),
        range=range_text(usd(found.low), usd(found.high)),
    )


def _gpus(plan: ServingPlan) -> Text:
    first, replica = plan.months[0], plan.replica
    carried = plural(
        replica.concurrency,
        "a replica of {gpus} carries {n} request at once, and {limit}",
        "a replica of {gpus} carries {n} requests at once, and {limit}",
        gpus=gpus(replica.gpus),
        limit=BINDING[replica.binding],
    )
    if len(plan.months) == 1:
        return text("The busiest hour takes {gpus}; {carried}.", gpus=gpus(first.peak_gpus), carried=carried)
    peaks = [month.peak_gpus for month in plan.months]
    return text("The busiest hour takes {gpus}; {carried}.", gpus=phrases.busiest_hours(peaks), carried=carried)


def _seen(plan: ServingPlan) -> Text:
    ttft, tpot = (duration(plan.replica.held(name)) for name in ("ttft", "tpot"))
    if isinstance(plan.replica.case, EncodedCase):
        sure = text("nothing was measured of models with an encoder, so ranges are the widest band of all others")
    else:
        sure = text("ranges hold eight of ten measurements")
    held = plan.inputs.requests.held_for
    if plan.replica.loaded is not None and plan.replica.decodes:
        return text(
            "At the planned load {percentile} of requests have their first token after {ttft} and each further one "
            "after {tpot}; {sure}.",
            percentile=held,
            ttft=ttft,
            tpot=tpot,
            sure=sure,
        )
    if not plan.replica.decodes:
        return text("At the planned load an answer comes after {ttft}; {sure}.", ttft=ttft, sure=sure)
    return text(
        "At the planned load the first token comes after {ttft} and each further one after {tpot}; {sure}.",
        ttft=ttft,
        tpot=tpot,
        sure=sure,
    )


def tiles(plan: ServingPlan) -> tuple[Tile, ...]:
    """Return the headline figures, those of money and GPUs over all months."""
    n, fewest, most, cost = months(len(plan.months)), plan.fewest, plan.most, usd_range(plan)
    peak, least, highest = (max(month.peak_gpus for month in each) for each in (plan.months, fewest, most))
    return (
        Tile(
            text("Cost, {months}", months=n),
            usd(total_usd(plan.months)),
            range_text(usd(cost.low), usd(cost.high)),
        ),
        Tile(text("GPUs, busiest hour"), grouped(peak), range_text(grouped(least), grouped(highest))),
        *_speed_and_price(plan),
    )


def _speed_and_price(plan: ServingPlan) -> tuple[Tile, ...]:
    """Return what a request sees, at the percentile that was asked, and what a million tokens cost over all months:
    those put in, where one pass answers.
    """
    replica, full, n = plan.replica, plan.usd_per_mtok_saturated, months(len(plan.months))
    if not replica.decodes:
        full /= plan.traffic.mean_demand.input_tokens
    always_full = NOT_LISTED if math.isnan(full) else text("{usd} if always full", usd=usd(full))
    kind = text("Million output tokens") if replica.decodes else text("Million input tokens")
    price = Tile(text("{tokens}, {months}", tokens=kind, months=n), usd(plan.usd_per_mtok), always_full)
    if not replica.decodes:
        return _seconds(plan, text("Answer"), "ttft"), price
    return _seconds(plan, text("First token"), "ttft"), _seconds(plan, text("Each further token"), "tpot"), price


def _seconds(plan: ServingPlan, label: str, latency: str) -> Tile:
    """Return a latency as its target is held against it, and its band."""
    replica, value = plan.replica, plan.replica.held(latency)
    band = replica.bands[latency]
    if replica.loaded is not None:
        label = text("{label}, {percentile}", label=label, percentile=plan.inputs.requests.held_for)
    return Tile(label, duration(value), range_text(duration(value * band.low), duration(value * band.high)))
