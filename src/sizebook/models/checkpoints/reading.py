"""Reads the checkpoint that a store holds: which of its files belong together, and the tensors of each by its kind."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from sizebook.core.errors import InputError
from sizebook.core.texts import plural
from sizebook.core.texts import text as remark
from sizebook.models.checkpoints import kinds
from sizebook.models.checkpoints.file_names import ENDINGS, INDEX_ENDING, folder_of, is_weights, of_a_rank
from sizebook.models.checkpoints.gguf import MAGIC, read_gguf
from sizebook.models.checkpoints.packings import Quantization
from sizebook.models.checkpoints.safetensors import read_safetensors
from sizebook.models.checkpoints.store import Store, json_of
from sizebook.models.checkpoints.tensors import Tensor, file_by_tensor

_SHARD = re.compile(r"(.+)-(\d{5})-of-(\d{5})(\.\w+)")
_USUAL = ("model", "diffusion_pytorch_model", "adapter_model", "pytorch_model")
_ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class Checkpoint:
    """The tensors of one model as its headers state them, the files they lie in, and what was remarked.

    ``metadata`` holds the keys of GGUF files, ``packing`` what modules of a pickle say of theirs, as a config would;
    they are empty for other kinds.
    """

    name: str
    kind: str
    files: tuple[str, ...]
    tensors: tuple[Tensor, ...]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    packing: Mapping[str, Any] = field(default_factory=dict)

    def quantization(self, config: Mapping[str, Any]) -> Quantization:
        """Return what is said of how the tensors are packed: by a config.json, else by the files themselves."""
        return Quantization.of({"quantization": self.packing, **config})


@dataclass(frozen=True)
class _Chosen:
    """The files to read, the index that lists them with its file of every tensor, and what is left aside."""

    files: tuple[str, ...]
    index: str = ""
    listed: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_store(store: Store, folder: str = "", only: str = "") -> Checkpoint:
    """Return the checkpoint in a store, in one folder of it, or of one file or index of it alone."""
    folder = folder or folder_of(only)
    sizes = {name: size for name, size in store.sizes().items() if folder_of(name) == folder}
    chosen = _asked(only, sizes) if only else _choose(store, folder, list(sizes))
    if chosen.index:
        chosen = _by_index(store, chosen, sizes)
    read = {file: _read(store, file, sizes) for file in chosen.files}
    place = file_by_tensor({file: found.tensors for file, found in read.items()})
    if chosen.index:
        _check_index(chosen, place)
    tensors = tuple(tensor for found in read.values() for tensor in found.tensors)
    if not tensors:
        raise InputError(
            f"no tensors: got {', '.join(chosen.files)} with a header that lists none, want a checkpoint's weights. "
            "Give the file that holds them."
        )
    first = next(iter(read.values()))
    _check_split(first.metadata, len(chosen.files), len(tensors), first_file=chosen.files[0])
    notes = [*chosen.notes, *(note for found in read.values() for note in found.notes)]
    if (
        not only
        and not folder
        and (below := sorted({folder_of(name) for name in store.sizes() if is_weights(name)} - {""}))
    ):
        notes.append(remark("weights in the folders {names} below were not counted", names=", ".join(below[:3])))
    name = (folder if not only else "") or (only.rpartition("/")[2] if only and not chosen.index else store.name)
    packing = {module: said for found in read.values() for module, said in found.packing.items()}
    return Checkpoint(name, first.kind, chosen.files, tensors, first.metadata, notes=tuple(notes), packing=packing)


def _asked(name: str, sizes: Mapping[str, int]) -> _Chosen:
    """Return one file, the index, or all the pieces that the file's name counts itself among."""
    if name.casefold().endswith(INDEX_ENDING):
        return _Chosen((), index=name)
    shard = _SHARD.fullmatch(name)
    if shard is not None and name.casefold().endswith(".gguf"):  # a piece of GGUF is no model by itself
        return _Chosen(_pieces(shard[1], shard[4], int(shard[3]), sizes))
    ranks = [other for other in sizes if of_a_rank(other)] if of_a_rank(name) else []
    if (count := int(shard[3]) if shard else len(ranks)) > 1:
        alone = remark("one of {n} pieces, the others are not counted: give their folder or index", n=str(count))
        return _Chosen((name,), notes=(alone,))
    return _Chosen((name,))


