"""Calls the functions the way Excel's Office.js runtime does, through xlwings' own entry points."""

import asyncio
import signal
from types import FrameType
from typing import Any

import xlwings
from xlwings import server

from sizebook.excel import officejs

NOT_AVAILABLE = {"type": "Error", "basicValue": "#N/A", "errorType": "NotAvailable"}
# Far beyond what a cell may take: catches an argument that sends a function into an endless search.
SECONDS = 10


def meta() -> dict[str, dict[str, Any]]:
    """Return what Excel is told about each function, by name."""
    return {f["name"]: f for f in server.custom_functions_meta(officejs)["functions"]}


def call(name: str, *args: Any, bare: bool = False) -> Any:
    """Return the rows that Excel writes; a single cell is sent as the 1x1 range that Office.js makes of it, or bare."""
    data = {
        "func_name": name,
        "args": [arg if bare or arg is None or isinstance(arg, list) else [[arg]] for arg in args],
        "caller_address": "[Book1.xlsx]Sheet1!B2",
        "content_language": "en-US",
        "version": xlwings.__version__,
        "client": "Office.js",
        "runtime": "1.4",
        "date_format": "m/d/yyyy",
    }
    signal.signal(signal.SIGPROF, _too_slow)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)  # of a processor: a busy machine is no slow cell
    try:
        return asyncio.run(server.custom_functions_call(data, officejs))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _too_slow(signum: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"a cell took longer than {SECONDS} s: Excel would hang.")


def error(kind: str) -> dict[str, str]:
    """Return the error value that Excel is given for `kind` (Num, Value, NotAvailable ...)."""
    return {"type": "Error", "errorType": kind}
