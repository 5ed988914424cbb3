"""Reads a model's config.json and checkpoint headers from the Hugging Face Hub, without downloading weights.

All access goes through huggingface_hub (extra ``hub``), which honours HF_ENDPOINT, the stored token, the cache and
HF_HUB_OFFLINE. Headers are read by range requests: a few kilobytes of a checkpoint of hundreds of gigabytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sizebook.core.errors import InputError, UnknownKeyError
from sizebook.models.checkpoint import Tensor, check_index, merged, read_header
from sizebook.models.config import Config, load

REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")
INDEX, SINGLE = "model.safetensors.index.json", "model.safetensors"

Result = TypeVar("Result")


def is_repository(name: str) -> bool:
    """Return whether a name has the form ORGANISATION/NAME and is not a path that exists."""
    return REPOSITORY.fullmatch(name) is not None and not Path(name).exists()


def remote_config(repository: str) -> Config:
    """Return the config.json of a repository."""
    config = load(Path(_fetched(repository, "config.json")))
    return Config(config.values, f"config.json of {repository}")


def remote_checkpoint(repository: str) -> list[Tensor]:
    """Return the tensors of a repository's safetensors files from their headers alone."""
    try:
        index = Path(_fetched(repository, INDEX)).read_bytes()
    except UnknownKeyError:
        return _remote_file(repository, SINGLE)
    files = sorted(set(json.loads(index).get("weight_map", {}).values()))
    by_file = {file: _remote_file(repository, file) for file in files}
    check_index(index, INDEX, by_file)
    return merged(by_file)


def _remote_file(repository: str, file: str) -> list[Tensor]:
    def read_all() -> list[Tensor]:
        hub = _library()
        url = hub.hf_hub_url(repository, file)
        size = hub.get_hf_file_metadata(url).size or 0
        return read_header(lambda start, length: _range(url, start, length), size, f"{file} of {repository}")

    return _said_clearly(repository, file, read_all)


def _range(url: str, start: int, length: int) -> bytes:
    from huggingface_hub.utils import build_hf_headers, get_session, hf_raise_for_status

    response = get_session().get(url, headers={**build_hf_headers(), "Range": f"bytes={start}-{start + length - 1}"})
    hf_raise_for_status(response)
    if response.status_code != 206:
        raise InputError(
            f"no range requests: got status {response.status_code} from {url}, want 206 for a part of the file. "
            "Download the checkpoint and verify the folder."
        )
    return bytes(response.content)


def _fetched(repository: str, file: str) -> str:
    return _said_clearly(repository, file, lambda: str(_library().hf_hub_download(repository, file)))


def _library() -> Any:
    try:
        import huggingface_hub
    except ImportError as error:
        raise InputError(
            "huggingface_hub is missing: got a repository name, want the extra 'hub' to read it. "
            "Run: pip install 'sizebook[hub]', or give the path of a config.json or checkpoint."
        ) from error
    return huggingface_hub


def _said_clearly(repository: str, file: str, attempt: Callable[[], Result]) -> Result:
    """Return what the attempt returns; turn the library's failures into one message that says what to do."""
    _library()
    from huggingface_hub import errors

    try:
        return attempt()
    except errors.GatedRepoError as error:
        raise InputError(
            f"access refused: got a gated repository {repository}, want permission and a token. "
            "Accept its terms on the Hub and set HF_TOKEN, or give the path of a config.json."
        ) from error
    except (errors.RepositoryNotFoundError, errors.HFValidationError) as error:
        raise UnknownKeyError(
            f"no such repository: got '{repository}', want one that exists and that you may read. "
            "Check its spelling, or set HF_TOKEN if it is private."
        ) from error
    except errors.LocalEntryNotFoundError as error:
        raise InputError(_unreachable(repository, file)) from error
    except errors.EntryNotFoundError as error:
        raise UnknownKeyError(
            f"no such file: got no {file} in {repository}, want one. Give the path of a config.json or checkpoint."
        ) from error
    except (OSError, *errors.HfHubHTTPError.__bases__) as error:  # bases: failures of the client underneath
        raise InputError(_unreachable(repository, file)) from error


def _unreachable(repository: str, file: str) -> str:
    return (
        f"Hub not reached: got no answer for {file} of {repository} and no copy in the cache, want either. "
        "Check the network and HF_HUB_OFFLINE, or give the path of a config.json or checkpoint."
    )
