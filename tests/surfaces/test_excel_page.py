"""docs/excel.md shows figures and messages that the functions give."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from sizebook.cli import app
from sizebook.core.cells import call
from sizebook.functions import load

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "excel.md").read_text(encoding="utf-8")


def test_figures_on_the_page() -> None:
    load()
    shown = re.findall(r"`=(?:SIZEBOOK\.)?([A-Z_]+)\((\d+)\)`[^:]*: (\d+)", PAGE)
    assert len(shown) == 3
    assert [call(name, int(argument)) for name, argument, _ in shown] == [int(value) for _, _, value in shown]


def test_message_on_the_page() -> None:
    load()
    assert f"    {call('SIZEBOOK_WHY', 'PARAMS_MHA', -1, True)}\n" in PAGE


def test_commands_on_the_page_exist() -> None:
    commands = set(re.findall(r"`(?:sizebook) (excel|libreoffice) ([a-z]+)", PAGE))
    assert commands == {("excel", "vba"), ("excel", "lite"), ("libreoffice", "install"), ("libreoffice", "build")}
    for group, command in commands:
        assert CliRunner().invoke(app, [group, command, "--help"]).exit_code == 0
