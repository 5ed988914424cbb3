"""By name alone: which files hold weights, list them or describe them. A config is counted without reading headers."""

import re
from collections.abc import Iterable
from pathlib import Path

PIPELINE, CONFIG, ADAPTER = "model_index.json", "config.json", "adapter_config.json"
PARAMS = "params.json"  # what Mistral publishes beside its own checkpoints
INDEX_ENDING = ".index.json"
# By preference: what reads without a pickle comes first. Files beside weights that hold no weights of the model.
ENDINGS = (".safetensors", ".gguf", ".bin", ".pth", ".pt", ".ckpt")
_NO_WEIGHTS = r"training_args\.bin|optimizer|scheduler|rng_state|scaler\.pt|random_states|optim_states"
_WEIGHTS_OR_INDEX = (*ENDINGS, *(f"{ending}{INDEX_ENDING}" for ending in ENDINGS))
# Pieces of every matrix, one file a rank: Meta's, DeepSeek's own code, DeepSpeed's and Megatron's.
_OF_A_RANK = re.compile(r"consolidated\.\d+\.pth|model\d+-mp\d+\.safetensors|(zero_pp_rank|mp_rank)_\d+.*\.pt")


def is_checkpoint_name(name: str) -> bool:
    """Return whether a file's name is that of weights or of an index of them."""
    return name.casefold().endswith(_WEIGHTS_OR_INDEX)


def is_checkpoint(path: Path) -> bool:
    """Return whether a path is that of weights, of an index of them, or of a folder that holds some."""
    if not path.is_dir():
        return is_checkpoint_name(path.name) or path.name == PIPELINE
    from sizebook.models.checkpoints.store import Folder  # a file needs no listing

    sizes = Folder(path).sizes()
    return PIPELINE in sizes or holds_weights(sizes)


def holds_weights(names: Iterable[str], folder: str = "") -> bool:
    """Return whether a folder of a store has files of weights."""
    return any(folder_of(name) == folder and is_weights(name) for name in names)


def is_weights(name: str) -> bool:
    """Return whether a file of a store is one of weights."""
    return name.casefold().endswith(ENDINGS) and not re.search(_NO_WEIGHTS, name.rpartition("/")[2])


def of_a_rank(name: str) -> bool:
    """Return whether a file's name is that of one rank's pieces."""
    return _OF_A_RANK.fullmatch(name.rpartition("/")[2]) is not None


def folder_of(name: str) -> str:
    """Return the folder of a file of a store."""
    return name.rpartition("/")[0]


def weights_first(name: str) -> bool:
    """Return whether a name is that of weights on this machine, or of a file that is no config."""
    path = Path(name)
    return is_checkpoint(path) or (path.is_file() and not name.casefold().endswith(".json"))


def adapter_at(name: str) -> Path | None:
    """Return the path of an adapter's settings or folder, None where the name is of neither."""
    path = Path(name)
    if path.name == ADAPTER or (path.is_dir() and (path / ADAPTER).exists()):
        return path
    return None
