"""A project for xlwings Server: settings, manifest, functions, task pane, and what its licence asks for.

The manifest states what Excel believes of the server: its address, and the namespace that stands before each function
in cells and in files. Both come from here, so that `fill --target office-js --namespace` spells what it declares.
"""

import re
from importlib.resources import files
from pathlib import Path
from string import Template
from uuid import NAMESPACE_URL, uuid5

from sizebook import __version__
from sizebook.core.errors import InputError, shown
from sizebook.core.wizard import checked_namespace
from sizebook.sources.writing import write_whole

# Where each file of `excel/project` goes; the server looks for templates and static files in folders of these names.
PLACES = {
    "settings.toml": ("pyproject.toml",),
    "requirements.txt": ("requirements.txt",),
    "README.md": ("README.md",),
    "LICENCE.md": ("LICENCE.md",),
    "manifest.xml": ("manifest.xml", "templates/manifest.xml"),
    "taskpane.html": ("templates/taskpane.html",),
}
PAGE = "static/models.html"  # what the task pane shows
_CODE = {
    "custom_functions/__init__.py": '"""The functions that Excel is offered."""\n\n'
    "from sizebook.excel.officejs import *  # noqa: F403\n",
    "custom_scripts/__init__.py": '"""No scripts; the server wants the folder."""\n',
    "static/css/style.css": "",
    "static/js/main.js": "",
}
_HOSTNAME = re.compile(r"(?=.{1,253}$)[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?", re.IGNORECASE)


def server_files(namespace: str, hostname: str) -> dict[str, str]:
    """Return the texts of the project by path; the same namespace and host give the same files, the manifest's Id too.

    Errors: `InputError` for a namespace that Excel does not take and for what is no name of a host.
    """
    name = checked_namespace(namespace)
    if not _HOSTNAME.fullmatch(hostname):
        raise InputError(
            f"not a host: got {shown(hostname)}, want the name under which Excel reaches the server, such as "
            "sizing.example.com or localhost:8000. Leave https:// and paths out."
        )
    known = {
        "namespace": name,
        "hostname": hostname,
        "base": f"https://{hostname}",
        "id": str(uuid5(NAMESPACE_URL, f"https://{hostname.lower()}/{name}")),
        "version": __version__,
    }
    folder = files("sizebook.excel") / "project"
    texts = {file: Template((folder / file).read_text(encoding="utf-8")).substitute(known) for file in PLACES}
    return {place: texts[file] for file, places in PLACES.items() for place in places} | _CODE


def write_server(folder: Path, namespace: str, hostname: str) -> list[Path]:
    """Write the project into a folder and return the paths of its files."""
    return [write_whole(folder / place, text.encode()) for place, text in server_files(namespace, hostname).items()]
