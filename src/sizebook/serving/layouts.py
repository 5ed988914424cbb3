"""Layouts and formats of a replica that a search compares: those within one node that an engine starts.

Where one accelerator has no room and no degree is stated, cells and rows take that of the fewest GPUs for its rate.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from sizebook.core.errors import SizebookError
from sizebook.serving.encoding import as_answered, has_encoder, serving_case
from sizebook.serving.estimate import Estimate, estimate
from sizebook.serving.memory import memory_of
from sizebook.serving.quantities import ENGINES, Demand, Replica
from sizebook.serving.shape import shape_of
from sizebook.tables.hardware import accelerator

DEGREES = ("tp", "pp", "dp", "ep")
DTYPES: tuple[str | None, ...] = (None, "fp8")


def layouts(model: str, gpu: str) -> list[dict[str, int]]:
    """Return the degrees within one node: tensor parallelism, and for expert models attention data parallelism."""
    most, found = min(8, accelerator(gpu).scale_up_domain), []
    shape = serving_case(model, gpu, Replica()).shape if has_encoder(model) else shape_of(model)
    for degree in (1, 2, 4, 8):
        if degree > most:
            continue
        if shape.common_heads % degree == 0:
            found.append({"tp": degree})
        if degree > 1 and shape.n_experts and shape.n_experts % degree == 0:
            found.append({"dp": degree, "ep": degree})
    return found


def candidates(model: str, gpu: str, stated: Replica, engine: str | None) -> list[Replica]:
    """Return replicas to compare: engines, formats of the weights and layouts, unless stated.

    All take the stated cache format and drafts. Nothing is drafted otherwise: a factor for servers that may draft would
    favour the engine that has one.
    """
    unsaid = stated.draft_tokens is None and stated.tokens_per_step is None
    shared = replace(stated, draft_tokens=0) if unsaid else stated
    dtypes: Sequence[str | None] = (stated.weight_dtype,) if stated.weight_dtype else DTYPES
    return [
        replace(shared, engine=each, weight_dtype=dtype, **degrees)  # type: ignore[arg-type]
        for each in ([engine] if engine else ENGINES)
        for dtype in dtypes
        for degrees in layouts(model, gpu)
    ]


def attempt(model: str, gpu: str, demand: Demand, replica: Replica) -> Estimate:
    """Return the estimate of a replica, whether or not it has room for a request."""
    case = serving_case(model, gpu, replica)
    return estimate(case, memory_of(case, gpu, replica), as_answered(model, demand))


def with_room(
    model: str, gpu: str, demand: Demand, stated: Replica, given: Collection[str]
) -> tuple[Replica, Estimate] | None:
    """Return the layout and format with the fewest GPUs for its rate, and its estimate.

    None where none has room or a degree is given. One whose cache holds all requests comes before one where some wait.
    """
    if any(name in given for name in DEGREES):
        return None
    found = []
    for each in candidates(model, gpu, stated, stated.engine):
        try:
            tried = attempt(model, gpu, demand, each)
        except SizebookError:
            continue
        if tried.capacity >= 1:
            found.append((each, tried))
    at_once = [pair for pair in found if pair[1].fits] or found
    return min(at_once, key=lambda pair: pair[0].gpus / float(pair[1].tokens_per_second), default=None)


def searched_in_words(replica: Replica) -> str:
    """Return what was chosen where a blank layout had no room, as cells and columns say it."""
    return f"layout chosen by search: {replica.layout}, weights in {replica.weight_dtype or 'own format'}"
