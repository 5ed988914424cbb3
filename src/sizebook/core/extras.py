"""What is not in the base install: the extras of the package, and the refusal that says which one is missing.

The base is the functions and the command line, on the standard library, click and xlwings. A package that stands on
more asks for its extra in its first lines, so that no work starts that cannot finish.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec

from sizebook.core.errors import InputError

# Extra -> the modules that it brings, by the names that are imported. The distributions: pyproject.toml.
EXTRAS = {
    "workbooks": ("openpyxl", "lxml", "defusedxml", "formualizer", "numpy", "psutil"),
    "reports": ("babel", "jinja2", "weasyprint", "fontTools", "vl_convert", "pypdf", "tomli_w", "rich"),
    "sweep": ("numpy", "polars", "rich", "ruamel"),
    "hub": ("huggingface_hub",),
    "cluster": ("dask", "distributed"),
    "web": ("fastapi", "starlette", "uvicorn", "python_multipart"),
    "torch": ("torch", "transformers"),
}


class MissingExtraError(InputError, ImportError):
    """A library that an extra of the package brings is not installed."""


def need(*extras: str, instead: str = "") -> None:
    """Refuse unless all modules of the extras are there; ``instead`` says what else the user can do.

    Errors: `MissingExtraError`, with the command that installs what is missing.
    """
    absent = {extra: [name for name in EXTRAS[extra] if not _is_there(name)] for extra in extras}
    lacking = [extra for extra, names in absent.items() if names]
    if lacking:
        names = dict.fromkeys(name for extra in lacking for name in absent[extra])
        raise MissingExtraError(
            f"not in this installation: got no {', '.join(names)}, want the extra{'s' if len(lacking) > 1 else ''} "
            f"{', '.join(lacking)}. Run: pip install 'sizebook[{','.join(lacking)}]'{instead and f', or {instead}'}."
        )


def _is_there(name: str) -> bool:
    if name in sys.modules:
        return sys.modules[name] is not None
    return find_spec(name) is not None
