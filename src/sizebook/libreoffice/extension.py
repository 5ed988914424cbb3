"""Builds the Calc extension (.oxt): interface, description, manifest, the component and the layers that it stands on.

The domain layers import only the standard library, so they travel inside the extension and the office's own Python runs
them, offline and without installing anything.
"""

from collections.abc import Iterable
from pathlib import Path
from xml.sax.saxutils import escape

from sizebook import __version__
from sizebook.core.domain_archive import archive, domain_files
from sizebook.core.registry import Function
from sizebook.functions import load
from sizebook.sources.writing import write_whole

IDENTIFIER = "org.sizebook.calc"
COMPONENT = Path(__file__).with_name("addin.py")
CALC = ("libreoffice/__init__.py", "libreoffice/calc.py")


def build_extension(path: Path) -> Path:
    """Write the extension and return its path."""
    return write_whole(path, archive(extension_files()))


def extension_files() -> dict[str, bytes]:
    """Return the files of the extension by name."""
    texts = {
        "META-INF/manifest.xml": manifest(),
        "description.xml": description(),
        "XSizebook.idl": interface(load().values()),
        "addin.py": COMPONENT.read_text(encoding="utf-8"),
    }
    files = {name: text.encode() for name, text in texts.items()}
    # The office adds the folder `pythonpath` beside a component to Python's search path.
    return files | {f"pythonpath/{name}": content for name, content in domain_files(*CALC).items()}


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
