"""The figures of a sizing, declared once: counts, bytes, and how far they are from what is published."""

from __future__ import annotations

from typing import Annotated, Any

from sizebook.core.sections import Quantity, section
from sizebook.plans.sizing.plan import PartShare, Sizing, Storage

_PARAMETERS: Any = {"unit": "parameters", "kind": "integer", "minimum": 0}
_BYTES: Any = {"unit": "bytes", "minimum": 0}


@section
class SizingFigures:
    """A model's parameters and the bytes of its weights, beside the published count where there is one."""

    parameters: Annotated[int, Quantity("trainable parameters", **_PARAMETERS, label="Parameters")]
    active_parameters: Annotated[
        int, Quantity("parameters that one token visits", **_PARAMETERS, label="Active per token")
    ]
    weight_bytes: Annotated[float, Quantity("weights in the format", **_BYTES, label="Weights")]
    dtype: Annotated[str, Quantity("number format of the weights", kind="text", label="Number format")]
    published_total: Annotated[int | None, Quantity("published parameters", **_PARAMETERS, label="Published")]
    published_difference: Annotated[
        int | None,
        Quantity("counted less published", unit="parameters", kind="integer", label="Difference from published"),
    ]


@section
class PartFigures:
    """One part of a model."""

    part: Annotated[str, Quantity("part", kind="text", label="Part")]
    label: Annotated[str, Quantity("part in words", kind="text", label="In words")]
    parameters: Annotated[int, Quantity("parameters of the part", **_PARAMETERS, label="Parameters")]
    share: Annotated[float, Quantity("share of all parameters", unit="ratio", minimum=0, label="Share")]


@section
class StorageFigures:
    """The weights in one number format."""

    dtype: Annotated[str, Quantity("number format", kind="text", label="Number format")]
    bits_per_weight: Annotated[float, Quantity("bits of a weight, scales included", unit="bits", label="Bits")]
    n_bytes: Annotated[float, Quantity("weights in that format", **_BYTES, label="Weights")]


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
