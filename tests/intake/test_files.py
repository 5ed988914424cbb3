"""Only regular files of a stated size are read, and none is waited for."""

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from sizebook.actuals.engine_metrics import figures_of_metrics
from sizebook.calibrating.benchmark_results import result_rows
from sizebook.calibrating.training_logs import log_rows
from sizebook.core.errors import SizebookError
from sizebook.intake.files import check_regular, read_bytes, read_text, repeated


def refusal(work: Callable[[], object]) -> str:
    with pytest.raises(SizebookError) as caught:
        work()
    return str(caught.value)


def test_a_path_that_no_system_takes() -> None:
    assert refusal(lambda: read_bytes(Path("a\0b"), "a table")) == (
        "cannot read: got embedded null byte for a\\x00b, want a table. Check the path."
    )


def test_a_file_over_its_limit_is_read_no_further(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    with path.open("wb") as file:
        file.truncate(10**12)  # a terabyte of holes
    fix = "If you trust the file, raise the limit: --limit text_bytes=N, or SIZEBOOK_LIMITS=text_bytes=N."
    message = f"too large: got 1000000000000 bytes in x.json, want at most 100000000. {fix}"
    tracemalloc.start()
    assert refusal(lambda: read_bytes(path, "a config.json")) == message
    assert tracemalloc.get_traced_memory()[1] < 1_000_000, "the limit's worth of it was read first"
    tracemalloc.stop()
    assert refusal(lambda: check_regular(path, "a table", "text_bytes")) == message
    path.write_bytes(b"12345")
    monkeypatch.setenv("SIZEBOOK_LIMITS", "text_bytes=4")
    assert refusal(lambda: read_bytes(path, "a config.json")).startswith("too large: got 5 bytes in x.json, want at ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in folders")
@pytest.mark.parametrize(
    ("read", "wanted"),
    [
        (lambda path: figures_of_metrics(path, 3600), "metrics of an engine"),
        (result_rows, "a benchmark's result"),
        (log_rows, "a log of a training run"),
    ],
)
def test_no_reader_of_what_engines_and_trainers_write_waits_for_a_pipe(
    tmp_path: Path, read: Callable[[Path], object], wanted: str
) -> None:
    os.mkfifo(pipe := tmp_path / "pipe")
    assert refusal(lambda: read(pipe)) == (
        f"cannot read: got a pipe at {pipe}, want {wanted}. Give the path of a regular file."
    )


def test_text_with_and_without_the_mark_of_its_encoding(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    for content in (b"a,b\n", b"\xef\xbb\xbfa,b\n"):
        path.write_bytes(content)
        assert read_text(path, "a CSV file") == "a,b\n"
    path.write_bytes("a\nb\n".encode("utf-16"))
    assert refusal(lambda: read_text(path, "a CSV file")) == (
        "not UTF-8: got byte 0xff in line 1 of x.csv, want a CSV file in UTF-8. Save it in that encoding."
    )


def test_names_that_stand_more_than_once() -> None:
    assert repeated("abcacab") == ["a", "c", "b"]
    assert repeated("abc") == []
