"""What the command line says first, completes, and paints: colour on a terminal, plain text everywhere else."""

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sizebook.cli import COMMANDS
from sizebook.cli.welcome import FIRST, SHELLS
from tests.cli.test_command_line import sizebook

UNKNOWN = "unknown function: got 'NOPE', want a name that 'sizebook functions' lists."
RED, PLAIN = "\x1b[31m\x1b[1m", "\x1b[0m"


def on_a_terminal(*words: str, **environment: str) -> str:
    """Return what a command writes to standard error where that is a terminal."""
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", "sizebook", *words],
        stdout=subprocess.DEVNULL, stderr=theirs, check=False, env={**os.environ, **environment},
    )  # fmt: skip
    os.close(theirs)
    written = b""
    with os.fdopen(ours, "rb", buffering=0) as reader:
        while True:
            try:
                written += reader.read(4096)
            except OSError:  # Linux says that the other end is closed in this way
                return written.decode().replace("\r\n", "\n")


def test_without_a_command_the_first_five_things_stand_there() -> None:
    done = sizebook()
    assert (done.returncode, done.stderr) == (0, "")
    assert [line.split("  ")[-1].strip() for line in done.stdout.splitlines()[2:7]] == [command for _, command in FIRST]
    assert {command.split()[1] for _, command in FIRST} <= set(COMMANDS)


def test_an_error_is_red_on_a_terminal() -> None:
    assert on_a_terminal("call", "NOPE") == f"{RED}sizebook:{PLAIN} {UNKNOWN}\n"


def test_what_click_refuses_looks_the_same() -> None:
    assert on_a_terminal("nonsense").endswith(
        f"\n\n{RED}Error:{PLAIN} unknown command: got 'nonsense', want one of functions, call, count, fill, batch and "
        "23 others. 'python -m sizebook --help' lists them.\n"
    )


def test_the_name_of_a_plan_leads_to_its_command() -> None:
    assert "got 'serving', want 'serve', or one of " in sizebook("plan", "serving", "a.toml").stderr


def test_comparing_leads_to_the_bridge() -> None:
    for word in ("compare", "diff"):
        assert f"got '{word}', want 'bridge', or one of " in sizebook(word, "a.toml", "b.toml").stderr


@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colours_gets_none(setting: dict[str, str]) -> None:
    assert on_a_terminal("call", "NOPE", **setting) == f"sizebook: {UNKNOWN}\n"


def test_a_pipe_gets_plain_text() -> None:
    assert sizebook("call", "NOPE").stderr == f"sizebook: {UNKNOWN}\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_for_every_shell(shell: str) -> None:
    assert f"_SIZEBOOK_COMPLETE={shell}_complete" in sizebook("completion", shell).stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_what_there_is(tmp_path: Path) -> None:
    """The script in bash itself, which asks this package through a command of its name."""
    program = tmp_path / "sizebook"
    lines = "import sys; sys.argv[0] = 'sizebook'; from sizebook.cli import main; main()"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{lines}" "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    typed = {
        "das": ["dashboard"],
        "plan ser": ["serve"],
        "dashboard --mod": ["--models"],
        "call params_mh": ["PARAMS_MHA"],
        "call GPU_SPEC h200": ["h200-sxm", "h200-nvl"],
        "call PARAMS_MODEL llama-3.1-7": ["llama-3.1-70b"],
        "count gpt-j": ["gpt-j-6b"],
        "models --family llama-3.": ["llama-3.1", "llama-3.2", "llama-3.3"],
        "scenario template fl": ["fleet"],
        "completion f": ["fish"],
        "plan serve s.toml --set requests_per_d": ["requests_per_day"],
        "plan serve s.toml --set gpu=h200": ["gpu=h200-sxm", "gpu=h200-nvl"],
        "plan train s.toml --set model=llama-3.1-7": ["model=llama-3.1-70b"],
        "batch s.toml --grid checkpoint_s": ["checkpoint_seconds"],
        # As bash splits them while one types.
        "plan serve s.toml --set gpu = h200": ["h200-sxm", "h200-nvl"],
        "plan serve s.toml --set tp = 2 --set model = llama-3.1-7": ["llama-3.1-70b"],
        "plan serve s.toml --set band_quantile =": ["p50", "p90"],
    }
    asks = "\n".join(
        f"COMP_WORDS=(sizebook {words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMPREPLY=(); _sizebook_completion "
        'sizebook; echo "${COMPREPLY[*]}"'
        for words in typed
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", f'eval "$(sizebook completion bash)"\n{asks}'],
        capture_output=True, text=True, check=False, env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.stderr == ""
    assert dict(zip(typed, map(str.split, done.stdout.splitlines()), strict=True)) == typed


def test_an_unknown_shell_is_refused() -> None:
    done = sizebook("completion", "tcsh")
    assert (done.returncode, done.stderr) == (
        2,
        "sizebook: unknown shell: got 'tcsh', want one of bash, zsh, fish. Choose one of them.\n",
    )
