"""`sizebook libreoffice` builds or installs the Calc extension, says which one is there, and removes it."""

from pathlib import Path

import click

from sizebook import __version__
from sizebook.cli.lazy import HintedGroup
from sizebook.cli.options import FILE


@click.group("libreoffice", cls=HintedGroup)
def libreoffice() -> None:
    """Install, update or remove the extension for LibreOffice Calc, or build its file."""


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


@libreoffice.command("update")
def update_extension() -> None:
    """Install the extension anew if it is of another version."""
    from sizebook.libreoffice.extension_manager import install, installed

    if installed() == __version__:
        click.echo("up to date")
        return
    install()
    click.echo(f"installed {__version__}: restart LibreOffice")


@libreoffice.command("status")
def show_status() -> None:
    """Show which version is installed."""
    from sizebook.libreoffice.extension_manager import installed

    version = installed()
    if not version:
        click.echo("not installed: 'sizebook libreoffice install' installs it")
    else:
        state = "up to date" if version == __version__ else f"this is {__version__}: run 'sizebook libreoffice update'"
        click.echo(f"{version}\n{state}")


@libreoffice.command("uninstall")
def uninstall_extension() -> None:
    """Remove the extension; restart LibreOffice afterwards."""
    from sizebook.libreoffice.extension_manager import uninstall

    click.echo("removed: restart LibreOffice" if uninstall() else "nothing to remove")
