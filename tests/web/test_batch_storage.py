"""The service's batches take bounded disk: the oldest that has ended makes room, and nothing under way is removed."""

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.exceptions import HTTPException

from sizebook.batch.journal import journal
from sizebook.core.errors import InputError
from sizebook.web import batch_storage, batches
from sizebook.web.app import Service, create_app
from sizebook.web.batch_storage import BatchStorage
from sizebook.web.request_limits import RequestLimits
from tests.refused import message_of

BEFORE, OPEN, OTHER = "0" * 16, "1" * 16, "somebody's own"


def left(folder: Path, name: str, n_bytes: int) -> Path:
    """A batch's folder as an ended service leaves it, with one output."""
    (folder / name).mkdir()
    with journal(folder / name, ()):
        (folder / name / "a.pdf").write_bytes(b"x" * n_bytes)
    return folder / name


def test_the_oldest_that_has_ended_makes_room(tmp_path: Path) -> None:
    removed: list[str] = []
    storage = BatchStorage(tmp_path, 1000, removed.append)
    for name in ("a", "b", "c"):
        storage.begin(name).mkdir()
        storage.reserve(name, 400 if name != "c" else 200)
        (tmp_path / name / "a.pdf").write_bytes(b"x" * (400 if name != "c" else 200))
        if name != "a":
            storage.end(name)
    storage.begin("d")
    storage.reserve("d", 100)  # "a" is under way
    assert removed == ["b"] and not (tmp_path / "b").exists() and (tmp_path / "a").exists()
    storage.reserve("d", 300)
    assert removed == ["b"]
    with pytest.raises(InputError) as error:
        storage.reserve("d", 500)
    assert removed == ["b", "c"]
    assert str(error.value) == (
        "disk full: got batches of more than 1000 bytes, want at most as many. Ask for fewer scenarios or formats, or "
        "raise the limit batch_bytes where the service is started."
    )


def test_what_a_service_left_before_counts_and_goes_first(tmp_path: Path) -> None:
    left(tmp_path, BEFORE, 900)
    left(tmp_path, OPEN, 900)
    (tmp_path / OTHER).mkdir()
    (tmp_path / OTHER / "a.pdf").write_bytes(b"x" * 900)
    with journal(tmp_path / OPEN, ()):  # of another service that lives
        storage = BatchStorage(tmp_path, 20_000, lambda _: None)
        storage.begin("new")
        storage.reserve("new", 19_000)
    assert sorted(path.name for path in tmp_path.iterdir()) == [OPEN, OTHER]


def test_no_more_than_so_many_are_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch_storage, "MOST", 2)
    storage = BatchStorage(tmp_path, 1000, lambda _: None)
    storage.begin("a"), storage.begin("b")
    assert (
        message_of(InputError, storage.begin, "c")
        == "too many batches: got 2 running, want fewer. Wait until one has ended."
    )
    storage.end("a")
    storage.begin("c")


def test_a_scenario_without_room_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIZEBOOK_LIMITS", "batch_bytes=100")
    with TestClient(create_app(Service(1, tmp_path)), base_url="http://127.0.0.1") as client:
        table = {"scenarios": ("s.csv", b"name,model\na,gpt-2-small\n")}
        name = client.post("/batches?formats=json", files=table).json()["id"]
        client.get(f"/batches/{name}/events")
        found = client.get(f"/batches/{name}").json()
    assert (found["done"], found["failed"]) == (0, 1)
    assert found["problems"] == [
        "s.csv, scenario 1: disk full: got batches of more than 100 bytes, want at most as many. Ask for fewer "
        "scenarios or formats, or raise the limit batch_bytes where the service is started."
    ]
    assert not list((tmp_path / name).glob("*.json"))


def test_a_file_whose_batch_made_room_since_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches.Batches, "file", lambda *_: tmp_path / "gone" / "a.pdf")
    with TestClient(create_app(Service(1, tmp_path)), base_url="http://127.0.0.1") as client:
        found = client.get(f"/batches/{BEFORE}/files/a.pdf")
    assert (found.status_code, found.json()["problem"]) == (
        404,
        "batch removed: got a file of a batch that was deleted to make room, want one that is kept. Start it again.",
    )


def test_a_download_under_way_ends_whole_when_its_batch_makes_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, sent = left(tmp_path, BEFORE, 200_000) / "a.pdf", b""
    app = create_app(Service(1, tmp_path / "batches"))
    monkeypatch.setattr(batches.Batches, "file", lambda *_: path)

    async def send(message: Any) -> None:
        nonlocal sent
        sent += message.get("body", b"")
        if sent:
            shutil.rmtree(path.parent, ignore_errors=True)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    scope = {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.4"}, "http_version": "1.1", "method": "GET",
        "scheme": "http", "path": f"/batches/{BEFORE}/files/a.pdf", "raw_path": b"", "query_string": b"",
        "root_path": "", "headers": [(b"host", b"127.0.0.1")], "client": None, "server": ("127.0.0.1", 80),
    }  # fmt: skip
    asyncio.run(app(scope, receive, send))
    assert len(sent) == 200_000 and not path.exists()


class Ahead(asyncio.SelectorEventLoop):
    """A loop whose clock a test puts forward, so that nothing depends on how fast the machine is."""

    seconds = 0.0

    def time(self) -> float:
        return super().time() + self.seconds


def test_a_request_has_come_in_time_and_an_answer_may_last() -> None:
    """A body that drips in is refused; behind a whole one nothing is, however long its answer is listened to."""
    ended = {"type": "http.disconnect"}
    parts: list[dict[str, Any]] = []
    waits: list[float] = []

    async def receive() -> Any:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, Ahead)
        loop.seconds += waits.pop(0)
        await asyncio.sleep(0.01)
        return parts.pop(0) if parts else ended

    async def answering(_scope: Any, receive: Any, _send: Any) -> None:
        assert [(await receive())["body"] for _ in range(2)] == [b"a", b"b"]
        assert await receive() == ended

    def asked(*seconds: float) -> None:
        parts[:] = [{"type": "http.request", "body": b"a", "more_body": True}, {"type": "http.request", "body": b"b"}]
        waits[:] = seconds
        with asyncio.Runner(loop_factory=Ahead) as runner:
            runner.run(bounded({"type": "http", "headers": ((b"host", b"localhost"),)}, receive, receive))

    bounded = RequestLimits(answering, most=10, seconds=1000, token="")
    with pytest.raises(HTTPException) as found:
        asked(0, 1000)
    assert (found.value.status_code, found.value.detail) == (
        408,
        "too slow: got a request that was incomplete after 1000 s, want all of it. Send it faster, or raise the limit "
        "request_seconds where the service is started.",
    )
    asked(0, 0, 5000)
    assert waits == []
