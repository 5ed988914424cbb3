"""`sizebook libreoffice` makes or installs the Calc extension."""

from __future__ import annotations

from pathlib import Path

import click


@click.group("libreoffice")
def libreoffice() -> None:
    """Make or install the extension for LibreOffice Calc."""


@libreoffice.command("build")
@click.option("-o", "--output", type=click.Path(path_type=Path, dir_okay=False), default="sizebook.oxt")
def build_extension(output: Path) -> None:
    """Make the extension; opening the file in LibreOffice installs it."""
    from sizebook.libreoffice.extension import build

    click.echo(build(output))


@libreoffice.command("install")
def install_extension() -> None:
    """Install the extension for the user who runs this; restart LibreOffice afterwards."""
    from sizebook.libreoffice.install import install

    said = install()
    click.echo(said or "installed: restart LibreOffice and type =SIZEBOOK.PARAMS_MHA(4096)")
