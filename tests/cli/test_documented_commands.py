"""What README and docs tell a reader to type: every command is there with the options that stand beside it."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from sizebook.cli import app

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def typed() -> Iterator[tuple[str, str]]:
    """Yield page and line of every command in a block of code that begins with `sizebook`."""
    for page in PAGES:
        for block in re.findall(r"^```\w*\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
            for line in block.replace("\\\n", " ").splitlines():
                if found := re.match(r"(?:\$ )?(sizebook [^|<>]*)", line):
                    yield page.name, found[1].split(" #")[0].split(" && ")[0].strip()


def unknown(line: str) -> list[str]:
    """Return the words of a command line that are neither a command nor one of its options."""
    command: click.Command = app
    known: set[str] = set()
    wrong = []
    for word in shlex.split(line)[1:]:
        known |= {each for parameter in command.params for each in (*parameter.opts, *parameter.secondary_opts)}
        if re.match(r"--[a-z]|-[a-z]$", word):
            wrong += [] if word.partition("=")[0] in {*known, "--help", "--version"} else [word]
        elif isinstance(command, click.Group):
            following = command.get_command(click.Context(command), word)
            if following is not None:
                command = following
            elif "=" not in word:  # NAME=N of --limit
                wrong.append(word)
    return wrong


@pytest.mark.parametrize(("page", "line"), sorted(set(typed())))
def test_a_documented_command_is_there(page: str, line: str) -> None:
    assert unknown(line) == []


def test_words_that_no_command_knows_are_found() -> None:
    assert unknown("sizebook fil x.xlsx -o y.xlsx") == ["fil", "x.xlsx", "-o", "y.xlsx"]
    assert unknown("sizebook report x.toml --colour red -o y.pdf") == ["--colour"]


def test_the_readme_names_every_planning_workbook() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    books = [path.name for path in (ROOT / "workbooks").glob("*.xlsx")]
    assert books
    assert [name for name in books if f"`{name}`" not in text] == []
