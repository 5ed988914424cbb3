"""The domain layers and their tables as an archive, for places where nothing can be installed.

They need only the standard library, so LibreOffice's own Python and xlwings Lite's Pyodide run them from an archive.
"""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
# The other folders are surfaces.
FOLDERS = ("core", "intake", "tables", "models", "formulas", "serving", "training", "plans", "functions", "data")
SUFFIXES = (".py", ".csv", ".json", ".toml", ".safetensors")
# A fixed date: the same sources give the same bytes.
EPOCH = (1980, 1, 1, 0, 0, 0)


def domain_files(*surface_files: str) -> dict[str, bytes]:
    """Return the files of the package that run on the standard library, and the given ones of a surface, by path."""
    in_folders = (p for folder in FOLDERS for p in (PACKAGE / folder).rglob("*") if p.suffix in SUFFIXES)
    paths = [PACKAGE / "__init__.py", *in_folders, *(PACKAGE / name for name in surface_files)]
    return {f"sizebook/{path.relative_to(PACKAGE).as_posix()}": path.read_bytes() for path in sorted(paths)}


def archive(files: Mapping[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a ZIP archive of the files, in order and without the time of day."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", compression) as zipped:
        for name, content in files.items():
            zipped.writestr(zipfile.ZipInfo(name, EPOCH), content, compression)
    return written.getvalue()
