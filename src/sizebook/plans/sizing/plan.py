"""The sizing of one model: exact parameters by part, storage by number format, and how each figure came about."""

from dataclasses import dataclass, field

from sizebook.core.derivation import Step
from sizebook.core.sections import quantity, section
from sizebook.core.texts import joined, text
from sizebook.core.units import grouped
from sizebook.formulas.weights import dtype_bits, model_bytes
from sizebook.models.architecture import Architecture, Part, Weight
from sizebook.models.counting import Count, count, groups_with_counts

DTYPES_COMPARED = ("fp32", "bf16", "fp8", "int8", "int4", "nvfp4", "mxfp4", "q8_0", "q5_k_m", "q4_k_m")

PART_LABELS: dict[Part, str] = {
    "embedding": text("Token and position tables"),
    "lm_head": text("Output projection"),
    "attention": text("Attention projections"),
    "mlp": text("Feed-forward blocks"),
    "router": text("Expert routers"),
    "norm": text("Norm gains"),
    "bias": text("Biases"),
    "ssm": text("State-space and convolution mixers"),
    "tower": text("Vision and audio towers"),
    "other": text("Other projections"),
}


@section
class PartShare:
    """One part of a model: its parameters, its share of the total and the products that they are the sum of."""

    part: str = quantity("part", label="Part")
    label: str = quantity("part in words", label="In words")
    parameters: int = quantity("parameters of the part", "parameters", minimum=0, label="Parameters")
    share: float = quantity("share of all parameters", "ratio", minimum=0, label="Share")
    derivation: Step = field(metadata={"not_a_key": True})


@section
class Storage:
    """The weights in one number format."""

    dtype: str = quantity("number format", label="Number format")
    bits_per_weight: float = quantity("bits of a weight, scales included", "bits", label="Bits")
    n_bytes: float = quantity("weights in that format", "bytes", minimum=0, label="Weights")


@dataclass(frozen=True)
class Published:
    """The count to compare with, where there is one; ``half_unit`` is half of its last digit, 0 for an exact one."""

    total: int | None = None
    source: str = ""
    half_unit: int = 0


AS_STORED = "as stored"  # in place of a number format: as the headers of a checkpoint have it


@dataclass(frozen=True)
class Sizing:
    """What a sizing workbook and report show of one model.

    ``dtype`` is `AS_STORED` where ``weight_bytes`` are those of a checkpoint's headers, scales and buffers included.
    """

    model: str
    architecture: Architecture
    dtype: str
    count: Count
    parts: tuple[PartShare, ...]
    storage: tuple[Storage, ...]
    weight_bytes: int
    figures: tuple[Step, ...]
    published: Published = Published()

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the count must know."""
        return self.architecture.notes

    @property
    def difference(self) -> int | None:
        """Counted less published parameters, None where nothing is published."""
        return None if self.published.total is None else self.count.total - self.published.total

    @property
    def stored(self) -> str:
        """How the weights are stored, in words: in a format, or as the files have them."""
        return "as its files have them" if self.dtype == AS_STORED else f"in {self.dtype}"


def size_model(
    model: str,
    architecture: Architecture,
    dtype: str = "bf16",
    published: Published | None = None,
    stored_bytes: int | None = None,
) -> Sizing:
    """Return the sizing of a model whose architecture is known; every figure carries its derivation.

    With ``stored_bytes``, those of a checkpoint's headers, these are its weights, and ``dtype`` is left aside.
    """
    counted = count(architecture)
    source = text("counted from the {model_type} architecture, tensor by tensor", model_type=architecture.model_type)
    parts = tuple(
        PartShare(
            part=part,
            label=PART_LABELS[part],
            parameters=n,
            share=n / counted.total,
            derivation=_part_step(architecture, part, n, source),
        )
        for part, n in counted.parts.items()
        if n
    )
    storage = tuple(_stored_in(d, dtype_bits(d), model_bytes(counted.total, d)) for d in DTYPES_COMPARED)
    if stored_bytes is None:
        weights = _weights_step(counted, dtype)
    else:
        dtype = AS_STORED
        weights = _stored_step(stored_bytes)
        storage = (_stored_in(dtype, 8 * stored_bytes / counted.total, stored_bytes), *storage)
    return Sizing(
        model=model,
        architecture=architecture,
        dtype=dtype,
        count=counted,
        parts=parts,
        storage=storage,
        weight_bytes=int(weights.value),
        figures=(*_headline_steps(counted, parts, source), weights),
        published=published or Published(),
    )


def _stored_in(dtype: str, bits: float, n_bytes: int) -> Storage:
    return Storage(dtype=dtype, bits_per_weight=bits, n_bytes=float(n_bytes))


def _weights_step(counted: Count, dtype: str) -> Step:
    return Step(
        text("Weights in {dtype}", dtype=dtype),
        text("total * bits per weight / 8"),
        f"{grouped(counted.total)} * {dtype_bits(dtype):g} / 8",
        value=model_bytes(counted.total, dtype),
        unit="bytes",
        source="data/dtypes.csv",
    )


def _stored_step(stored_bytes: int) -> Step:
    return Step(
        text("Weights as stored"),
        text("sum over the tensors of the checkpoint's headers"),
        grouped(stored_bytes),
        value=stored_bytes,
        unit="bytes",
        source=text("the headers of the checkpoint, scales and buffers included"),
    )


def _headline_steps(counted: Count, parts: tuple[PartShare, ...], source: str) -> tuple[Step, ...]:
    total = Step(
        text("Total parameters"),
        joined((p.label for p in parts), " + "),
        " + ".join(grouped(p.parameters) for p in parts),
        value=counted.total,
        unit="parameters",
        source=source,
    )
    active = Step(
        text("Active parameters"),
        text("total - routed experts that a token does not visit"),
        f"{grouped(counted.total)} - {grouped(counted.total - counted.active)}",
        value=counted.active,
        unit="parameters",
        source=source,
    )
    return (total, active) if counted.active != counted.total else (total,)


def _part_step(architecture: Architecture, part: Part, n_parameters: int, source: str) -> Step:
    """Return one part as a sum of products of tensor shapes: numbers only, so that it can be checked by hand."""
    occurrences: dict[str, int] = {}
    for weights, times in groups_with_counts(architecture):
        products = _products([w for w in weights if w.part == part])
        if products:
            occurrences[products] = occurrences.get(products, 0) + times
    terms = [f"{times} * ({products})" if times > 1 else products for products, times in occurrences.items()]
    return Step(
        PART_LABELS[part],
        text("sum over layers of tensor shapes"),
        " + ".join(terms),
        value=n_parameters,
        unit="parameters",
        source=source,
    )


def _products(weights: list[Weight]) -> str:
    """Return equal tensor shapes once with how often they occur: ``2 * 4096 * 4096 + 1024``; a scalar is 1."""
    occurrences: dict[tuple[int, ...], int] = {}
    for weight in weights:
        occurrences[weight.shape] = occurrences.get(weight.shape, 0) + weight.copies
    return " + ".join(
        " * ".join(map(str, ([times] if times > 1 else []) + list(shape))) or "1"
        for shape, times in occurrences.items()
    )
