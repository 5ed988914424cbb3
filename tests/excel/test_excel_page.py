"""docs/excel.md shows figures and messages that the functions give."""

import re
from pathlib import Path

from sizebook.core.cells import call
from sizebook.functions import load
from tests.commands import run

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "excel.md").read_text(encoding="utf-8")


def test_figures_on_the_page() -> None:
    load()
    shown = re.findall(r"`=(?:SIZEBOOK\.)?([A-Z_]+)\((\d+)\)`[^:]*: (\d+)", PAGE)
    assert len(shown) == 4
    assert [call(name, int(argument)) for name, argument, _ in shown] == [int(value) for _, _, value in shown]


def test_message_on_the_page() -> None:
    load()
    assert f"    {call('SIZEBOOK_WHY', 'PARAMS_MHA', -1, True)}\n" in PAGE


def test_commands_on_the_page_exist() -> None:
    commands = set(re.findall(r"`(?:sizebook) (excel|libreoffice) ([a-z]+)", PAGE))
    assert commands == {
        *(("excel", word) for word in ("install", "status", "doctor", "update", "uninstall", "lite", "server")),
        ("libreoffice", "install"),
        ("libreoffice", "build"),
    }
    for group, command in commands:
        assert run(group, command, "--help").exit_code == 0


def test_explained_lines_on_the_page() -> None:
    """Step seven: the fifth line is the result."""
    lines = call("SIZEBOOK_EXPLAIN", "PARAMS_MHA", 4096)
    assert (len(lines), lines[4]) == (7, ["result", 67_125_248])
