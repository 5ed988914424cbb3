"""What makes room on the GPUs of a replica without another layout: what its engine is started with."""

from dataclasses import replace

from sizebook.serving.encoding import EncodedCase, serving_case
from sizebook.serving.memory import memory_of, sequences_that_fit
from sizebook.serving.quantities import Replica

# What operators start engines with whose defaults leave no room (tenstorrent/tt-inference-server issue 235: both).
FEW_RUNNING, MOST_OF_MEMORY = 32, 0.95


def room_made(model: str, gpu: str, replica: Replica, longest_tokens: int) -> str:
    """Return the settings of the engine that make room for one request, the fewest of them; empty where none do."""
    fewer = {} if 0 < replica.max_running <= FEW_RUNNING * replica.dp else {"max_running": FEW_RUNNING * replica.dp}
    more = {} if replica.memory_utilization >= MOST_OF_MEMORY else {"memory_utilization": MOST_OF_MEMORY}
    for changed in (fewer, more, fewer | more):
        at = replace(replica, **changed)
        case = serving_case(model, gpu, at)
        if isinstance(case, EncodedCase) or not changed:
            continue
        if sequences_that_fit(case, memory_of(case, gpu, at), float(longest_tokens)) >= 1:
            return " and ".join(f"{name} to {value:g}" for name, value in changed.items())
    return ""
