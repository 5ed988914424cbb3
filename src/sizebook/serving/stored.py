"""The weights of a checkpoint as an engine loads them: bytes of experts and of everything else, from its headers."""

import re
from dataclasses import dataclass
from pathlib import Path

from sizebook.core.errors import InputError
from sizebook.intake.allowed_files import refuse_relative
from sizebook.models import catalog
from sizebook.models.cached_results import cached_by_model
from sizebook.models.checkpoints.tensors import Tensor
from sizebook.models.checkpoints.weighing import Weight, weights_of
from sizebook.models.verifying import TOWER

_EXPERT = re.compile(r"\.experts\.|_exps\.")
_LAYER = re.compile(r"(?:^|\.)(?:layers|h|blocks|block|layer|blk)\.(\d+)\.")
_WIDE = ("F32", "F64")
_MTP = re.compile(r"(^|\.)mtp\.")
_HALF = 2  # bytes: engines load what is stored in 32 or 64 bits in 16
# The engine's name of what most weights are stored in; others by the bits that a weight takes.
_DTYPES = {
    "BF16": "bf16", "F16": "fp16", "F32": "bf16", "F64": "bf16", "I8": "int8", "NVFP4": "nvfp4", "MXFP4": "mxfp4",
}  # fmt: skip
_FEW_BITS = 6.6  # a weight with its scales, up to which a format counts as four-bit weights


@dataclass(frozen=True)
class Stored:
    """Bytes of the weights that an engine loads, experts apart, and the format that most of them are in."""

    weight_dtype: str
    expert_bytes: float
    other_bytes: float


@cached_by_model
def stored_weights(model: str, n_layers: int, n_mtp: int, has_experts: bool) -> Stored:
    """Return the bytes of the checkpoint that a model is given by; prediction layers, which engines leave out, apart.

    Errors: a mixture of experts whose expert tensors have other names, for they would be split like the rest.
    """
    refuse_relative(Path(model))
    part = catalog.checkpoint(model)
    every = weights_of(part.checkpoint.tensors, part.checkpoint.quantization(part.config))
    weights = [weight for weight in every if not _predicts(weight.tensor.name, n_layers, n_mtp)]
    wide = _dtype(weights) == "bf16"
    sizes = {w.tensor.name: _loaded(w.tensor, wide) for w in weights}
    experts = float(sum(size for name, size in sizes.items() if _EXPERT.search(name)))
    if has_experts and not experts:
        raise InputError(
            f"experts not found: got no tensors named so in {part.name}, want them. "
            "Give the config.json and a weight_dtype instead."
        )
    return Stored(_dtype(weights), experts, float(sum(sizes.values())) - experts)


def _predicts(name: str, n_layers: int, n_mtp: int) -> bool:
    """Return whether a tensor is of a prediction layer: one counted on behind the stack, or under a name of its own."""
    match = _LAYER.search(name)
    behind = match is not None and n_layers <= int(match[1]) < n_layers + n_mtp and not TOWER.search(name)
    return n_mtp > 0 and (behind or bool(_MTP.search(name)))


def _loaded(tensor: Tensor, wide: bool) -> int:
    """Return the bytes of a tensor as loaded: a checkpoint in 32 bits is cast to 16."""
    return tensor.size * _HALF if wide and tensor.dtype in _WIDE else tensor.n_bytes


def _dtype(weights: list[Weight]) -> str:
    """Return the format of most parameters in the words of engines."""
    parameters: dict[str, int] = {}
    for weight in weights:
        parameters[weight.label] = parameters.get(weight.label, 0) + weight.parameters
    most = max(parameters, key=lambda label: parameters[label])
    if most.startswith("F8"):
        blocks = any(w.tensor.name.endswith(("weight_scale_inv", ".scale")) for w in weights)
        return "fp8_block" if blocks else "fp8"
    if most in _DTYPES:
        return _DTYPES[most]
    n_bytes = sum(weight.tensor.n_bytes for weight in weights if weight.label == most)
    return "int4_wo" if 8 * n_bytes <= _FEW_BITS * parameters[most] else "int8"
