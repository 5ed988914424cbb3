"""xlwings Server with our project, driven through its own JavaScript in headless Chromium.

`python -m tests.excel.server.check PYTHON` takes a Python with sizebook and xlwings-server. It writes the project,
starts the server on the loopback, loads the task pane in Chromium with an Office.js of the tests, and calls the
functions that the server's scripts give to Excel: every example, an error, and 50 sheets of 200 cells.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from playwright.sync_api import Page, sync_playwright

from sizebook.core import cells
from sizebook.functions import load
from tests.dashboard.browser import CHROMIUM, SWITCHES
from tests.web.load import free_port

NAMESPACE = "TEAM_2"
SHEETS, CALLS = 50, 200
STARTS_WITHIN = 600  # seconds
OFFICE = Path(__file__).with_name("office.js")
# A cell as Excel calls it: arguments as they are in the sheet, then the invocation.
ASK = """async ([name, given, address]) => {
  try { return { rows: await associated[name](...given, { address }) }; }
  catch (error) { return { code: error.code ?? null, message: error.message }; }
}"""
# Excel recalculates a workbook: every cell of every sheet asks at once.
RECALCULATE = """async ([sheets, calls, equal]) => {
  const start = performance.now();
  const cells = [];
  for (let sheet = 0; sheet < sheets; sheet++)
    for (let row = 1; row <= calls; row++) {
      const width = equal ? row : sheet * calls + row;
      cells.push(associated.PARAMS_LN(...[[[width]], null, { address: `Sheet${sheet}!A${row}` }])
        .then((found) => found[0][0] === 2 * width, () => false));
    }
  const right = (await Promise.all(cells)).filter((each) => each).length;
  return { right, seconds: (performance.now() - start) / 1000 };
}"""

SEARCH = """async ([calls, left_out]) => {
  const start = performance.now(), cells = [];
  for (let row = 0; row < calls; row++)
    cells.push(associated.MIN_GPUS_TRAIN([["llama-3.1-8b"]], [["h100-sxm"]], [[1024 + row]],
      ...Array(left_out).fill(null), { address: `Sheet1!A${row + 1}` }).then((found) => found[0]));
  const asked = performance.now() - start;
  const shown = await Promise.all(cells);
  return { shown, asked: asked / 1000, answered: (performance.now() - start) / 1000 };
}"""


@contextmanager
def served(python: str, folder: Path) -> Iterator[str]:
    """Write the project, serve it, and give its address."""
    port = free_port()
    words = ["-m", "sizebook", "excel", "server", "-o", str(folder), "--namespace", NAMESPACE]
    subprocess.run([python, *words, "--hostname", f"127.0.0.1:{port}"], check=True, capture_output=True)
    keys = {"XLWINGS_LICENSE_KEY": "noncommercial", "XLWINGS_SECRET_KEY": "of this check", "XLWINGS_LOG_LEVEL": "ERROR"}
    server = subprocess.Popen(
        [python, "-m", "uvicorn", "xlwings_server.main:main_app", "--host", "127.0.0.1", "--port", str(port),
         "--log-level", "warning"],
        cwd=folder, env={**os.environ, **keys},
    )  # fmt: skip
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(f"{address}/manifest.xml", server)
        yield address
    finally:
        server.terminate()
        server.wait(20)


def _wait(address: str, server: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + STARTS_WITHIN
    while time.monotonic() < end and server.poll() is None:
        try:
            read(address)
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"no server: got no answer from {address}, want one within {STARTS_WITHIN} s.")


def read(address: str) -> str:
    with urllib.request.urlopen(address) as answer:
        return str(answer.read().decode("utf-8", "replace"))


def manifest_is_as_written(address: str, folder: Path) -> None:
    served_one = read(f"{address}/manifest.xml")
    assert served_one.strip() == (folder / "manifest.xml").read_text().strip()
    root = ElementTree.fromstring(served_one)
    values = {each.get("id"): each.get("DefaultValue") for each in root.iter() if each.get("id")}
    assert values["Namespace"] == NAMESPACE
    https = address.replace("http:", "https:")
    for place in ("Pane.Url", "Code.Url", "Meta.Url", "Icon.16", "Icon.32", "Icon.80"):
        url = str(values[place])
        assert url.startswith(https), url
        read(url.replace("https:", "http:"))


def functions_are_those_of_the_registry(address: str, page: Page) -> None:
    meta = json.loads(read(f"{address}/xlwings/custom-functions-meta.json"))
    assert {each["name"] for each in meta["functions"]} == set(load())
    assert set(page.evaluate("Object.keys(associated)")) == set(load())


def every_example_comes_out(page: Page) -> None:
    for name, function in load().items():
        given = [function.example[0].get(argument.name) for argument in function.arguments]
        shown = [each if each is None or isinstance(each, list) else [[each]] for each in given]
        found = page.evaluate(ASK, [name, shown, "Sheet1!B2"])
        wanted = cells.as_rows(function.example[1]) or [[function.example[1]]]
        assert "rows" in found, f"{name}: {found}"
        pairs = [
            (a, b) for row, wants in zip(found["rows"], wanted, strict=True) for a, b in zip(row, wants, strict=True)
        ]
        assert all(_same(a, b) for a, b in pairs), f"{name}: {found['rows']}"


def _same(got: Any, want: Any) -> bool:
    want = "" if want is None else want  # a cell shows None as blank
    if isinstance(want, (int, float)) and not isinstance(want, bool):
        return isinstance(got, (int, float)) and math.isclose(got, float(want), rel_tol=1e-12)
    return bool(got == want)


def an_error_says_why(page: Page) -> None:
    assert page.evaluate(ASK, ["PARAMS_LN", [[[-1]], None], "Sheet1!B2"]) == {
        "code": "#VALUE!",
        "message": "d_model is out of range: got -1, want at least 1 (hidden size: width of the residual stream). "
        "Correct the number.",
    }


def sheets_recalculate(page: Page) -> None:
    """Fifty sheets of cells that all differ; then cells of which each is asked on every sheet, and again."""
    for said, equal in (("all different", False), ("the same on every sheet", True), ("again", True)):
        found = page.evaluate(RECALCULATE, [SHEETS, CALLS, equal])
        assert found["right"] == SHEETS * CALLS, found
        print(f"{SHEETS} sheets of {CALLS} calls, {said}: {found['seconds']:.1f} s, no error")


def a_column_of_searches_is_asked_at_once(page: Page) -> None:
    """Every cell is a promise: Excel asks a thousand and goes on."""
    left_out = len(load()["MIN_GPUS_TRAIN"].arguments) - 3
    found = page.evaluate(SEARCH, [CALLS * 5, left_out])
    want = cells.call("MIN_GPUS_TRAIN", "llama-3.1-8b", "h100-sxm", [[1024 + at] for at in range(CALLS * 5)])
    assert found["shown"] == want
    print(f"a column of {CALLS * 5} searches: asked in {found['asked']:.2f} s, answered in {found['answered']:.1f} s")


def pane_shows_the_page(page: Page) -> None:
    frame = page.frame_locator("iframe")
    frame.locator("body[data-ready]").wait_for(timeout=1000 * STARTS_WITHIN)


def main() -> None:
    with tempfile.TemporaryDirectory() as name, served(sys.argv[1], Path(name)) as address, sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        page = browser.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.route("**/office.js", lambda route: route.fulfill(path=str(OFFICE), content_type="text/javascript"))
        manifest_is_as_written(address, Path(name))
        page.goto(f"{address}/taskpane.html")
        page.wait_for_function("globalThis.associated && Object.keys(associated).length > 0 && globalThis.xwRequest")
        functions_are_those_of_the_registry(address, page)
        every_example_comes_out(page)
        an_error_says_why(page)
        a_column_of_searches_is_asked_at_once(page)
        sheets_recalculate(page)
        pane_shows_the_page(page)
        assert problems == [], problems
        print(f"xlwings Server: {len(load())} functions as in the registry")
        browser.close()


if __name__ == "__main__":
    main()
