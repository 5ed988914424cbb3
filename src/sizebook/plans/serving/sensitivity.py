"""How the cost of a serving plan changes with one input at a time, a fifth lower and a fifth higher, signed anew."""

import math
from collections.abc import Mapping

from sizebook.core.errors import SizebookError
from sizebook.core.sections import flat, put_together
from sizebook.core.texts import text
from sizebook.plans.contents import Sensitivity
from sizebook.plans.ledgers import total_usd
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import STEP, ServingPlan, plan_serving


def with_values(inputs: ServingInputs, **values: object) -> ServingInputs:
    """Return the inputs with some of their quantities changed, by name."""
    return put_together(ServingInputs, flat(inputs) | values)


def _changed(plan: ServingPlan, factor: float) -> dict[str, ServingInputs]:
    """Return the plan's inputs with one of them times the factor, by what that one is called."""
    inputs, rates, asked = plan.inputs, plan.rates, plan.traffic.mean_demand
    stated = plan.traffic.requests_per_day
    changed: dict[str, Mapping[str, object]] = {
        text("Traffic") if stated is None else text("Requests a day"): inputs.demand.times(factor, plan.traffic),
        text("Tokens of an answer"): _length(plan, "output", asked.output_tokens * factor),
        text("Tokens of a prompt"): _prompts(plan, factor),
        text("Price of a GPU-hour"): {
            f"{kind}_usd_per_gpu_hour": usd * factor
            for kind in ("on_demand", "reserved", "reserved_3y")
            if not math.isnan(usd := getattr(rates, f"{kind}_usd"))
        },
    }
    if (target := inputs.target.latencies.tpot_target_seconds) is not None:
        changed[text("TPOT target")] = {"tpot_target_seconds": target * factor}
    return {label: with_values(inputs, **values) for label, values in changed.items()}


def _prompts(plan: ServingPlan, factor: float) -> dict[str, object]:
    """Return the inputs of prompts times the factor, images included; of a conversation each part that is typed."""
    traffic, talk = plan.traffic, plan.inputs.conversation
    if talk.turns == 1:
        return _length(plan, "input", traffic.mean_demand.input_tokens * factor - traffic.image_tokens)
    first = max(1, round(traffic.with_images(traffic.demand).input_tokens * factor) - traffic.image_tokens)
    return {"input_tokens": first, "turn_tokens": max(1, round(talk.turn_tokens * factor))}


def _length(plan: ServingPlan, side: str, tokens: float) -> dict[str, object]:
    """Return the inputs of another mean length; of a histogram the mean moves and the room it reserves stays."""
    mean: dict[str, object] = {f"{side}_tokens": max(1, round(tokens))}
    if getattr(plan.traffic.lengths, f"{side}_histogram") is None:
        return mean
    longest = plan.traffic.lengths.longest(plan.traffic.text)[0 if side == "input" else 1]
    return mean | {f"{side}_histogram": None, f"{side}_tokens_p50": None, f"{side}_tokens_p95": longest}


def sensitivities(plan: ServingPlan) -> tuple[Sensitivity, ...]:
    """Return the sensitivities from the widest. An input is left out where one end no longer meets the target."""
    found, gpu = [], plan.replica.setup.gpu
    less, more = _changed(plan, 1 - STEP), _changed(plan, 1 + STEP)
    for label in less:
        try:
            low, high = (total_usd(plan_serving(plan.model, gpu, inputs[label]).months) for inputs in (less, more))
        except SizebookError:
            continue
        found.append(Sensitivity(text("{input}, \u221220% to +20%", input=label), low, high))
    # Slow replicas cost more: the low end of the estimate is the most GPUs.
    found.append(Sensitivity(text("Throughput estimate, p10 to p90"), total_usd(plan.most), total_usd(plan.fewest)))
    return tuple(sorted(found, key=lambda each: -each.width_usd))
