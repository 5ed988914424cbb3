"""What is not in the base install: the extras of the package, and the refusal that says which one is missing.

The base is the functions and the command line, on the standard library, click and xlwings. A package that stands on
more asks for its extra in its first lines, so that no work starts that cannot finish.
"""

import sys
from importlib.util import find_spec

from sizebook.core.errors import InputError

# Extra -> the modules that it brings, by the names that are imported. The distributions: pyproject.toml.
EXTRAS = {
    "workbooks": ("openpyxl", "lxml", "defusedxml", "formualizer", "psutil"),
    "reports": ("babel", "jinja2", "weasyprint", "fontTools", "vl_convert", "pypdf", "tomli_w", "rich"),
    "sweep": ("numpy", "polars", "rich", "ruamel"),
    "duckdb": ("duckdb",),
    "hub": ("huggingface_hub",),
    "cluster": ("dask", "distributed"),
    "web": ("fastapi", "starlette", "uvicorn", "python_multipart"),
    "mcp": ("mcp",),
    "torch": ("torch", "transformers"),
}


LEAST_BYTES = 1_000_000_000  # of addresses, with which the libraries of an extra start


class MissingExtraError(InputError, ImportError):
    """A library that an extra of the package brings is not installed."""


def need(*extras: str, instead: str = "") -> None:
    """Refuse unless all modules of the extras are there; ``instead`` says what else the user can do.

    Errors: `MissingExtraError`, with the command that installs what is missing; `InputError` if the system gives the
    process too little memory, without which the libraries would end it with words of their own.
    """
    if any(name not in sys.modules for extra in extras for name in EXTRAS[extra]):
        _refuse_too_little_memory()
    absent = {extra: [name for name in EXTRAS[extra] if not _is_there(name)] for extra in extras}
    lacking = [extra for extra, names in absent.items() if names]
    if lacking:
        names = dict.fromkeys(name for extra in lacking for name in absent[extra])
        raise MissingExtraError(
            f"not in this installation: got no {', '.join(names)}, want the extra{'s' if len(lacking) > 1 else ''} "
            f"{', '.join(lacking)}. Run: pip install 'sizebook[{','.join(lacking)}]'{instead and f', or {instead}'}."
        )


def _refuse_too_little_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows and Pyodide, which have no such limit
        return
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    if limit != resource.RLIM_INFINITY and limit < LEAST_BYTES:
        raise InputError(
            f"too little memory: got a limit of {limit} bytes for this process, want {LEAST_BYTES} or more. Raise it "
            f"with 'ulimit -v {LEAST_BYTES // 1024 + 1}'."
        )


def _is_there(name: str) -> bool:
    if name in sys.modules:
        return sys.modules[name] is not None
    return find_spec(name) is not None
