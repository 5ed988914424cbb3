"""Reads a model's config.json and checkpoint headers from the Hugging Face Hub, without downloading weights.

All access goes through huggingface_hub (extra ``hub``), which honours HF_ENDPOINT, the stored token, the cache and
HF_HUB_OFFLINE. Headers are read by range requests: a few kilobytes of a checkpoint of hundreds of gigabytes.
"""

import io
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO, TypeVar

from sizebook.core.errors import InputError, SizebookError, UnknownKeyError, shown
from sizebook.core.extras import need
from sizebook.intake.files import refuse_over
from sizebook.models.checkpoints.store import MOST_FILES
from sizebook.models.config import Config, load

SILENT_SECONDS = 20  # without a byte, after which a server counts as not reached; the library asks again
LONGEST_SECONDS = 600  # of one part of a file
REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[\w.-]+")

Result = TypeVar("Result")


def is_repository(name: str) -> bool:
    """Return whether a name has the form ORGANISATION/NAME and is not a path that exists."""
    return REPOSITORY.fullmatch(name) is not None and not Path(name).exists()


def remote_config(repository: str) -> Config:
    """Return the config.json of a repository."""
    file = "config.json"
    config = load(Path(_said_clearly(repository, file, lambda: str(_library().hf_hub_download(repository, file)))))
    return Config(config.values, f"config.json of {repository}")


@dataclass(frozen=True)
class Repository:
    """The files of a repository, read by range requests: a store of checkpoints."""

    name: str

    def sizes(self) -> dict[str, int]:
        """Return the files of the repository with their sizes, asked once."""
        return _listing(self.name)

    @contextmanager
    def opened(self, name: str, *, ahead: int = 0) -> Iterator[BinaryIO]:
        """Give a file to read; ``ahead`` bytes are fetched at a time, or as many as are read where it is 0."""
        url = _library().hf_hub_url(self.name, name)
        size = self.sizes()[name]

        def part(start: int, length: int) -> bytes:
            return _said_clearly(self.name, name, lambda: _range(url, start, length))

        raw = RangeFile(part, size)
        yield io.BufferedReader(raw, ahead) if ahead else raw  # type: ignore[misc]


@cache
def _listing(repository: str) -> dict[str, int]:
    def asked() -> dict[str, int]:
        _session()
        sizes: dict[str, int] = {}
        for each in _library().HfApi().list_repo_tree(repository, recursive=True):
            if hasattr(each, "size"):
                path, size = _entry(each, repository)
                sizes[path] = size
                refuse_over(MOST_FILES, len(sizes), f"files in {repository}")
        return sizes

    return _said_clearly(repository, "the list of files", asked)


def _entry(each: Any, repository: str) -> tuple[str, int]:
    """Return the path and size of a file that the Hub lists, refusing what is none."""
    path, size = each.path, each.size
    if not isinstance(path, str) or not path.isprintable() or type(size) is not int or not 0 <= size < 2**63:
        raise InputError(
            f"list not understood: got a file {shown(path)} of {shown(size)} bytes in {repository}, want names and "
            "sizes. Check HF_ENDPOINT."
        )
    return path, size


class RangeFile(io.RawIOBase):
    """A file that is read in parts by a function of start and length."""

    def __init__(self, part: Callable[[int, int], bytes], size: int) -> None:
        self.part = part
        self.size = size
        self.at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self.at = max(offset + {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: self.size}[whence], 0)
        return self.at

    def readinto(self, buffer: Any) -> int:
        length = min(len(buffer), self.size - self.at)
        if length <= 0:
            return 0
        found = self.part(self.at, length)[:length]
        buffer[: len(found)] = found
        self.at += len(found)
        return len(found)


def _range(url: str, start: int, length: int) -> bytes:
    """Return a part of a file, never more of an answer than was asked for."""
    from huggingface_hub.utils import build_hf_headers, hf_raise_for_status

    asked = {"Range": f"bytes={start}-{start + length - 1}", "Accept-Encoding": "identity"}
    with _streamed(url, {**build_hf_headers(), **asked}) as (response, pieces):
        if response.status_code >= 400:
            hf_raise_for_status(response)
        if response.status_code != 206:
            raise InputError(
                f"no range requests: got status {response.status_code} from {url}, want 206 for a part of the file. "
                "Download the checkpoint and verify the folder."
            )
        found, until = bytearray(), monotonic() + LONGEST_SECONDS
        for piece in pieces:
            found += piece
            if len(found) >= length or monotonic() > until:
                break
    return bytes(found[:length])


@contextmanager
def _streamed(url: str, headers: dict[str, str]) -> Iterator[tuple[Any, Iterator[bytes]]]:
    """Give an answer before its content is read, and its content in pieces."""
    session = _session()
    if callable(getattr(session, "stream", None)):
        with session.stream("GET", url, headers=headers) as response:
            yield response, response.iter_raw()
    else:  # before huggingface_hub 1.0
        with session.get(url, headers=headers, stream=True, timeout=SILENT_SECONDS) as response:
            yield response, response.iter_content(1 << 16)


def _session() -> Any:
    """Return the library's connections, which it lets wait without end, with a limit."""
    from huggingface_hub.utils import get_session

    session = get_session()
    if hasattr(session, "timeout"):
        session.timeout = SILENT_SECONDS
    return session


def _library() -> Any:
    need("hub", instead="give the path of a config.json or checkpoint")
    import huggingface_hub

    return huggingface_hub


def _said_clearly(repository: str, file: str, attempt: Callable[[], Result]) -> Result:
    """Return what the attempt returns; turn the library's failures into one message that says what to do."""
    _library()
    from huggingface_hub import errors

    try:
        return attempt()
    except SizebookError:
        raise
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
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise InputError(
            f"answer not understood: got {type(error).__name__} on {file} of {repository}, want what a Hub answers. "
            "Check HF_ENDPOINT, or give the path of a config.json or checkpoint."
        ) from error


def _unreachable(repository: str, file: str) -> str:
    return (
        f"Hub not reached: got no answer for {file} of {repository} and no copy in the cache, want either. "
        "Check the network and HF_HUB_OFFLINE, or give the path of a config.json or checkpoint."
    )
