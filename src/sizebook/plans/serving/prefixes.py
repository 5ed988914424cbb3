"""What a replica keeps of conversations between their turns, and the load at which that and the replica agree."""

from collections.abc import Callable
from dataclasses import replace

from sizebook.core.errors import InputError, TargetError
from sizebook.plans.serving.conversation import Conversation
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.serving.encoding import has_encoder
from sizebook.serving.prefixes import PrefixReuse, Talk, Tiers, age_evicted
from sizebook.serving.quantities import Demand
from sizebook.serving.time import cache_bytes_per_gpu
from sizebook.tables.hardware import accelerator

_HALVINGS = 12


def kept_by(replica: PlannedReplica, conversation: Conversation, prompts: tuple[int, ...]) -> PrefixReuse:
    """Return what a replica at its full rate keeps of conversations beside the requests that it runs."""
    answer, case, dp = replica.demand.output_tokens, replica.case, replica.setup.replica.dp
    behind = tuple(float(cache_bytes_per_gpu(case, float(prompt + answer))) for prompt in prompts)
    talk, rate = Talk(behind, conversation.think_seconds), replica.requests_per_second / conversation.turns
    running = float(cache_bytes_per_gpu(case, replica.demand.input_tokens + answer / 2))
    room = max(float(replica.memory.cache_bytes) * dp - replica.concurrency * running, 0.0)
    host = conversation.host_cache_bytes * dp
    near, far = (age_evicted(talk, each, rate) for each in (room, host))
    found, restored = Tiers(near, far, conversation.returning, shared=conversation.host_cache_shared).hit_chance(talk)
    link = conversation.host_cache_bytes_per_second or accelerator(replica.setup.gpu).pcie_bytes_per_s or 0
    before = behind[:-1] or behind
    seconds = sum(before) / len(before) / link if link else 0.0
    later = rate * (conversation.turns - 1) / dp  # turns a second of a rank that have something to be sent back
    most = min(restored, 1 / (seconds * later)) if seconds * later else restored
    each = sum(behind) / sum(prompt + answer for prompt in prompts)
    tokens = (room / each, host / each) if each else (0.0, 0.0)
    return PrefixReuse(
        hit_share=found - restored + most,
        restored=most,
        restore_seconds=seconds * (host > 0),
        gpu_tokens=tokens[0],
        gpu_seconds=near,
        host_tokens=tokens[1],
        host_seconds=far,
    )


def replica_of_conversations(
    model: str, inputs: ServingInputs, planned: Callable[[Demand, float], PlannedReplica]
) -> PlannedReplica:
    """Return the replica whose cache keeps as many prefixes as it is planned with, found by halving.

    More prefixes found leave more room in time for requests, and less room in memory for prefixes.
    """
    conversation, mean = inputs.conversation, inputs.traffic.mean_demand
    first = inputs.traffic.with_images(inputs.traffic.demand)
    if conversation.turns == 1:
        return planned(mean, 0.0)
    _check(model, inputs)
    prompts = conversation.prompts(replace(mean, input_tokens=first.input_tokens))

    def at(kept: PrefixReuse) -> PlannedReplica:
        hits = conversation.hit_ratio(first, mean.output_tokens, kept.hit_share)
        demand = replace(mean, cache_hit_ratio=hits)
        return replace(planned(demand, kept.mean_restore(conversation.turns)), kept=kept)

    best = at(PrefixReuse())
    now = kept_by(best, conversation, prompts)
    low, high = (1.0, 1.0) if now.hit_share >= 1 else (0.0, 1.0)
    for _ in range(_HALVINGS if low < high else 0):
        middle = (low + high) / 2
        try:
            now = kept_by(at(replace(now, hit_share=middle, restored=min(now.restored, middle))), conversation, prompts)
        except TargetError:  # so few prefixes leave no load within the target
            low = middle
            continue
        low, high = (middle, high) if now.hit_share >= middle else (low, middle)
    return at(replace(now, hit_share=low, restored=min(now.restored, low)))


def _check(model: str, inputs: ServingInputs) -> None:
    """Refuse conversations of what keeps no prefix in the cache that decodes."""
    refused = {
        "separate_prefill": inputs.pools.separate_prefill,
        "input_seconds": inputs.requests.input_seconds is not None,
        "a trace with lengths": inputs.requests.has_lengths,
        f"{model}, which has an encoder": has_encoder(model),
    }
    for what, is_so in refused.items():
        if is_so:
            raise InputError(
                f"conversations not supported here: got {inputs.conversation.turns} turns and {what}, want one pool "
                "of a decoder and mean lengths. Set turns to 1 and state cache_hit_ratio."
            )
