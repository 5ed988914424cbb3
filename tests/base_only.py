"""Runs command lines in a Python where only the base install is there; writes what each said as JSON.

Run as `python -m tests.base_only < COMMANDS`: a JSON list of lists of words. One process runs all of them, in order.
"""

import contextlib
import importlib
import io
import json
import sys
from typing import Any

from sizebook.core.extras import EXTRAS

# What xlwings itself stands on, on Windows and on a Mac.
OF_XLWINGS = {"win32api", "pywintypes", "pythoncom", "win32com", "appscript", "aem", "mactypes"}
BASE = {"sizebook", "click", "xlwings", *OF_XLWINGS}


class NothingElse:
    """Stands before the finders of modules: what no extra names is not there either."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        top = name.partition(".")[0]
        if top not in BASE and top not in sys.stdlib_module_names:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)


def hide(extras: dict[str, tuple[str, ...]]) -> None:
    """Make this process one of the base install."""
    importlib.import_module("xlwings")  # it tries libraries that it can do without
    for name in {name for names in extras.values() for name in names}:
        for loaded in [each for each in sys.modules if each.partition(".")[0] == name]:
            del sys.modules[loaded]
        sys.modules[name] = None  # type: ignore[assignment]
    sys.meta_path.insert(0, NothingElse())  # type: ignore[arg-type]


def ran(words: list[str]) -> dict[str, Any]:
    """Return the exit code and what was printed."""
    from sizebook.cli import main

    sys.argv = ["sizebook", *words]
    said, wrong, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(wrong):
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
    return {"code": code, "out": said.getvalue(), "err": wrong.getvalue()}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    hide(EXTRAS)
    sys.stdout.write(json.dumps([ran(words) for words in asked]))
