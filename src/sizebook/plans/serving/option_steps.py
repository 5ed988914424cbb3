"""How figures came about that only some plans have: prefixes kept between turns, starts and interruptions of
replicas."""

from sizebook.core.derivation import Step, step_of
from sizebook.core.quantities import HOURS_PER_MONTH
from sizebook.core.texts import text
from sizebook.core.units import grouped, measure, percent, significant
from sizebook.plans.alternatives import bought_step, owned_steps
from sizebook.plans.serving.alternatives import owned_node, usd_per_api_request
from sizebook.plans.serving.months import replicas_needed
from sizebook.plans.serving.plan import ServingPlan
from sizebook.plans.serving.scaling import Scaling
from sizebook.plans.serving.starts import cold_start


def start_steps(plan: ServingPlan) -> tuple[Step, ...]:
    """Return what starts of replicas take and cost, where a scenario states them and the fleet follows the hours."""
    scaled, scaling, replica = plan.scaled, plan.inputs.scaling, plan.replica
    if scaling == Scaling() or not scaled.starts_a_day:
        return ()
    seconds = cold_start(scaling, replica)
    assumed = text(
        "assumption: weights read at {rate} GB/s a node", rate=significant(scaling.load_bytes_per_second / 1e9)
    )
    rate = significant(replica.requests_per_second, 4)
    load = plan.inputs.target.margins.target_load
    return (
        Step(
            text("Start of a replica"),
            text("weights of its GPUs on a node / rate of reading + start beside it"),
            f"{significant(seconds - scaling.start_seconds, 4)} + {scaling.start_seconds:g}",
            value=seconds,
            unit="seconds",
            source=assumed,
        ),
        Step(
            text("Replicas ahead of a rise"),
            text("ceil(steepest rise between two hours * start / 3600 / (rate * target load))"),
            f"{significant(seconds, 4)} / 3600 / ({rate} * {load:g})",
            value=scaled.ahead_replicas,
            unit="replicas",
        ),
        Step(
            text("Cost of month 1 with starts"),
            text("cost of the month + GPU-hours of starts * price on demand"),
            f"{grouped(plan.months[0].usd)} + {significant(scaled.start_gpu_hours, 4)} * "
            f"{measure(plan.rates.in_month(0).on_demand_usd)}",
            value=scaled.scaled_usd,
            unit="USD",
            source=plan.rates.on_demand_basis,
        ),
        Step(
            text("Cost of month 1, the peak all day"),
            text("GPUs at peak * hours of a month * reserved price"),
            f"{plan.months[0].peak_gpus} * {HOURS_PER_MONTH:g} * {measure(plan.rates.in_month(0).reserved_usd)}",
            value=scaled.fixed_usd,
            unit="USD",
            source=plan.rates.reserved_basis,
        ),
    )


def interruption_steps(plan: ServingPlan) -> tuple[Step, ...]:
    """Return how many replicas on spot hold what the traffic needs, where a scenario says that nodes are taken back."""
    asked, replica, found = plan.inputs.interruptions, plan.replica, plan.on_spot
    if not asked.interruptions_per_hour:
        return ()
    start, unmeasured = cold_start(plan.inputs.scaling, replica), text("definition; nothing measured")
    stay, a_node, nodes = replica.request_seconds, asked.interruptions_per_hour, replica.packing.nodes_per_replica
    needed = max(replicas_needed(replica, plan.inputs, plan.inputs.days[0]))
    return (
        step_of(
            found,
            "away_seconds",
            text("wait for another node + start of a replica - max(notice - time of a request, 0)"),
            numbers=f"{asked.replacement_seconds:g} + {significant(start, 4)} - max({asked.notice_seconds:g} - "
            f"{significant(stay, 4)}, 0)",
            source=unmeasured,
        ),
        step_of(
            found,
            "up_share",
            text("1 / (1 + interruptions an hour * nodes of a replica / 3600 * seconds out)"),
            numbers=f"1 / (1 + {a_node:g} * {nodes} / 3600 * {significant(found.away_seconds, 4)})",
            source=text("alternating renewal process: a replica serves, then is out; nothing measured"),
        ),
        step_of(
            found,
            "broken_share",
            text("interruptions an hour * nodes of a replica / 3600 * max(time of a request - notice, 0)"),
            numbers=f"{a_node:g} * {nodes} / 3600 * max({significant(stay, 4)} - {asked.notice_seconds:g}, 0)",
            source=unmeasured,
        ),
        step_of(
            found,
            "spot_spares",
            text("the fewest with which at least {needed} serve {share} of the time",
                 needed=needed, share=percent(asked.served_share)),
            numbers=text("binomial, each serves {share} of the time", share=significant(found.up_share, 6)),
            source=text("independent interruptions; nothing measured"),
        ),
    )  # fmt: skip


def prefix_steps(plan: ServingPlan) -> tuple[Step, ...]:
    """Return what caches keep of conversations between their turns, nothing where there are none."""
    conversation, kept, load = plan.inputs.conversation, plan.replica.kept, plan.replica
    if conversation.turns == 1:
        return ()
    think, derived = conversation.think_seconds, text("Che, Tung and Wang 2002; nothing measured")
    seconds = max(kept.gpu_seconds, kept.host_seconds)
    steps = [
        Step(
            text("Prefixes that find room beside running requests"),
            text("cache of the replica - in flight * cache of one"),
            text("{concurrency} in flight", concurrency=load.concurrency),
            value=kept.gpu_tokens,
            unit="tokens",
            source=text("cache layout of the model's attention"),
        ),
        Step(
            text("Later prompts that find their prefix"),
            text("1 - exp(-age / time to think), of those that come where it lies"),
            f"1 - exp(-{significant(seconds, 4)} / {significant(think, 4)})",
            value=kept.hit_share,
            unit="ratio",
            source=derived,
        ),
        Step(
            text("Prompts found in caches"),
            text("tokens of prefixes found / tokens of all prompts"),
            text("{n} turns", n=conversation.turns),
            value=load.demand.cache_hit_ratio,
            unit="ratio",
        ),
    ]
    if kept.restored:
        steps.append(
            Step(
                text("Sending a prefix back to the GPU"),
                text("bytes of a prefix / rate of the link"),
                text("{share} of later prompts", share=percent(kept.restored)),
                value=kept.restore_seconds,
                unit="seconds",
                source=derived,
            )
        )
    return tuple(steps)


def alternative_steps(plan: ServingPlan) -> tuple[Step, ...]:
    """Return what the first month costs with GPUs bought and at an API, nothing where neither is asked."""
    node, each = owned_node(plan.replica, plan.inputs, plan.rates), usd_per_api_request(plan.inputs)
    steps: list[Step] = []
    if node is not None:
        steps += (*owned_steps(node), bought_step(plan.alternative_months[0]))
    if each is not None:
        month, asked = plan.months[0], plan.inputs.api
        steps.append(
            Step(
                text("Cost of the month at the API"),
                text("requests * price of a request, and existing contracts"),
                f"{grouped(month.requests)} * {significant(each, 6)}",
                value=plan.alternative_months[0].api_usd or 0.0,
                unit="USD",
                source=f"data/api_prices.csv, {asked.api_provider} {asked.api_model}",
            )
        )
    return tuple(steps)
