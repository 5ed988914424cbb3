"""Counts a checkpoint of any architecture: parameters, bytes and the mix of formats, from its headers alone."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from typing import NamedTuple

from sizebook.models.checkpoints.packings import Neighbours, Packed, Quantization, called_scales, packed
from sizebook.models.checkpoints.tensors import BUFFERS, Tensor

# Stored beside the weights, not trained: tables of positions, masks, running means, what an optimizer keeps.
_BUFFERS = re.compile(
    r"(^|\.)(inv_freq|position_ids|token_type_ids|masked_bias|running_mean|running_var|num_batches_tracked|"
    r"relative_position_index|tid2eid|scaled_fp8|rope_freqs\.weight|rope_factors_(long|short)\.weight|"
    r"exp_avg|exp_avg_sq|max_exp_avg_sq|momentum_buffer|state\.\d+\.step)$"
    rf"|(^|\.){BUFFERS}\."
)
_CACHE_SCALE = re.compile(r"(^|\.)([kqv]_scale|prob_output_scale|[kv]_proj\.output_scale|[kqv]_zero_point)$")
_WHOLE = ("I8", "U8", "I16", "U16", "I32", "U32", "I64", "U64", "BOOL")
WEIGHT, SCALE, BUFFER, UNKNOWN = "weight", "scale", "buffer", "unknown"  # what a tensor is
_ASIDE = (SCALE, BUFFER)  # no parameters of the model
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


class Weight(NamedTuple):
    """One tensor with what it is: the format in words and the parameters it stands for, or its role beside them."""

    tensor: Tensor
    role: str
    label: str
    parameters: int


def weights_of(tensors: Iterable[Tensor], stated: Quantization | None = None) -> list[Weight]:
    """Return every tensor with its role and the parameters that it stands for."""
    return [Weight(tensor, *_told(tensor, size, beside)) for tensor, size, beside in _beside_each(tensors, stated)]


def _beside_each(
    tensors: Iterable[Tensor], stated: Quantization | None
) -> Iterator[tuple[Tensor, int, Packed | str | None]]:
    """Yield every tensor with its elements and its packing, `SCALE` where it is part of another's, `UNKNOWN`."""
    by_name = {tensor[0]: tensor for tensor in tensors}
    found: dict[str, Packed | str] = {}
    stated = stated or Quantization()
    stored = Neighbours(by_name, stated)
    for tensor, packing in packed(stored):
        found.setdefault(tensor[0], packing)
        for each in packing[2]:
            found[each] = SCALE
    if stated.method and not found:  # by a method of which no tensor is known
        found |= {name: UNKNOWN for name, tensor in by_name.items() if tensor[1] in _WHOLE and tensor.size >= _LARGE}
    found.update(dict.fromkeys(called_scales(stored, found), SCALE))
    for name, tensor in by_name.items():
        yield tensor, prod(tensor[2]), found.get(name)


def _told(tensor: Tensor, size: int, beside: Packed | str | None) -> tuple[str, str, int]:
    """Return a tensor's role, its format in words and the parameters that it stands for."""
    if beside is SCALE:
        return SCALE, tensor.dtype, 0
    if beside is UNKNOWN and not _BUFFERS.search(tensor.name):
        return UNKNOWN, tensor.dtype, size
    if isinstance(beside, Packed):
        label, parameters, _ = beside
        return (UNKNOWN, label, size) if parameters is None else (WEIGHT, label, parameters)
    if size <= 1 and _CACHE_SCALE.search(tensor.name):
        return SCALE, tensor.dtype, 0
    if _BUFFERS.search(tensor.name) or _is_mask(tensor):
        return BUFFER, tensor.dtype, 0
    if tensor.dtype in _WHOLE:
        narrow = tensor.dtype not in ("I64", "U64", "BOOL")
        unknown = narrow and len(tensor.shape) > 1 and size >= _LARGE
        return (UNKNOWN, tensor.dtype, size) if unknown else (BUFFER, tensor.dtype, 0)
    return WEIGHT, tensor.dtype, size


def _is_mask(tensor: Tensor) -> bool:
    """Return whether a tensor is the causal mask that GPT-2's and GPT-NeoX's attention stored: [1, 1, n, n]."""
    shape = tensor.shape
    named = tensor.name.endswith(("attn.bias", "attention.bias"))
    return named and len(shape) == 4 and shape[:2] == (1, 1) and shape[2] == shape[3]


def weigh(tensors: Iterable[Tensor], stated: Quantization | None = None) -> Weighed:
    """Return the parameters, bytes and mix of formats of some tensors, formats with the most bytes first."""
    sums: dict[tuple[str, str], list[int]] = {}  # by role and format: tensors, parameters, bytes
    unknown: dict[str, str] = {}
    stored = 0
    for tensor, size, beside in _beside_each(tensors, stated):
        stored += size
        role, label, parameters = _told(tensor, size, beside)
        of = sums.get(key := (role, "") if role in _ASIDE else ("", label))
        if of is None:
            of = sums[key] = [0, 0, 0]
        of[0] += 1
        of[1] += parameters
        of[2] += tensor[3]
        if role == UNKNOWN and label not in unknown:
            unknown[label] = f"{label}, such as {tensor.name}"
    mixes = [Mix(label, *of) for (role, label), of in sums.items() if not role]
    scales, buffers = (Mix(f"{role}s", *sums.get((role, ""), (0, 0, 0))) for role in (SCALE, BUFFER))
    every = (*mixes, scales, buffers)
    return Weighed(
        parameters=sum(mix.parameters for mix in mixes),
        stored=stored,
        n_tensors=sum(mix.tensors for mix in every),
        n_bytes=sum(mix.n_bytes for mix in every),
        mixes=tuple(sorted(mixes, key=lambda mix: (-mix.n_bytes, mix.label))),
        scales=scales,
        buffers=buffers,
        unknown=tuple(unknown.values()),
    )
