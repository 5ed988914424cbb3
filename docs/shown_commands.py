"""What pages show as typed and printed: every block `console` is run in the folder of its page, its output compared.

Blocks `equation` hold the formulas of the registry (`shown_equations`).

A block whose heading names a file, as in ```toml title="chat.toml", is that file. Each page starts in an empty folder.
`python docs/shown_commands.py` writes what commands print today into the pages; `make generated` does so too.
"""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from click.testing import CliRunner
from german_pages import german_pages
from shown_equations import refreshed_equations

from sizebook.cli import app
from sizebook.core.errors import SizebookError
from sizebook.tables.prices import valued_on

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r'^```(?P<word>\w+)(?: title="(?P<file>[^"]+)")?\n(?P<text>.*?)^```$', re.DOTALL | re.MULTILINE)
IN_PROCESS = ("sizebook call ", "sizebook count ", "sizebook plan ", "sizebook validate ")  # start nothing of their own
BOTH = " 2>&1"
OWN_TABLES = "own tables"
DAY = date(2026, 11, 26)  # prices are as old as on this day, whenever the pages are made


def pages() -> list[Path]:
    """Return the pages that show what a command prints, or equations."""
    found = [ROOT / "README.md", *sorted({*(ROOT / "docs").rglob("*.md")} - {*german_pages()})]
    return [
        page for page in found if re.search("^```(console|equation)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    ]


def refreshed(page: Path) -> str:
    """Return the text of a page with what its commands print now."""
    with tempfile.TemporaryDirectory() as folder:
        return refreshed_in(page, Path(folder))


def refreshed_in(page: Path, folder: Path) -> str:
    """Return that text; what the page writes and its commands make stays in a folder, empty before."""
    return BLOCK.sub(lambda block: _shown(block, folder), page.read_text(encoding="utf-8"))


def _shown(block: re.Match[str], folder: Path) -> str:
    """Return a block as it should be: a file is written, commands are run."""
    if block["file"]:
        (folder / block["file"]).write_text(block["text"], encoding="utf-8")
    if block["word"] == "equation":
        return f"```equation\n{refreshed_equations(block['text'])}```"
    if block["word"] != "console":
        return block[0]
    lines = [f"$ {command}\n{_printed(command, folder)}" for command in _commands(block["text"])]
    return "```console\n" + "".join(lines) + "```"


def _commands(text: str) -> Iterator[str]:
    for found in re.finditer(r"^\$ (.*(?:\\\n.*)*)", text, re.MULTILINE):
        yield found[1]


def _printed(command: str, folder: Path) -> str:
    """Return what a command prints. Most of sizebook run in this process, five times as fast as in one each."""
    first, bar, filters = command.partition(" | ")
    is_own = first.startswith(IN_PROCESS) and not (folder / OWN_TABLES).exists()  # which a process reads once
    said = _in_process(first, folder) if is_own else _run(first, folder)
    said = _run(filters, folder, said) if bar else said
    return "".join(f"{line.rstrip()}\n" for line in said.replace(f"{folder}/", "").splitlines())


def _in_process(command: str, folder: Path) -> str:
    both = command.endswith(BOTH)
    words = shlex.split(command.removesuffix(BOTH).replace("\\\n", " "))[1:]
    before = Path.cwd()
    os.chdir(folder)
    try:
        with valued_on(DAY):
            done = CliRunner().invoke(app, words, env={"SIZEBOOK_DATA": str(folder / OWN_TABLES)})
    finally:
        os.chdir(before)
    if isinstance(done.exception, SizebookError):
        return f"sizebook: {done.exception}\n"
    if done.exit_code:
        sys.exit(
            f"a command on a page failed: got {done.output!r}, {done.exception!r}, want {command!r} to run. Mend it."
        )
    return done.output if both else done.stdout


def _run(command: str, folder: Path, given: str = "") -> str:
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "SIZEBOOK_DATA": str(folder / OWN_TABLES)}
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, input=given, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"a command on a page failed: got {done.stderr or done.stdout!r}, want {command!r} to run. Mend it.")
    return done.stdout


if __name__ == "__main__":
    for page in pages():
        page.write_text(refreshed(page), encoding="utf-8")
