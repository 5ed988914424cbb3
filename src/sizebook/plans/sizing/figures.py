"""The figures of a sizing, declared once: counts, bytes, and how far they are from what is published."""

from sizebook.core.sections import quantity, section
from sizebook.plans.sizing.plan import Sizing


@section
class SizingFigures:
    """A model's parameters and the bytes of its weights, beside the published count where there is one."""

    parameters: int = quantity("trainable parameters", "parameters", minimum=0, label="Parameters")
    active_parameters: int = quantity(
        "parameters that one token visits", "parameters", minimum=0, label="Active per token"
    )
    weight_bytes: float = quantity("weights in the format", "bytes", minimum=0, label="Weights")
    dtype: str = quantity("number format of the weights", label="Number format")
    published_total: int | None = quantity("published parameters", "parameters", minimum=0, label="Published")
    published_difference: int | None = quantity(
        "counted less published", "parameters", label="Difference from published"
    )


def figures(sizing: Sizing) -> SizingFigures:
    """Return the figures of a sizing."""
    return SizingFigures(
        parameters=sizing.count.total,
        active_parameters=sizing.count.active,
        weight_bytes=float(sizing.weight_bytes),
        dtype=sizing.dtype,
        published_total=sizing.published.total,
        published_difference=sizing.difference,
    )
