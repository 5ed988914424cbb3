"""The functions for xlwings Lite and xlwings Server (Office.js: Windows, Mac and web).

A server's ``custom_functions`` package and Lite's ``main.py`` import everything from here. Importing it loads
`xlwings.server`, which is part of xlwings PRO and asks for a licence key; Lite brings its own. Nothing else of sizebook
imports it.
"""

from typing import Any

from xlwings import LicenseError, XlwingsError

from sizebook.core.errors import CellError, SizebookError
from sizebook.core.wizard import help_url
from sizebook.excel.callables import build_callables, error_value
from sizebook.functions import load
from sizebook.intake.allowed_files import reads_files

try:
    from xlwings.server import func
except LicenseError as missing:
    raise LicenseError(
        "no xlwings licence key: got none that is valid, want XLWINGS_LICENSE_KEY in the environment. xlwings Server "
        "is free for noncommercial use (set it to 'noncommercial': PolyForm Noncommercial 1.0.0) and needs a paid plan "
        "otherwise; xlwings Lite brings its own key."
    ) from missing


def _refused(error: SizebookError) -> Any:
    """Raise with the message, which Excel shows beside a #VALUE!; an error from another cell passes through."""
    if isinstance(error, CellError):
        return error_value(error)
    raise XlwingsError(str(error)) from error


# Equal calls are answered in the add-in, without a request, unless a file that a cell names may change between two.
_CACHED = not reads_files()
_FUNCTIONS = {
    name: func(help_url=help_url(load()[name]), cache=_CACHED)(built)
    for name, built in build_callables(_refused).items()
}
__all__ = list(_FUNCTIONS)
globals().update(_FUNCTIONS)
