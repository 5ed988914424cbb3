"""`sizebook excel` installs and checks the add-in for Excel, and writes the files of xlwings Lite and Server."""

from pathlib import Path

import click

from sizebook.cli.lazy import HintedGroup
from sizebook.cli.options import FOLDER


@click.group("excel", cls=HintedGroup)
def excel() -> None:
    """Install the functions in Excel, or write the files that Excel loads (see docs/excel.md)."""


@excel.command("install")
@click.option("--dry-run", type=FOLDER, help="Write to this folder, on any system.")
def install_addin(dry_run: Path | None) -> None:
    """Install the add-in for Excel for Windows."""
    from sizebook.excel.addin.causes import find_causes
    from sizebook.excel.addin.installation import install, write_addin
    from sizebook.excel.addin.windows_machine import read_machine

    machine = read_machine()
    if dry_run is None:
        click.echo(f"{install(machine)}\nRestart Excel and type =SIZEBOOK_VERSION() into a cell.")
        return
    click.echo(write_addin(machine, dry_run))
    for cause in find_causes(machine):
        click.echo(f"would not work here: {cause}", err=True)


@excel.command("update")
def update_addin() -> None:
    """Rebuild the installed add-in if sizebook, xlwings or Python changed."""
    from sizebook.excel.addin.installation import check_installed, install
    from sizebook.excel.addin.windows_machine import read_machine

    machine = read_machine()
    if not list(check_installed(machine)):
        click.echo("up to date")
        return
    click.echo(f"{install(machine)}\nRestart Excel.")


@excel.command("status")
def show_status() -> None:
    """Show which add-in is installed, and the versions it was built with."""
    from sizebook.excel.addin.installation import addin_path, check_installed, read_settings
    from sizebook.excel.addin.windows_machine import read_machine

    machine = read_machine()
    wrong = list(check_installed(machine))
    target = addin_path(machine)
    if target.is_file():
        click.echo(target)
        for key, value in read_settings(target).items():
            click.echo(f"{key}: {value}")
    click.echo("\n".join(wrong) or "up to date")


@excel.command("doctor")
def find_causes() -> None:
    """Explain why the functions do not work in Excel."""
    from sizebook.excel.addin.causes import find_causes
    from sizebook.excel.addin.installation import check_installed
    from sizebook.excel.addin.windows_machine import read_machine

    machine = read_machine()
    causes = list(find_causes(machine))
    causes += check_installed(machine) if machine.startup is not None else []
    if causes:
        click.echo("\n".join(causes))
        raise SystemExit(1)
    click.echo(
        f"no problem found: {machine.python_bits}-bit Python {machine.interpreter}, xlwings "
        f"{machine.xlwings_version}, {machine.excel_bits or 'unknown'}-bit Excel. If cells still show errors, run the "
        "macro CheckSizebook in Excel (Alt+F8, type the name)."
    )


@excel.command("uninstall")
def uninstall_addin() -> None:
    """Remove the add-in."""
    from sizebook.excel.addin.installation import uninstall
    from sizebook.excel.addin.windows_machine import read_machine

    removed = uninstall(read_machine())
    click.echo(f"removed {removed}" if removed else "nothing to remove")


@excel.command("lite")
@click.option("-o", "--output", type=FOLDER, required=True, help="Folder.")
@click.option("--offline", is_flag=True, help="Put the package into main.py, so that nothing is downloaded.")
def write_lite_files(output: Path, offline: bool) -> None:
    """Write main.py and requirements.txt for xlwings Lite."""
    from sizebook.excel.lite import write_lite

    for path in write_lite(output, offline=offline):
        click.echo(path)


@excel.command("server")
@click.option("-o", "--output", type=FOLDER, required=True, help="Folder.")
@click.option("--namespace", default="SIZEBOOK", show_default=True, help="Prefix of each function in Excel.")
@click.option(
    "--hostname", default="localhost:8000", show_default=True, help="Host and port at which Excel reaches the server."
)
def write_server_project(output: Path, namespace: str, hostname: str) -> None:
    """Write a project for xlwings Server: settings, manifest, functions and task pane."""
    from sizebook.dashboard.catalog_models import published_models
    from sizebook.dashboard.html_page import write_page
    from sizebook.excel.server import PAGE, write_server

    for path in [*write_server(output, namespace, hostname), write_page(published_models(), output / PAGE)]:
        click.echo(path)
    click.echo("xlwings Server needs a licence of its own outside noncommercial use: see LICENCE.md there.", err=True)
