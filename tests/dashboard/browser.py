"""The page in headless Chromium: `python -m tests.dashboard.browser`, apart from pytest because it needs a browser.

Each check drives the page as a reader would, and compares with figures of Python or of the workbook that it exports.
"""

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from sizebook.dashboard.catalog_models import published_models
from sizebook.dashboard.html_page import write_page
from sizebook.functions import load
from tests.dashboard.checks import calculator, estimates, fit, readers, table, views  # noqa: F401 - each joins its checks
from tests.dashboard.driving import CHECKS, CHROMIUM, SWITCHES, WIDE

WAITS_MILLISECONDS = 300_000  # for what comes at once on an idle machine


def run(browser: Browser, address: str) -> int:
    """Run every check on a page of its own, or those named on the command line; return how many failed."""
    failed = 0
    for each in asked():
        context = browser.new_context(viewport=WIDE, accept_downloads=True)
        context.set_default_timeout(WAITS_MILLISECONDS)
        page = context.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda error, told=problems: told.append(str(error)))
        page.on("request", lambda request, told=problems: _only_local(request.url, told))
        try:
            each(page, address)
            assert not problems, problems
        except Exception as error:  # noqa: BLE001 - every check is to run
            failed += 1
            print(f"failed: {each.__name__}: {type(error).__name__} {str(error)[:1500]}")
        else:
            print(f"passed: {each.__name__}")
        context.close()
    return failed


def asked() -> list[Callable[[Page, str], None]]:
    return [each for each in CHECKS if each.__name__ in (sys.argv[1:] or [each.__name__])]


def _only_local(address: str, told: list[str]) -> None:
    if not address.startswith(("file:", "data:", "blob:", "about:")):
        told.append(f"asked the network for {address}")


def main() -> None:
    load()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = write_page(published_models(), Path(folder) / "page.html")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        failed = run(browser, page.as_uri())
        browser.close()
    print(f"{len(asked()) - failed} of {len(asked())} checks of the page passed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
