"""The catalog of published models: facts with a source per row, and architectures that the mappings count.

``data/models.csv`` holds what was published about a model, ``data/architectures.csv`` its dimensions in the keys of a
config.json, so a catalog entry is counted by the same code as a user's file. Models of one architecture share a row.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sizebook.core.errors import InputError, SizebookError, UnknownKeyError
from sizebook.core.hints import unknown_key
from sizebook.core.tables import Row, by_key, table
from sizebook.intake.allowed_files import located
from sizebook.models import huggingface
from sizebook.models.architecture import Architecture
from sizebook.models.checkpoints.file_names import CONFIG, INDEX_ENDING, PARAMS, is_checkpoint_name
from sizebook.models.config import Config, load
from sizebook.models.counting import Count, count

if TYPE_CHECKING:
    from sizebook.models.checkpoints.contents import Part

WHERE = "a key that 'sizebook models' lists, or the name of a Hugging Face repository in it"


def model_keys(family: str | None = None) -> tuple[str, ...]:
    """Return the keys of the catalog, of one family or of all, in the order of the table."""
    return tuple(row["key"] for row in table("models") if family in (None, row["family"]))


def families() -> tuple[str, ...]:
    """Return the families of the catalog in the order of the table."""
    return tuple(dict.fromkeys(row["family"] for row in table("models")))


def resolve(name: str) -> str:
    """Return the catalog key of a model given in any case, with or without its organisation.

    Accepted are the key, an alias, the display name, and each Hugging Face repository of the row in full or without
    what stands before the slash. An unknown name is refused with the nearest one.
    """
    names = _names()
    spelling = folded(name)
    key = names.get(spelling) or names.get(spelling.rpartition("/")[2])
    if key is None:
        raise unknown_key("model", name, names, where=WHERE)
    return key


def facts(name: str) -> Row:
    """Return the row of a model in ``data/models.csv``; blank means not published."""
    return by_key("models", "key")[resolve(name)]


def config(name: str) -> dict[str, Any]:
    """Return the dimensions of a model in the keys of a config.json."""
    row = facts(name)
    if not row["architecture"]:
        raise UnknownKeyError(
            f"architecture not published: got '{row['key']}', want a model whose dimensions are public. "
            f"{row['organisation']} has not disclosed them; choose another model."
        )
    values: dict[str, Any] = json.loads(by_key("architectures", "architecture")[row["architecture"]]["config"])
    return values


@lru_cache(maxsize=1024)
def is_file(name: str) -> bool:
    """Return whether a model is given as the path of a config.json or a checkpoint and not by a name of the catalog."""
    return name.casefold().endswith(".json") or is_checkpoint(name)


def check_config_name(path: str) -> None:
    """Refuse a path that names neither a config.json nor a checkpoint."""
    if not is_file(path):
        raise InputError(f"not a config: got '{path}', want a file that ends in .json. Give the path of a config.json.")


def is_checkpoint(name: str) -> bool:
    """Return whether a model is given by its weights: a file or index of them, or a folder, whose path ends in /."""
    return is_checkpoint_name(name) or name.endswith(("/", "\\"))


def checkpoint(name: str) -> Part:
    """Return the checkpoint that a model is given by, as its headers state it.

    Errors: a pipeline of several models.
    """
    from sizebook.models.checkpoints.contents import contents_at  # a config needs none of what reads headers

    return contents_at(Path(name)).only


def config_file(name: str) -> Path:
    """Return the config.json that describes a model given by a path: that file, or the one beside its weights."""
    if not is_checkpoint(name):
        return Path(name)
    path, beside = _beside(name)
    if not beside.exists():
        raise InputError(
            f"no config: got no config.json beside {path}, want one, for weights do not tell layers and heads. "
            "Download it beside them."
        )
    return beside


def _beside(name: str) -> tuple[Path, Path]:
    """Return the path of a checkpoint and where its config.json lies or would lie."""
    from sizebook.models.checkpoints.contents import check_there

    path = located(Path(name))
    check_there(path)
    return path, (path if path.is_dir() else path.parent) / "config.json"


def context_tokens(name: str) -> int | None:
    """Return the longest context that a model states, in tokens; None where it states none."""
    if is_file(name):
        return architecture(name).n_ctx
    stated = facts(name)["context_length"]
    return int(stated) if stated else None


def file_name(path: Path) -> str:
    """Return what to call the model of a config.json: its folder, or the file where it has a name of its own."""
    if path.is_dir():
        return path.resolve().name
    indexed = path.name.casefold().endswith(INDEX_ENDING)
    return path.resolve().parent.name if path.name in (CONFIG, PARAMS) or indexed else path.stem


def architecture(name: str) -> Architecture:
    """Return the architecture of a published model, or of the config.json or checkpoint whose path the name is."""
    if not is_file(name):
        return _architecture(resolve(name))
    if not is_checkpoint(name):
        return huggingface.architecture(load(config_file(name)))
    if not _beside(name)[1].exists() and (part := checkpoint(name)).checkpoint.metadata:
        from sizebook.models.checkpoints.gguf_config import described

        return _remarked(described(part), part)
    found = huggingface.architecture(load(config_file(name)))
    try:
        return _remarked(found, checkpoint(name))
    except SizebookError:  # of weights that cannot be read, what asks for them says why
        return found


def _remarked(described: Architecture, part: Part) -> Architecture:
    """Return an architecture with what must be known of the weights that it was given by."""
    from sizebook.models.checkpoints.config_agreement import remarks

    return replace(described, notes=(*described.notes, *remarks(part, described)))


def notes(name: str) -> tuple[str, ...]:
    """Return what a reader of a model's count must know, of a published model, a config.json or weights."""
    try:
        return architecture(name).notes
    except SizebookError:
        if not is_checkpoint(name):
            raise
        return checkpoint(name).notes  # of weights whose architecture is not known


def counted(name: str) -> Count:
    """Return the exact parameter count of a published model or a config.json, computed from its dimensions."""
    return count(architecture(name)) if is_file(name) else _counted(resolve(name))


@cache
def _architecture(key: str) -> Architecture:
    return huggingface.architecture(Config(_with_nulls(config(key)), f"the catalog entry {key}"))


def _with_nulls(values: dict[str, Any]) -> dict[str, Any]:
    """Return the config of a row, which leaves out what its file says is null, with no window where it names none."""
    inner = {key: _with_nulls(values[key]) for key in ("text_config",) if isinstance(values.get(key), dict)}
    return {"sliding_window": None, **values, **inner}


@cache
def _counted(key: str) -> Count:
    return count(_architecture(key))


def folded(name: str) -> str:
    return name.strip().casefold().replace("_", "-").replace(" ", "-")


@cache
def _names() -> dict[str, str]:
    """Return every accepted spelling with its key; keys win over aliases and names."""
    names: dict[str, str] = {}
    spellings: list[tuple[str, str]] = []
    for row in table("models"):
        repositories = [part for part in row["hf_id"].split(";") if part]
        names[row["key"]] = row["key"]
        spellings += [(alias, row["key"]) for alias in row["aliases"].split("|") if alias]
        spellings += [(repository, row["key"]) for repository in repositories]
        spellings += [(repository.rpartition("/")[2], row["key"]) for repository in repositories]
        spellings.append((row["name"], row["key"]))
    for spelling, key in spellings:
        names.setdefault(folded(spelling), key)
    return names
