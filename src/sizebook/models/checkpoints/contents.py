"""What a folder or repository holds: one model, or the parts of a diffusers pipeline, each weighed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.texts import text as remark
from sizebook.intake.allowed_files import located
from sizebook.models.checkpoints.file_names import CONFIG, PIPELINE, holds_weights
from sizebook.models.checkpoints.packings import Quantization
from sizebook.models.checkpoints.reading import Checkpoint, read_store
from sizebook.models.checkpoints.store import Folder, Store, json_of
from sizebook.models.checkpoints.weighing import Weighed, weigh

Files = tuple[tuple[str, int, int], ...]  # name, bytes, nanoseconds of the last change
State = tuple[Folder, str, Files]


@dataclass(frozen=True)
class Part:
    """One model with its class where a pipeline names it, its checkpoint, its figures and the config beside it."""

    name: str
    class_name: str
    checkpoint: Checkpoint
    weighed: Weighed
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of its figures must know: of the files, and of packings that are not known."""
        return (*self.checkpoint.notes, *(self._not_known(packing) for packing in self.weighed.unknown))

    def _not_known(self, packing: str) -> str:
        if method := Quantization.of(self.config).method:
            return remark(
                "packing not known: {packing}; counted as stored, so the parameters may be more. Its "
                "quantization_config says '{method}', of which this packing is not described",
                packing=packing, method=method,
            )  # fmt: skip
        return remark(
            "packing not known: {packing}; counted as stored, so the parameters may be more. Its quantization_config "
            "in a config.json beside it would tell",
            packing=packing,
        )


@dataclass(frozen=True)
class CheckpointContents:
    """The models of a checkpoint: its parts; of a pipeline also its class, and the parts without weights."""

    name: str
    parts: tuple[Part, ...]
    pipeline: str = ""
    without_weights: tuple[str, ...] = ()

    @property
    def only(self) -> Part:
        """The one model that is held; a pipeline of several is refused."""
        if self.pipeline:
            raise InputError(
                f"pipeline of several models: got {self.pipeline} with {len(self.parts)} models, want one. "
                "Give the folder of a part."
            )
        return self.parts[0]

    @property
    def parameters(self) -> int:
        return sum(part.weighed.parameters for part in self.parts)

    @property
    def n_bytes(self) -> int:
        return sum(part.weighed.n_bytes for part in self.parts)


def contents_of(store: Store, only: str = "") -> CheckpointContents:
    """Return what a store holds, or one file of it alone: one model, or a pipeline in parts."""
    sizes = store.sizes()
    if not only and PIPELINE in sizes:
        return _pipeline(store, sizes)
    config = json_of(store, CONFIG, "a config.json") if CONFIG in sizes else {}
    checkpoint = read_store(store, only=only)
    part = Part(checkpoint.name, "", checkpoint, weigh(checkpoint.tensors, checkpoint.quantization(config)), config)
    return CheckpointContents(checkpoint.name, (part,))


def _pipeline(store: Store, sizes: Mapping[str, int]) -> CheckpointContents:
    values = json_of(store, PIPELINE, "the index of a pipeline")
    named = {
        name: str(value[1])
        for name, value in values.items()
        if isinstance(value, list) and len(value) >= 2 and value[1] is not None and not name.startswith("_")
    }
    parts = [_part(store, sizes, name, kind) for name, kind in named.items() if holds_weights(sizes, name)]
    if not parts:
        raise InputError(
            f"no weights: got {PIPELINE} of {store.name} without the folders of its parts ({', '.join(named)}), want "
            "their weights. Download them."
        )
    without = tuple(name for name in named if not holds_weights(sizes, name))
    return CheckpointContents(store.name, tuple(parts), str(values.get("_class_name", "pipeline")), without)


def _part(store: Store, sizes: Mapping[str, int], name: str, kind: str) -> Part:
    beside = f"{name}/{CONFIG}"
    config = json_of(store, beside, "a config.json") if beside in sizes else {}
    checkpoint = read_store(store, folder=name)
    return Part(name, kind, checkpoint, weigh(checkpoint.tensors, checkpoint.quantization(config)), config)


def contents_at(path: Path) -> CheckpointContents:
    """Return what a file, an index or a folder of this machine holds; read again only where files changed."""
    return _contents_at(*state_at(path))


def state_at(path: Path) -> State:
    """Return the folder that a path names or lies in, the one file asked for, and the state of all that lies there."""
    path = located(path)
    check_there(path)
    store = Folder(path if path.is_dir() else path.parent)
    only = "" if path.is_dir() or path.name == PIPELINE else path.name
    return store, only, tuple((name, size, _changed(store, name)) for name, size in store.sizes().items())


def check_there(path: Path) -> None:
    """Raise where nothing lies at the path of a checkpoint."""
    if not path.exists():
        raise InputError(
            f"no checkpoint: got {path}, want a file of weights, an index of them or a folder that holds some. "
            "Check the path."
        )


def _changed(store: Folder, name: str) -> int:
    """Return when a file changed last in nanoseconds, 0 where it went away meanwhile."""
    try:
        return (store.path / name).stat().st_mtime_ns
    except FileNotFoundError:
        return 0


@lru_cache(maxsize=8)
def _contents_at(store: Folder, only: str, _state: Files) -> CheckpointContents:
    return contents_of(store, only)
