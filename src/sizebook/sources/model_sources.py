"""Finds the model that a person names on the command line: a file, a folder, a catalog entry or a Hub repository."""

from dataclasses import dataclass
from pathlib import Path

from sizebook.core.errors import UnknownKeyError
from sizebook.models import catalog
from sizebook.models.checkpoints.file_names import CONFIG, PARAMS
from sizebook.models.checkpoints.kinds import nothing_to_count
from sizebook.models.config import Config, load

HUB = "the Hub"


@dataclass(frozen=True)
class Source:
    """A model's config and where it came from, in words."""

    name: str
    config: Config
    origin: str


def source_of(name: str, *, from_hub: bool = False) -> Source:
    """Return the config of a model named by a person.

    A path (of a config.json or a folder that holds one) comes first, then the catalog, whose entries give the same
    count without a network, then the Hub. With ``from_hub`` only the Hub is asked.
    """
    path = Path(name)
    if not from_hub and (path.is_dir() or name.casefold().endswith(".json")):
        file = _in_folder(path) if path.is_dir() else path
        return Source(catalog.file_name(file), load(file), str(file))
    from sizebook.sources.hub import is_repository, remote_config  # a file needs no Hub

    if not from_hub:
        try:
            key = catalog.resolve(name)
        except UnknownKeyError:
            if not is_repository(name):
                raise
        else:
            return Source(key, Config(catalog.config(key), f"the catalog entry {key}"), "the catalog")
    return Source(name, remote_config(name), HUB)


def _in_folder(folder: Path) -> Path:
    """Return the file of a folder that describes its model: config.json, else Mistral's params.json."""
    for name in (CONFIG, PARAMS):
        if (folder / name).exists():
            return folder / name
    raise nothing_to_count((entry.name for entry in folder.iterdir()), str(folder))
