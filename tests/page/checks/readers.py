"""The page for every reader: dark and light, keyboard and screen reader, a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.sync_api import Page, ViewportSize

from tests.page.driving import PHONE, check, opened

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")


@check
def dark_is_the_readers_setting_until_changed(page: Page, address: str) -> None:
    page.emulate_media(color_scheme="dark")
    opened(page, address)
    ground = "getComputedStyle(document.documentElement).backgroundColor"
    assert page.evaluate(ground) == "rgb(13, 16, 20)"
    page.click("#theme")
    assert page.evaluate(ground) == "rgb(245, 247, 249)"


@check
def nobody_is_shut_out(page: Page, address: str) -> None:
    compared = "view=compare&compare=llama-3.1-8b~mixtral-8x7b"
    for fragment in ("", "view=charts", "model=llama-3.1-8b", compared, *ACCESSIBLE):
        for theme in ("light", "dark"):
            opened(page, address, f"{fragment}&theme={theme}")
            if "charts" in fragment:
                page.wait_for_selector("#charts[data-drawn]")
            page.wait_for_timeout(300)
            page.evaluate(AXE.read_text(encoding="utf-8"))
            found: list[dict[str, Any]] = page.evaluate("axe.run().then((result) => result.violations)")
            assert not found, (fragment, theme, [(each["id"], each["nodes"][0]["html"]) for each in found])


# What a window of 1,440 by 900 shows at 200 %.
ZOOMED: ViewportSize = {"width": 720, "height": 450}
# Views with a part of their own to judge.
ACCESSIBLE = ["view=calculator", "view=calculator&fn=SERVING_LEDGER", "view=market"]


@check
def a_phone_shows_it_without_scrolling_sideways(page: Page, address: str) -> None:
    page.set_viewport_size(PHONE)
    for fragment in ("", "view=charts", "model=mixtral-8x7b", "view=compare&compare=llama-3.1-8b~gpt-2", *ACCESSIBLE):
        opened(page, address, fragment)
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], fragment


@check
def twice_as_large_it_needs_no_scrolling_sideways(page: Page, address: str) -> None:
    page.set_viewport_size(ZOOMED)
    for fragment in ("", "view=charts", "view=compare&compare=llama-3.1-8b~gpt-2", *ACCESSIBLE):
        opened(page, address, fragment)
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") == ZOOMED["width"], fragment
