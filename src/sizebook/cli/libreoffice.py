"""`sizebook libreoffice` builds or installs the Calc extension."""

from __future__ import annotations

from pathlib import Path

import click

from sizebook.cli.lazy import HintedGroup
from sizebook.cli.options import FILE


@click.group("libreoffice", cls=HintedGroup)
def libreoffice() -> None:
    """Build or install the extension for LibreOffice Calc."""


@libreoffice.command("build")
@click.option("-o", "--output", type=FILE, default="sizebook.oxt")
def build_extension(output: Path) -> None:
    """Build the extension; open the file in LibreOffice to install it."""
    from sizebook.libreoffice.extension import build_extension

    click.echo(build_extension(output))


@libreoffice.command("install")
def install_extension() -> None:
    """Install the extension for the current user; restart LibreOffice afterwards."""
    from sizebook.libreoffice.extension_manager import install

    said = install()
    click.echo(said or "installed: restart LibreOffice and type =SIZEBOOK.PARAMS_MHA(4096)")
