"""Counts a checkpoint of any architecture: parameters, bytes and the mix of formats, from its headers alone."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sizebook.models.checkpoints.packings import Beside, Packed, Quantization, packed
from sizebook.models.checkpoints.tensors import Tensor

# Stored beside the weights, not trained: tables of positions, masks, running means, scales of the cache.
_BUFFERS = re.compile(
    r"(^|\.)(inv_freq|position_ids|token_type_ids|masked_bias|running_mean|running_var|num_batches_tracked|"
    r"relative_position_index|rope_freqs\.weight|rope_factors_(long|short)\.weight)$"
)
_CACHE_SCALE = re.compile(r"(^|\.)([kqv]_scale|prob_output_scale|[kv]_proj\.output_scale|[kqv]_zero_point)$")
_WHOLE = ("I8", "U8", "I16", "U16", "I32", "U32", "I64", "U64", "BOOL")
_LARGE = 4096  # elements of whole numbers from which a matrix may be packed weights that are not known here


@dataclass(frozen=True)
class Mix:
    """What is stored in one format: tensors, the parameters they stand for and their bytes."""

    label: str
    tensors: int = 0
    parameters: int = 0
    n_bytes: int = 0


@dataclass(frozen=True)
class Weighed:
    """A checkpoint in numbers.

    ``parameters`` is what the tensors stand for: each weight of a packed matrix once, scales and buffers left out.
    ``stored`` counts elements as the headers state them. Where a packing is not known, ``unknown`` names it and
    ``parameters`` counts it as stored.
    """

    parameters: int
    stored: int
    n_tensors: int
    n_bytes: int
    mixes: tuple[Mix, ...]
    scales: Mix
    buffers: Mix
    unknown: tuple[str, ...]

    @property
    def is_exact(self) -> bool:
        """Whether every packing is known, so that ``parameters`` is exact."""
        return not self.unknown


@dataclass(frozen=True)
class Weight:
    """One tensor with what it is: the format in words and the parameters it stands for, or its role beside them."""

    tensor: Tensor
    role: str  # "weight", "scale", "buffer", "unknown"
    label: str
    parameters: int


def weights_of(tensors: Iterable[Tensor], stated: Quantization | None = None) -> list[Weight]:
    """Return every tensor with its role and the parameters that it stands for."""
    by_name = {tensor.name: tensor for tensor in tensors}
    beside = Beside(by_name, stated or Quantization())
    packings: dict[str, Packed] = {}
    scales: set[str] = set()
    for tensor in by_name.values():
        if (found := packed(tensor, beside)) is not None:
            packings[tensor.name] = found
            scales.update(found.beside)
    return [_weight(tensor, packings.get(tensor.name), tensor.name in scales) for tensor in by_name.values()]


def _weight(tensor: Tensor, packing: Packed | None, is_scale: bool) -> Weight:
    if is_scale or (_CACHE_SCALE.search(tensor.name) and tensor.size <= 1):
        return Weight(tensor, "scale", tensor.dtype, 0)
    if packing is not None:
        if packing.parameters is None:
            return Weight(tensor, "unknown", packing.label, tensor.size)
        return Weight(tensor, "weight", packing.label, packing.parameters)
    if _BUFFERS.search(tensor.name) or _is_mask(tensor):
        return Weight(tensor, "buffer", tensor.dtype, 0)
    if tensor.dtype in _WHOLE:
        narrow = tensor.dtype not in ("I64", "U64", "BOOL")
        unknown = narrow and len(tensor.shape) > 1 and tensor.size >= _LARGE
        return Weight(tensor, "unknown" if unknown else "buffer", tensor.dtype, tensor.size if unknown else 0)
    return Weight(tensor, "weight", tensor.dtype, tensor.size)


def _is_mask(tensor: Tensor) -> bool:
    """Return whether a tensor is the causal mask that GPT-2's and GPT-NeoX's attention stored: [1, 1, n, n]."""
    shape = tensor.shape
    named = tensor.name.endswith(("attn.bias", "attention.bias"))
    return named and len(shape) == 4 and shape[:2] == (1, 1) and shape[2] == shape[3]


def weigh(tensors: Iterable[Tensor], stated: Quantization | None = None) -> Weighed:
    """Return the parameters, bytes and mix of formats of some tensors, formats with the most bytes first."""
    mixes: dict[str, Mix] = {}
    scales, buffers = Mix("scales"), Mix("buffers")
    unknown: dict[str, None] = {}
    stored = 0
    for weight in weights_of(tensors, stated):
        stored += weight.tensor.size
        if weight.role == "scale":
            scales = _more(scales, weight)
        elif weight.role == "buffer":
            buffers = _more(buffers, weight)
        else:
            mixes[weight.label] = _more(mixes.get(weight.label, Mix(weight.label)), weight)
            if weight.role == "unknown":
                unknown[f"{weight.label}, such as {weight.tensor.name}"] = None
    ordered = tuple(sorted(mixes.values(), key=lambda mix: (-mix.n_bytes, mix.label)))
    every = (*ordered, scales, buffers)
    return Weighed(
        parameters=sum(mix.parameters for mix in ordered),
        stored=stored,
        n_tensors=sum(mix.tensors for mix in every),
        n_bytes=sum(mix.n_bytes for mix in every),
        mixes=ordered,
        scales=scales,
        buffers=buffers,
        unknown=_kinds(unknown),
    )


def _more(mix: Mix, weight: Weight) -> Mix:
    return replace(
        mix,
        tensors=mix.tensors + 1,
        parameters=mix.parameters + weight.parameters,
        n_bytes=mix.n_bytes + weight.tensor.n_bytes,
    )


def _kinds(unknown: Iterable[str]) -> tuple[str, ...]:
    """Return one example for each kind of packing that is not known."""
    first: dict[str, str] = {}
    for said in unknown:
        first.setdefault(said.partition(", such as ")[0], said)
    return tuple(first.values())
