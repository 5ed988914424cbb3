"""Finds the checkpoint that a person names, and says of each of its models what its config adds to the headers."""

from dataclasses import dataclass, replace
from pathlib import Path

from sizebook.core.errors import SizebookError
from sizebook.models.architecture import Architecture
from sizebook.models.cache_size import cache_bytes
from sizebook.models.checkpoints import config_agreement, gguf_config
from sizebook.models.checkpoints.adapter_bases import Base
from sizebook.models.checkpoints.contents import CheckpointContents, Part, contents_at, contents_of
from sizebook.models.checkpoints.file_names import is_checkpoint, is_checkpoint_name
from sizebook.models.checkpoints.weighing import WEIGHT, Weight, weights_of
from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.flops import forward
from sizebook.models.huggingface import architecture
from sizebook.models.verifying import predicted_names
from sizebook.sources.hub import REPOSITORY, Repository
from sizebook.sources.model_sources import source_of

CONTEXT = 4096  # tokens for which cache and FLOPs are shown
_FLOATS = ("F64", "F32", "BF16", "F16")  # a packed matrix does not show its extents
_CACHE_BYTES = 2.0  # of an element: bf16


@dataclass(frozen=True)
class ConfigFigures:
    """What the config beside a checkpoint adds: active parameters, cache of `CONTEXT` tokens, FLOPs of one.

    ``total`` is what the config predicts, ``mtp`` the prediction layers beside. ``origin`` says where the figures are
    from, ``described`` holds what the config describes.
    """

    origin: str
    active: int
    total: int | None = None
    mtp: int = 0
    described: Architecture | None = None
    cache_bytes: float | None = None
    flops: float | None = None
    notes: tuple[str, ...] = ()


def open_checkpoint(name: str) -> CheckpointContents:
    """Return what a path of this machine holds, or a Hub repository ORG/NAME, or a file ORG/NAME/FILE of one."""
    words = name.split("/")
    if not Path(name).exists() and len(words) >= 2 and REPOSITORY.fullmatch("/".join(words[:2])):
        only = "/".join(words[2:])
        if len(words) == 2 or is_checkpoint_name(only):
            return contents_of(Repository("/".join(words[:2])), only)
    return contents_at(Path(name))


def base_of(name: str) -> Base:
    """Return an adapter's base: what a checkpoint holds, or what a mapping predicts."""
    if Path(name).exists() and is_checkpoint(Path(name)):
        part = contents_at(Path(name)).parts[0]
        weights = weights_of(part.checkpoint.tensors, part.checkpoint.quantization(part.config))
        return Base(part.weighed.parameters, {w.tensor.name: w.tensor.shape for w in weights if _plain(w)})
    return predicted_base(architecture(source_of(name).config))


def predicted_base(described: Architecture) -> Base:
    """Return an adapter's base as a mapping describes it."""
    head = described.head.name if described.head else ""
    return Base(count(described).total, predicted_names(described), described_as=described.model_type, head=head)


def _plain(weight: Weight) -> bool:
    return weight.role == WEIGHT and weight.tensor.dtype in _FLOATS


def figures_from_config(part: Part) -> tuple[ConfigFigures | None, str]:
    """Return what the config of a part adds, or None and why it adds nothing."""
    metadata = part.checkpoint.metadata
    if not part.config and metadata:
        return _from_metadata(part)
    if not part.config:
        return None, "no config.json beside it"
    if "_class_name" in part.config:
        return None, "a diffusers model has no mapping, its weights say all that is counted"
    try:
        described = architecture(Config(dict(part.config), "config.json"))
    except SizebookError as error:
        return None, str(error)
    return _mapped(described, f"config.json ({described.model_type})"), ""


def _mapped(described: Architecture, origin: str) -> ConfigFigures:
    counted = count(described)
    causal = described.head is not None
    return ConfigFigures(
        origin=origin,
        active=counted.active,
        total=counted.total,
        mtp=counted.mtp,
        described=described,
        cache_bytes=cache_bytes(described, CONTEXT, _CACHE_BYTES) if causal else None,
        flops=forward(described, CONTEXT, causal=causal).total,
        notes=described.notes,
    )


def _from_metadata(part: Part) -> tuple[ConfigFigures | None, str]:
    """Return what the keys of a GGUF file tell: all, or active parameters alone where no mapping describes it."""
    family = part.checkpoint.metadata.get("general.architecture")
    try:
        return _mapped(gguf_config.described(part), f"the file's own keys ({family})"), ""
    except SizebookError as error:
        active = _active(part)
        left_out = f"cache and FLOPs are unknown: {str(error).rstrip('.')}"
        return (replace(active, notes=(left_out,)) if active else None), str(error)


def _active(part: Part) -> ConfigFigures | None:
    """Return the active parameters that the keys of a GGUF file tell: routed experts count used / all of them."""
    metadata = part.checkpoint.metadata
    family = metadata.get("general.architecture")
    n_experts, used = metadata.get(f"{family}.expert_count"), metadata.get(f"{family}.expert_used_count")
    if type(n_experts) is not int or type(used) is not int or not 0 < used <= n_experts:
        return None
    routed = sum(w.parameters for w in weights_of(part.checkpoint.tensors) if "_exps." in w.tensor.name)
    active = part.weighed.parameters - routed + routed * used // n_experts
    return ConfigFigures(origin=f"the file's own keys ({family}: {used} of {n_experts} experts)", active=active)


def agreement(part: Part, found: ConfigFigures) -> str:
    """Return in words how the count of the headers compares with that of the config; nothing where none describes."""
    return config_agreement.agreement(part, found.described) if found.described is not None else ""
