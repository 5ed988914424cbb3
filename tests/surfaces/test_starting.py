"""What the command line says first, completes, and paints: colour on a terminal, plain text everywhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from sizebook.cli import COMMANDS
from sizebook.cli.starting import FIRST, SHELLS
from tests.surfaces.test_command_line import sizebook

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
    assert on_a_terminal("nonsense").endswith(f"\n\n{RED}Error:{PLAIN} No such command 'nonsense'.\n")


def test_no_color_is_obeyed() -> None:
    assert on_a_terminal("call", "NOPE", NO_COLOR="1") == f"sizebook: {UNKNOWN}\n"


def test_a_pipe_gets_plain_text() -> None:
    assert sizebook("call", "NOPE").stderr == f"sizebook: {UNKNOWN}\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_for_every_shell(shell: str) -> None:
    assert f"_SIZEBOOK_COMPLETE={shell}_complete" in sizebook("completion", shell).stdout


def test_the_script_asks_for_commands_that_there_are() -> None:
    asked = {"_SIZEBOOK_COMPLETE": "bash_complete", "COMP_WORDS": "sizebook das", "COMP_CWORD": "1"}
    command = [sys.executable, "-c", "import sys; sys.argv = ['sizebook']; from sizebook.cli import main; main()"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **asked})
    assert done.stdout.split() == ["plain,dashboard"]


def test_an_unknown_shell_is_refused() -> None:
    done = sizebook("completion", "tcsh")
    assert (done.returncode, done.stderr) == (2, "sizebook: unknown shell: got 'tcsh', want one of bash, zsh, fish.\n")
