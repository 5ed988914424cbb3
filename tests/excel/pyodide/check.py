"""Runs inside Pyodide on the installed wheel alone: every example of every function through xlwings, as in Lite.

Its last expression is the list of problems that `run.mjs` reads. Plans are printed for the caller to compare.
"""

# ruff: noqa: B018, E402, F704, T201 - prints are what the caller reads; Pyodide awaits at the top level
import math
import sys
import tempfile
import time
from pathlib import Path

import xlwings
from click.testing import CliRunner
from xlwings import server

from sizebook.cli import app
from sizebook.core import cells
from sizebook.excel.lite import write_lite
from sizebook.functions import load

start = time.perf_counter()
problems = []
folder = Path(tempfile.mkdtemp())
sys.path.insert(0, str(write_lite(folder)[0].parent))
import main  # what was written just now

first = time.perf_counter() - start


def asked(function):
    """Return a call as the runtime of Office.js sends it, every argument as the 1x1 range of its cell."""
    given = [function.example[0].get(argument.name) for argument in function.arguments]
    return {
        "func_name": function.name,
        "args": [each if each is None or isinstance(each, list) else [[each]] for each in given],
        "caller_address": "[Book1.xlsx]Sheet1!B2",
        "content_language": "en-US",
        "version": xlwings.__version__,
        "client": "Office.js",
        "runtime": "1.4",
        "date_format": "m/d/yyyy",
    }


def same(got, want):
    """Return whether a cell shows a value; Excel's numbers are doubles, and None is a blank cell."""
    want = "" if want is None else want
    if isinstance(want, (int, float)) and not isinstance(want, bool):
        return isinstance(got, (int, float)) and math.isclose(got, float(want), rel_tol=1e-12)
    return got == want


listed = {each["name"] for each in server.custom_functions_meta(main)["functions"]}
if listed != set(load()):
    problems.append(f"functions: got {len(listed)}, want {len(load())}")
for name, function in load().items():
    wanted = cells.as_rows(function.example[1]) or [[function.example[1]]]
    got = await server.custom_functions_call(asked(function), main)
    pairs = [(a, b) for row, wants in zip(got, wanted, strict=True) for a, b in zip(row, wants, strict=True)]
    if not all(same(a, b) for a, b in pairs):
        problems.append(f"{name}: got {got}, want {wanted}")
for plan, scenario in (("train", "training-llama-3.1-70b"), ("serve", "serving-llama-3.1-70b")):
    done = CliRunner().invoke(app, ["plan", plan, f"/scenarios/{scenario}.toml"])
    print(done.stdout, end="")
    if done.exit_code:
        problems.append(f"plan {plan}: {done.exception}")
print(
    f"Pyodide, Python {sys.version.split()[0]}: {len(load())} functions, {len(problems)} problems; imported in "
    f"{first:.1f} s, all in {time.perf_counter() - start:.1f} s",
    file=sys.stderr,
)
problems
