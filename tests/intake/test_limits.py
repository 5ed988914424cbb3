"""Limits are stated once, followed by every process, and a bad one is refused; what nobody foresaw is one line."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import sizebook.cli
from sizebook.cli import main
from sizebook.core.errors import RangeError
from sizebook.intake.limits import Limits, limits, limits_in_words
from tests.commands import python

PAGE = Path(__file__).resolve().parents[2] / "docs" / "files.md"


def test_what_the_environment_states_is_in_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIZEBOOK_LIMITS", "keys=2e6, depth=1_000")
    assert limits() == Limits(keys=2_000_000, depth=1_000)
    monkeypatch.delenv("SIZEBOOK_LIMITS")
    assert limits() == Limits()


def test_workers_of_a_batch_follow_the_option_and_the_environment(tmp_path: Path) -> None:
    """One scenario's file breaks the limit of the option, the other's that of the variable; each in a worker."""
    (tmp_path / "keys.json").write_text('{"a": 1, "b": 2, "c": 3, "d": 4}')
    (tmp_path / "depth.json").write_text('{"a": {"b": {"c": 1}}}')
    scenarios = tmp_path / "s.csv"
    scenarios.write_text("model\nkeys.json\ndepth.json\n")
    words = "batch", scenarios, "-o", tmp_path / "out", "--jobs", "2", "--formats", "json"
    environment = {**os.environ, "SIZEBOOK_LIMITS": "depth=2"}
    done = python("-m", "sizebook", "--limit", "keys=3", *words, env=environment)
    failed = sorted(line for line in done.stderr.splitlines() if line.startswith("failed: "))
    assert [line.partition(" in ")[0] for line in failed] == [
        "failed: s.csv, scenario 1: too many keys: got more than 3",
        "failed: s.csv, scenario 2: nested too deep: got more than 2 levels",
    ]


def test_the_page_names_every_limit_with_its_default() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name, meaning in limits_in_words().items():
        said, _, default = meaning.rpartition(" (")
        assert f"| `{name}` | {default.rstrip(')')} | {said} |" in text


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def fail(**_: object) -> None:
        raise error

    monkeypatch.setattr(sizebook.cli, "app", fail)


class Panic(BaseException):
    """What libraries in Rust raise is no Exception."""


@pytest.mark.parametrize("error", [KeyError("tensor"), Panic("at\nthe disco"), RecursionError("deep")])
def test_the_unforeseen_is_one_line_with_a_way_to_report_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException
) -> None:
    failing(monkeypatch, error)
    monkeypatch.delenv("SIZEBOOK_DEBUG", raising=False)
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == 2
    shown = {"KeyError": "'tensor'", "Panic": "at the disco", "RecursionError": "deep"}
    name = type(error).__name__
    assert said.startswith(f"sizebook: unexpected problem: got {name}: {shown[name]} in __init__.py, line ")
    assert said.endswith(
        ", want a result or a refusal that says why. Report it at https://github.com/sizebook/sizebook/issues "
        "with what SIZEBOOK_DEBUG=1 shows.\n"
    )
    monkeypatch.setenv("SIZEBOOK_DEBUG", "1")
    with pytest.raises(type(error)):
        main()


def test_too_little_memory_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    failing(monkeypatch, MemoryError())
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr().err) == (
        2,
        "sizebook: out of memory: got no more from the system, want enough. Ask for less, or raise 'ulimit -v'.\n",
    )


def test_a_refusal_and_an_exit_stay_what_they_are(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    failing(monkeypatch, RangeError("too small: got 0, want 1. Correct it."))
    with pytest.raises(SystemExit) as ended:
        main()
    assert (ended.value.code, capsys.readouterr().err) == (2, "sizebook: too small: got 0, want 1. Correct it.\n")
    failing(monkeypatch, SystemExit(1))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1


def test_debug_shows_where(tmp_path: Path) -> None:
    code = "import sizebook.cli as c; import sizebook.sources.model_sources as m; m.source_of = None; c.main()"

    def said(*mode: str) -> str:
        command = [sys.executable, "-c", code, *mode, "count", "gpt-2"]
        environment = {**os.environ, "SIZEBOOK_DEBUG": ""}
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment).stderr

    assert said().startswith(
        "sizebook: unexpected problem: got TypeError: 'NoneType' object is not callable in count.py"
    )
    assert said("--debug").rstrip().endswith("TypeError: 'NoneType' object is not callable")