def _choose(store: Store, folder: str, names: list[str]) -> _Chosen:
    """Return the files of a folder that make one model."""
    where = f"{store.name}/{folder}".rstrip("/")
    weights = [name for name in names if is_weights(name)]
    for ending in ENDINGS:
        found = [name for name in weights if name.casefold().endswith(ending)]
        indexes = [name for name in names if name.casefold().endswith(ending + INDEX_ENDING)]
        if not found and not indexes:
            continue
        others = sorted({name[name.rindex(".") :] for name in weights} - {ending})
        beside = (remark("{names} files beside were not counted", names=", ".join(others)),) if others else ()
        if indexes:
            plain = min(indexes, key=lambda name: (name.count("."), name))
            return _Chosen((), plain, notes=beside)
        _refuse_ranks(found, where)
        chosen = _of_one_model(found, ending, where, dict.fromkeys(names, 0))
        return _Chosen(chosen.files, notes=(*chosen.notes, *beside))
    raise InputError(
        f"no checkpoint: got {where} without {', '.join(ENDINGS)} files, want weights. {kinds.advice_by_names(names)}"
    )


def _refuse_ranks(found: list[str], where: str) -> None:
    """Refuse files that each hold a piece of every matrix: nothing in them says along which side it was cut."""
    ranks = [name.rpartition("/")[2] for name in found if of_a_rank(name)]
    if len(ranks) > 1:
        raise InputError(
            f"weights split by rank: got {ranks[0]} and {len(ranks) - 1} more in {where}, want whole matrices. "
            "Count the config.json or params.json beside them, or join the pieces."
        )


def _of_one_model(found: list[str], ending: str, where: str, names: Mapping[str, int]) -> _Chosen:
    bases = {_base(name, ending) for name in found}
    usual = next((name for name in found if _base(name, ending) in _USUAL and not _SHARD.fullmatch(name)), None)
    if len(found) == 1 and not _SHARD.fullmatch(found[0]):
        return _Chosen((found[0],))
    if usual is not None:
        others = [name.rpartition("/")[2] for name in found if name != usual]
        left_out = remark("{names} beside were not counted", names=", ".join(others))
        return _Chosen((usual,), notes=(left_out,) if others else ())
    series = {(m[1], m[4], int(m[3])) for name in found if (m := _SHARD.fullmatch(name))}
    if len(series) == 1 and ending != ".gguf":
        pieces = _pieces(*next(iter(series)), names)
        others = [name.rpartition("/")[2] for name in found if name not in pieces]
        left_out = remark("{names} beside were not counted", names=", ".join(others))
        return _Chosen(pieces, notes=(left_out,) if others else ())
    if len(series) == 1 and all(_SHARD.fullmatch(name) for name in found):
        return _Chosen(_pieces(*next(iter(series)), names))
    if ending == ".gguf" or len(series) > 1:
        shown = ", ".join(sorted(base.rpartition("/")[2] + ending for base in bases)[:4])
        raise InputError(f"several models: got {shown} in {where}, want one. Give the path of one file.")
    named = ", ".join(name.rpartition("/")[2] for name in found[:3])
    together = remark(
        "{n} files that no index lists were counted together, first {names}", n=str(len(found)), names=named
    )
    return _Chosen(tuple(found), notes=(together,))


def _base(name: str, ending: str) -> str:
    return name[: -len(ending)].rpartition("/")[2]


def _pieces(stem: str, ending: str, count: int, sizes: Mapping[str, int]) -> tuple[str, ...]:
    """Return the names of all pieces of a file in several, refusing a series with a gap."""
    numbers = range(1, min(count, len(sizes) + 1) + 1)
    pieces = [f"{stem}-{number:05d}-of-{count:05d}{ending}" for number in numbers]
    missing = [name for name in pieces if name not in sizes]
    if missing:
        raise InputError(
            f"piece missing: got no {missing[0].rpartition('/')[2]}, want all {count} pieces. Download what is missing."
        )
    return tuple(pieces)


def _by_index(store: Store, chosen: _Chosen, sizes: Mapping[str, int]) -> _Chosen:
    """Return the files that an index lists; files that it does not are left aside."""
    values = json_of(store, chosen.index, "an index of tensors")
    listed = _weight_map(values, chosen.index)
    folder = folder_of(chosen.index)
    files = tuple(sorted({f"{folder}/{file}".lstrip("/") for file in listed.values()}))
    missing = [file for file in files if file not in sizes]
    if missing:
        raise InputError(
            f"files missing: got no {missing[0]} in {store.name}, want the {len(files)} files of {chosen.index} "
            f"({len(listed)} tensors{_stated_bytes(values)}). Download what is missing."
        )
    ending = files[0][files[0].rindex(".") :]
    aside = [
        name.rpartition("/")[2] for name in sizes if is_weights(name) and name.endswith(ending) and name not in files
    ]
    left_out = remark("{names} of the folder are not in its index and were not counted", names=", ".join(aside[:3]))
    notes = (left_out,) if aside else ()
    return _Chosen(files, chosen.index, listed, (*chosen.notes, *notes))


