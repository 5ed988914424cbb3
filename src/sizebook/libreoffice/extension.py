"""Builds the Calc extension (.oxt): interface, description, manifest, the component and the layers that it stands on.

The domain layers import only the standard library, so they travel inside the extension and the office's own Python runs
them, offline and without installing anything.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape

from sizebook import __version__
from sizebook.functions import load
from sizebook.registry import Function

PACKAGE = Path(__file__).resolve().parents[1]
IDENTIFIER = "org.sizebook.calc"
# Beside the top-level modules: the domain layers and their tables. The other folders are surfaces.
FOLDERS = ("formulas", "models", "plans", "data")
CALC = ("libreoffice/__init__.py", "libreoffice/calc.py")
SUFFIXES = (".py", ".csv", ".json", ".toml")


def build(path: Path) -> Path:
    """Write the extension and return its path; the file appears whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(path.name + ".part")
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents().items():
            # A fixed date: the same sources give the same bytes.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED)
    return unfinished.replace(path)


def contents() -> dict[str, bytes]:
    """Return the files of the extension by name."""
    texts = {
        "META-INF/manifest.xml": manifest(),
        "description.xml": description(),
        "XSizebook.idl": interface(load().values()),
    }
    files = {name: text.encode() for name, text in texts.items()}
    files["addin.py"] = (PACKAGE / "libreoffice" / "addin.py").read_bytes()
    return files | {f"pythonpath/sizebook/{name}": (PACKAGE / name).read_bytes() for name in bundled_files()}


def bundled_files() -> list[str]:
    """Return the files of the package that travel along, relative to it."""
    in_folders = (p for folder in FOLDERS for p in (PACKAGE / folder).rglob("*") if p.suffix in SUFFIXES)
    paths = [*PACKAGE.glob("*.py"), *in_folders]
    return sorted([*(path.relative_to(PACKAGE).as_posix() for path in paths), *CALC])


def interface(functions: Iterable[Function]) -> str:
    """Return the UNO interface: one method a function, every argument optional and of any type, rows out."""
    methods = "\n".join(f"  sequence< sequence<any> > {f.name}({_parameters(f)});" for f in functions)
    return f"module org {{ module sizebook {{\ninterface XSizebook {{\n{methods}\n}};\n}}; }};\n"


def _parameters(function: Function) -> str:
    """Return numbered parameters: Calc shows the names that the component gives, and these never meet a keyword."""
    return ", ".join(f"[in] any a{index}" for index in range(len(function.arguments)))


def description() -> str:
    """Return who the extension is."""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<description xmlns="http://openoffice.org/extensions/description/2006">\n'
        f' <identifier value="{IDENTIFIER}"/>\n <version value="{escape(__version__)}"/>\n'
        ' <display-name><name lang="en">sizebook: sizes transformer models</name></display-name>\n'
        "</description>\n"
    )


def manifest() -> str:
    """Return the list of what the office registers: the interface's source and the component."""
    entries = (
        ("application/vnd.sun.star.uno-typelibrary;type=RDB", "XSizebook.idl"),
        ("application/vnd.sun.star.uno-component;type=Python", "addin.py"),
    )
    lines = "\n".join(
        f' <manifest:file-entry manifest:media-type="{media}" manifest:full-path="{name}"/>' for media, name in entries
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<manifest:manifest xmlns:manifest="http://openoffice.org/2001/manifest">\n{lines}\n</manifest:manifest>\n'
    )
