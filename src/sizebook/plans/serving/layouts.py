"""Layouts of a replica that a search compares: those within one node that an engine starts."""

from __future__ import annotations

from collections.abc import Iterator

from sizebook.serving.encoding import halves, serving_case
from sizebook.serving.quantities import Replica
from sizebook.serving.shape import shape_of
from sizebook.tables.hardware import accelerator

DEGREES = ("tp", "pp", "dp", "ep")


def layouts(model: str, gpu: str) -> Iterator[dict[str, int]]:
    """Yield the degrees within one node: tensor parallelism, and for expert models attention data parallelism."""
    most = min(8, accelerator(gpu).scale_up_domain)
    found = halves(model)
    shape = shape_of(model) if found is None else serving_case(model, gpu, Replica()).shape
    for degree in (1, 2, 4, 8):
        if degree > most:
            continue
        if shape.common_heads % degree == 0:
            yield {"tp": degree}
        if degree > 1 and shape.n_experts and shape.n_experts % degree == 0:
            yield {"dp": degree, "ep": degree}


def searched(replica: Replica) -> str:
    """Return what was chosen where a blank layout had no room, as cells and columns say it."""
    return f"layout searched: {replica.layout}, {replica.weight_dtype or 'own format'}"