def _weight_map(values: Mapping[str, Any], index: str) -> dict[str, str]:
    listed: dict[str, str] = values.get("weight_map") or {}
    files = list(listed.values()) if isinstance(listed, dict) else []
    if not files or {type(file) for file in files} != {str} or not all(map(_is_plain, set(files))):
        raise InputError(f"corrupt index: got no 'weight_map' of files in {index}, want one. Download the file again.")
    return listed


def _is_plain(file: str) -> bool:
    return is_weights(file) and "/" not in file and "\\" not in file


def _stated_bytes(values: Mapping[str, Any]) -> str:
    stated = values.get("metadata")
    size = stated.get("total_size") if isinstance(stated, dict) else None
    return f", {int(size)} bytes" if isinstance(size, (int, float)) and 0 <= size < 2**63 else ""


def _check_index(chosen: _Chosen, place: Mapping[str, str]) -> None:
    """Refuse an index whose files or tensors are not what the headers hold."""
    folder = folder_of(chosen.index)
    listed = {name: f"{folder}/{file}" for name, file in chosen.listed.items()} if folder else chosen.listed
    if listed == place:
        return
    for name, file in listed.items():
        if place.get(name) != file:
            found = place.get(name, "no file").rpartition("/")[2]
            raise InputError(
                f"index and files differ: got '{name}' in {found}, want it in {file.rpartition('/')[2]} as "
                f"{chosen.index} says. Download what is missing."
            )
    extra = sorted(place.keys() - listed.keys())
    raise InputError(
        f"index and files differ: got {len(extra)} tensors that {chosen.index} does not list, first '{extra[0]}', "
        "want none. Download the index again."
    )


def _check_split(metadata: Mapping[str, Any], n_files: int, n_tensors: int, *, first_file: str) -> None:
    """Refuse pieces of GGUF that say of themselves that they are more, or hold other tensors than they say."""
    for key, got, of in (("split.count", n_files, "files"), ("split.tensors.count", n_tensors, "tensors")):
        said = metadata.get(key)
        if type(said) is int and said > 0 and said != got:
            raise InputError(
                f"pieces missing: got {got} {of} with {first_file.rpartition('/')[2]}, want the {said} that its key "
                f"'{key}' states. Give all pieces under the names that they were written with."
            )


@dataclass(frozen=True)
class _Read:
    kind: str
    tensors: list[Tensor]
    metadata: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    packing: Mapping[str, Any] = field(default_factory=dict)


def _read(store: Store, name: str, sizes: Mapping[str, int]) -> _Read:
    """Return the tensors of one file, by what its first bytes say it is."""
    where, size = name.rpartition("/")[2], sizes.get(name, 0)
    with store.opened(name, ahead=0 if name.casefold().endswith(".safetensors") else 1 << 16) as file:
        if name.casefold().endswith(".safetensors"):
            return _Read("safetensors", read_safetensors(file, size, where))
        head = file.read(64)
        file.seek(0)
        if head.startswith(MAGIC):
            found = read_gguf(file, size, where)
            return _Read("GGUF", found.tensors, found.metadata, found.notes)
        if (pickled := _pickled(file, head, where)) is not None:
            return pickled
        if len(head) > 8 and head[8:9] == b"{":
            return _Read("safetensors", read_safetensors(file, size, where))
    raise kinds.not_a_checkpoint(head, where)


def _pickled(file: BinaryIO, head: bytes, where: str) -> _Read | None:
    """Return the tensors of a PyTorch file, None for a file of another kind."""
    # Loaded here: what reads archives and pickles takes as long to load as a large header to read.
    from sizebook.models.checkpoints.pickles import LEGACY, read_archive, read_legacy

    if not head.startswith((_ZIP, LEGACY)):
        return None
    found = read_archive(file, where) if head.startswith(_ZIP) else read_legacy(file, where)
    once = plural(
        len(found.shared),
        "{n} tensor shares the numbers of others and counts once",
        "{n} tensors share the numbers of others and count once",
    )
    arrays = plural(len(found.arrays), "{n} array of NumPy is not counted", "{n} arrays of NumPy are not counted")
    notes = (*((once,) if found.shared else ()), *((arrays,) if found.arrays else ()))
    return _Read("PyTorch", found.tensors, notes=notes, packing=found.packing)
