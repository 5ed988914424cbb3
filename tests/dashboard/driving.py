"""How checks drive the page in headless Chromium, and the list that they join."""

import os
from collections.abc import Callable

from playwright.sync_api import Page

from sizebook.models import catalog

CHROMIUM = os.environ.get("SIZEBOOK_CHROMIUM", "/usr/bin/chromium")
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
CHECKS: list[Callable[[Page, str], None]] = []
# A key that moves the focus takes up to twelve frames (`focusRow`), however long a busy machine needs for each.
SETTLED = """async () => {
  await later;
  const fades = () => document.getAnimations().some((each) => each.playState === "running");
  for (let frame = 0; frame < 14 || fades(); frame += 1) await new Promise(requestAnimationFrame);
}"""


def check(function: Callable[[Page, str], None]) -> Callable[[Page, str], None]:
    """Have a function run on a fresh page of its own."""
    CHECKS.append(function)
    return function


def opened(page: Page, address: str, fragment: str = "view=models") -> None:
    page.goto("about:blank")
    page.goto(f"{address}#{fragment}" if fragment else address)
    page.wait_for_selector("body[data-ready]")


def settled(page: Page) -> None:
    """Wait until what is read later is there, what follows a change is drawn, and nothing fades any more."""
    page.evaluate(SETTLED)


def names(page: Page) -> list[str]:
    """Return the keys of the rows in their order, those out of sight included."""
    found: list[str] = page.evaluate("table.getRows('active').map((row) => row.getData().key)")
    return found


def copied(page: Page) -> str:
    """Return what was copied since the last time, and forget it: a busy browser writes to the clipboard late."""
    page.wait_for_selector("body[data-copied]")
    said = str(page.evaluate("document.body.dataset.copied"))
    page.evaluate("delete document.body.dataset.copied")
    return said


def total(key: str) -> int:
    return catalog.counted(key).total
