"""Calls the functions the way Excel for Windows does, through xlwings' own `call_udf`; runs in a process of its own.

pywin32 exists only on Windows, so stand-ins take its place: COM itself is not tested here.
Usage: classic_client.py; standard input is a JSON list of [name, arguments], standard output the list of results.
"""

import ctypes
import json
import sys
from typing import Any
from unittest.mock import MagicMock

ABSENT = """pythoncom pywintypes win32api win32con win32event win32gui win32process win32timezone winerror win32com
win32com.client win32com.server win32com.server.util win32com.server.policy win32com.server.dispatcher"""
# What `isinstance` asks for must be types.
TYPES = {
    "pywintypes": ("com_error", "TimeType"),
    "win32com.client": ("CDispatch", "CoClassBaseClass", "DispatchBaseClass"),
}


def on_windows() -> Any:
    """Return xlwings' module of classic UDFs, registered as it is on Windows."""
    for name in ABSENT.split():
        sys.modules[name] = MagicMock()
    for module, names in TYPES.items():
        for name in names:
            setattr(sys.modules[module], name, type(name, (Exception,), {}))
    sys.modules["pythoncom"].__file__ = "pythoncom"
    for name in ("oledll", "windll", "PyDLL"):
        setattr(ctypes, name, MagicMock())
    import xlwings
    from xlwings import _xlwindows, udfs

    xlwings.engines.add(xlwings.Engine(impl=_xlwindows.engine))
    xlwings._xlwindows = _xlwindows
    xlwings.func, xlwings.arg, xlwings.ret = udfs.xlfunc, udfs.xlarg, udfs.xlret
    return udfs


if __name__ == "__main__":
    udfs = on_windows()
    results = [udfs.call_udf("sizebook.excel.classic", name, arguments) for name, arguments in json.load(sys.stdin)]
    json.dump(results, sys.stdout)
