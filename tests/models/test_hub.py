"""Models from the Hub, against a server on the loopback interface."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.commands import python
from tests.models.loopback_hub import Hub, serving
from tests.models.made_checkpoints import TINY, TINY_PARAMETERS, file_bytes, tiny_tensors


def repository() -> dict[str, bytes]:
    return {"config.json": json.dumps(TINY).encode(), "model.safetensors": file_bytes(tiny_tensors())}


def sharded_repository() -> dict[str, bytes]:
    tensors = tiny_tensors()
    names = list(tensors)
    halves = {"one.safetensors": names[::2], "two.safetensors": names[1::2]}
    index = {"weight_map": {name: file for file, members in halves.items() for name in members}}
    files = {file: file_bytes({name: tensors[name] for name in members}) for file, members in halves.items()}
    return {
        **files,
        "config.json": json.dumps(TINY).encode(),
        "model.safetensors.index.json": json.dumps(index).encode(),
    }


def sizebook(hub_url: str, cache: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
    settings = {"HF_ENDPOINT": hub_url, "HF_HOME": str(cache), "HF_HUB_DISABLE_TELEMETRY": "1", **environment}
    return python("-m", "sizebook", *words, env={**kept, **settings}, timeout=600)


@pytest.mark.parametrize("files", [repository(), sharded_repository()], ids=["one file", "shards"])
def test_a_remote_checkpoint_is_verified_from_its_headers(tmp_path: Path, files: dict[str, bytes]) -> None:
    with serving(Hub(files)) as hub:
        done = sizebook(hub.url, tmp_path, "verify", "test-org/tiny")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("agrees: 21 of 21 predicted tensors found\n")
    values = 2 * TINY_PARAMETERS
    assert hub.bytes_sent < sum(map(len, files.values())) - values + 2_000, "the values were downloaded"


def test_the_count_of_a_repository_and_the_cache_without_network(tmp_path: Path) -> None:
    with serving(Hub(repository())) as hub:
        first = sizebook(hub.url, tmp_path, "count", "test-org/tiny", "--json")
    assert first.returncode == 0, first.stderr
    assert json.loads(first.stdout)["total"] == TINY_PARAMETERS
    offline = sizebook(hub.url, tmp_path, "count", "test-org/tiny", "--json", HF_HUB_OFFLINE="1")
    assert offline.stdout == first.stdout


def test_a_gated_repository_opens_with_its_token(tmp_path: Path) -> None:
    with serving(Hub(repository(), token="secret")) as hub:
        refused = sizebook(hub.url, tmp_path / "a", "count", "test-org/tiny")
        opened = sizebook(hub.url, tmp_path / "b", "count", "test-org/tiny", HF_TOKEN="secret")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (
        "sizebook: access refused: got a gated repository test-org/tiny, want permission and a token. "
        "Accept its terms on the Hub and set HF_TOKEN, or give the path of a config.json.\n"
    )
    assert opened.returncode == 0, opened.stderr


@pytest.mark.parametrize(
    ("name", "files", "message"),
    [
        ("test-org/huge", repository(), "sizebook: no such repository: got 'test-org/huge', want one that exists and "
         "that you may read. Check its spelling, or set HF_TOKEN if it is private.\n"),
        ("test-org/tiny", {}, "sizebook: no such file: got no config.json in test-org/tiny, want one. "
         "Give the path of a config.json or checkpoint.\n"),
    ],
)  # fmt: skip
def test_what_is_not_there(tmp_path: Path, name: str, files: dict[str, bytes], message: str) -> None:
    with serving(Hub(files)) as hub:
        done = sizebook(hub.url, tmp_path, "count", name)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


def test_a_server_that_ignores_ranges(tmp_path: Path) -> None:
    with serving(Hub(repository(), ranges=False)) as hub:
        done = sizebook(hub.url, tmp_path, "verify", "test-org/tiny")
    assert done.returncode == 2
    assert done.stderr.startswith("sizebook: no range requests: got status 200 from http://127.0.0.1:")


ENTRY = {"type": "file", "path": "model.safetensors", "size": 9, "oid": ""}
LISTS = {
    "a size in words": (
        [{**ENTRY, "size": "nine"}],
        "list not understood: got a file 'model.safetensors' of 'nine' bytes in test-org/tiny, want names and sizes. "
        "Check HF_ENDPOINT.",
    ),
    "no size": (
        [{**ENTRY, "size": None}],
        "list not understood: got a file 'model.safetensors' of None bytes in test-org/tiny, want names and sizes. "
        "Check HF_ENDPOINT.",
    ),
    "a name on two lines": (
        [{**ENTRY, "path": "a\nb.bin"}],
        "list not understood: got a file 'a\\nb.bin' of 9 bytes in test-org/tiny, want names and sizes. "
        "Check HF_ENDPOINT.",
    ),
    "no list": (
        {"files": 1},
        "answer not understood: got TypeError on the list of files of test-org/tiny, want what a Hub answers. Check "
        "HF_ENDPOINT, or give the path of a config.json or checkpoint.",
    ),
}


@pytest.mark.parametrize(("listed", "message"), LISTS.values(), ids=LISTS.keys())
def test_a_list_that_lies_is_one_line(tmp_path: Path, listed: object, message: str) -> None:
    """Each was an unforeseen problem."""
    with serving(Hub(repository(), listed=json.dumps(listed).encode())) as hub:
        done = sizebook(hub.url, tmp_path, "count", "test-org/tiny", "--weights")
    assert (done.returncode, done.stderr) == (2, f"sizebook: {message}\n")


@pytest.mark.parametrize("ranges", [True, False])
def test_an_answer_without_end_is_read_as_far_as_was_asked(tmp_path: Path, ranges: bool) -> None:
    """Read whole, 2 GB lay in memory before the status was looked at; what networks hold back on the way is less."""
    with serving(Hub(repository(), ranges=ranges, endless=2 << 30)) as hub:
        done = sizebook(hub.url, tmp_path, "count", "test-org/tiny", "--weights", HF_HUB_OFFLINE="0")
    if not ranges:
        assert done.stderr.startswith("sizebook: no range requests: got status 200 from http://127.0.0.1:")
    assert hub.bytes_sent < 1 << 26


def test_neither_network_nor_cache(tmp_path: Path) -> None:
    done = sizebook("http://127.0.0.1:9", tmp_path, "count", "test-org/tiny", HF_HUB_OFFLINE="1")
    assert (done.returncode, done.stderr) == (
        2,
        "sizebook: Hub not reached: got no answer for config.json of test-org/tiny and no copy in the cache, want "
        "either. Check the network and HF_HUB_OFFLINE, or give the path of a config.json or checkpoint.\n",
    )
