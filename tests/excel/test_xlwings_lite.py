"""What xlwings Lite is given runs on the standard library and xlwings alone, without the installed package."""

import json
from importlib.metadata import version
from pathlib import Path

from click.testing import CliRunner

import sizebook
from sizebook.cli.excel import excel
from sizebook.core.domain_archive import domain_files
from sizebook.functions import load
from tests.commands import python

# Stands in for Pyodide: nothing can be imported but the standard library and xlwings.
PROBE = """
import asyncio, json, sys
import xlwings, xlwings.server
folder = sys.argv[1]
sys.path[:] = [p for p in sys.path if "site-packages" not in p and "src" not in p] + [folder]
before = set(sys.modules)
import main
data = dict(func_name="PARAMS_LN", args=[[[512, "x"]]], caller_address="[B]S!A1", version=xlwings.__version__,
            client="Office.js", runtime="1.4", date_format=None)
print(json.dumps({
    "functions": sorted(f["name"] for f in xlwings.server.custom_functions_meta(main)["functions"]),
    "rows": asyncio.run(xlwings.server.custom_functions_call(data, main)),
    "loaded": sorted({m.partition(".")[0] for m in set(sys.modules) - before} - set(sys.stdlib_module_names)),
    "from": sys.modules["sizebook"].__file__,
}))
"""


def test_lite_needs_only_the_standard_library_and_xlwings(tmp_path: Path) -> None:
    done = CliRunner().invoke(excel, ["lite", "--offline", "-o", str(tmp_path)])
    assert done.output == f"{tmp_path / 'main.py'}\n{tmp_path / 'requirements.txt'}\n"
    assert (tmp_path / "requirements.txt").read_text() == f"xlwings=={version('xlwings')}\n"
    key = {"XLWINGS_LICENSE_KEY": "noncommercial", "TMPDIR": str(tmp_path)}
    ran = python("-c", PROBE, tmp_path, env=key, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    seen = json.loads(ran.stdout)
    assert seen["functions"] == sorted(load())
    assert seen["rows"] == [[1024, {"type": "Error", "errorType": "Value"}]]
    assert seen["loaded"] == ["main", "sizebook"]
    assert seen["from"] == str(tmp_path / f"sizebook-{sizebook.__version__}" / "sizebook" / "__init__.py")


def test_by_the_wheel_both_tabs_are_a_few_lines(tmp_path: Path) -> None:
    """`tests/pyodide` runs them, in Pyodide with the built wheel."""
    done = CliRunner().invoke(excel, ["lite", "-o", str(tmp_path)])
    assert done.output == f"{tmp_path / 'main.py'}\n{tmp_path / 'requirements.txt'}\n"
    wanted = f"xlwings=={version('xlwings')}\nsizebook=={sizebook.__version__}\n"
    assert (tmp_path / "requirements.txt").read_text() == wanted
    lines = (tmp_path / "main.py").read_text().splitlines()
    assert (len(lines), lines[-1]) == (6, "from sizebook.excel.officejs import *  # noqa: F403")


def test_archive_carries_every_module_that_registers_functions_and_every_table() -> None:
    files = domain_files()
    registering = {f"{f.python.__module__.replace('.', '/')}.py" for f in load().values()}
    tables = {f"sizebook/data/{p.name}" for p in (Path(sizebook.__file__).parent / "data").glob("*.csv")}
    assert registering | tables <= files.keys()
    assert not [name for name in files if "/cli/" in name or "/reports/" in name]
