"""What goes into xlwings Lite: ``requirements.txt``, which names the package, and a ``main.py`` that imports it.

Lite runs Python in Pyodide, installs what the one names and keeps both in the workbook. Where nothing may be
downloaded, ``main.py`` carries the package inside it instead: the domain layers as text, on the standard library alone.
"""

import base64
import zipfile
import zlib
from importlib.metadata import version
from pathlib import Path

from sizebook import __version__
from sizebook.core.domain_archive import archive, domain_files
from sizebook.sources.writing import write_whole

SURFACE = ("excel/__init__.py", "excel/callables.py", "excel/officejs.py")
COLUMNS = 120

_MAIN = '''\
"""sizebook for xlwings Lite: every function, in the cells of this workbook.

The tab requirements.txt names the version. Functions of your own can follow below.
"""

from sizebook.excel.officejs import *  # noqa: F403
'''

_CARRYING = '''\
"""sizebook {version} for xlwings Lite, made by `sizebook excel lite --offline`. Make it again rather than change it.

PACKAGE is the sizebook package (Apache-2.0): a ZIP archive, compressed with zlib, in base 85.
"""

import base64
import io
import sys
import tempfile
import zipfile
import zlib
from pathlib import Path

PACKAGE = """
{package}
"""

# A folder, not the archive itself: the package reads its tables as files.
folder = Path(tempfile.gettempdir()) / "sizebook-{version}"
packed = zlib.decompress(base64.b85decode(PACKAGE.replace("\\n", "")))
zipfile.ZipFile(io.BytesIO(packed)).extractall(folder)
if str(folder) not in sys.path:
    sys.path.insert(0, str(folder))

from sizebook.excel.officejs import *  # noqa: E402, F403
'''


def lite_files(*, offline: bool = False) -> dict[str, str]:
    """Return the two texts to paste into the tabs of xlwings Lite, by the name of the tab."""
    needed = [f"xlwings=={version('xlwings')}"] + ([] if offline else [f"sizebook=={__version__}"])
    return {"main.py": _carrying() if offline else _MAIN, "requirements.txt": "".join(f"{each}\n" for each in needed)}


def write_lite(folder: Path, *, offline: bool = False) -> list[Path]:
    """Write the files into a folder and return their paths."""
    return [write_whole(folder / name, text.encode()) for name, text in lite_files(offline=offline).items()]


def _carrying() -> str:
    """Return the module that carries the package."""
    # One stream over the whole archive is a third smaller than file by file.
    stored = archive(domain_files(*SURFACE), zipfile.ZIP_STORED)
    text = base64.b85encode(zlib.compress(stored, 9)).decode()
    lines = "\n".join(text[start : start + COLUMNS] for start in range(0, len(text), COLUMNS))
    return _CARRYING.format(version=__version__, package=lines)
