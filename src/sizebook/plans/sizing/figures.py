"""The figures of a sizing, declared once: counts, bytes, and how far they are from what is published."""

from sizebook.core.sections import quantity, section
from sizebook.plans.sizing.plan import PartShare, Sizing, Storage


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


@section
class PartFigures:
    """One part of a model."""

    part: str = quantity("part", label="Part")
    label: str = quantity("part in words", label="In words")
    parameters: int = quantity("parameters of the part", "parameters", minimum=0, label="Parameters")
    share: float = quantity("share of all parameters", "ratio", minimum=0, label="Share")


@section
class StorageFigures:
    """The weights in one number format."""

    dtype: str = quantity("number format", label="Number format")
    bits_per_weight: float = quantity("bits of a weight, scales included", "bits", label="Bits")
    n_bytes: float = quantity("weights in that format", "bytes", minimum=0, label="Weights")


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


def part_figures(part: PartShare) -> PartFigures:
    """Return the figures of one part."""
    return PartFigures(part=part.part, label=part.label, parameters=part.parameters, share=part.share)


def storage_figures(stored: Storage) -> StorageFigures:
    """Return the figures of the weights in one format."""
    return StorageFigures(dtype=stored.dtype, bits_per_weight=stored.bits_per_weight, n_bytes=float(stored.n_bytes))
