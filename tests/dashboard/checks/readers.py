"""The page for every reader: dark and light, keyboard and screen reader, a phone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.sync_api import Page, ViewportSize

from tests.dashboard.driving import PHONE, check, opened, settled

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
    judged(page, address)


@check
def nobody_is_shut_out_on_a_phone(page: Page, address: str) -> None:
    page.set_viewport_size(PHONE)
    judged(page, address)


def judged(page: Page, address: str) -> None:
    """Have axe-core judge every view, light and dark, and every pane that opens over the table."""
    axe = AXE.read_text(encoding="utf-8")
    for fragment in (*VIEWS, *PANES):
        opened(page, address, "view=models" if fragment in PANES else fragment)
        if fragment in PANES:
            PANES[fragment](page)
        page.evaluate(axe)
        for theme in ("light", "dark"):
            page.evaluate(f"change({{ theme: '{theme}' }})")
            if "charts" in fragment:
                page.wait_for_function("document.querySelectorAll('#charts svg').length === 6")
            page.wait_for_function("!byId('said').classList.contains('there')")  # what fades has colours of its own
            settled(page)
            found: list[dict[str, Any]] = page.evaluate(f"axe.run({JUDGED[theme]}).then((result) => result.violations)")
            assert not found, (fragment, theme, [(each["id"], each["nodes"][0]["html"]) for each in found])


def hovered(page: Page) -> None:
    page.hover(".tabulator-row .model")
    page.wait_for_selector("#hover:not([hidden])")


def filtered_to_nothing(page: Page) -> None:
    page.evaluate("byId('filters').open = true")
    page.fill('[name="q"]', "nothing at all")
    page.fill('[name="max"]', "many")


# What a window of 1,440 by 900 shows at 200 %.
ZOOMED: ViewportSize = {"width": 720, "height": 450}
# Views with a part of their own to judge.
ACCESSIBLE = [
    "view=fit",
    "view=fit&fit=gpus%3D1",
    "view=calculator",
    "view=calculator&fn=SERVING_LEDGER",
    "view=market",
]
COMPARED = "view=compare&compare=llama-3.1-8b~mixtral-8x7b"
VIEWS = [
    "view=models",
    "view=charts",
    "view=compare",
    COMPARED,
    "model=llama-3.1-8b",
    "view=calculator&fn=TTFT_SECONDS",
    *ACCESSIBLE,
]
# Dark differs in its colours alone.
JUDGED = {"light": "{}", "dark": "{ runOnly: ['color-contrast'] }"}
# What opens over the table, and what opens it.
PANES: dict[str, Callable[[Page], None]] = {
    "columns": lambda page: page.click("#choose-columns"),
    "hover card": hovered,
    "no rows": filtered_to_nothing,
}


@check
def a_phone_shows_it_without_scrolling_sideways(page: Page, address: str) -> None:
    page.set_viewport_size(PHONE)
    for fragment in (
        "view=models",
        "view=charts",
        "model=mixtral-8x7b",
        "view=compare&compare=llama-3.1-8b~gpt-2",
        *ACCESSIBLE,
    ):
        opened(page, address, fragment)
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], fragment


@check
def twice_as_large_it_needs_no_scrolling_sideways(page: Page, address: str) -> None:
    page.set_viewport_size(ZOOMED)
    for fragment in ("view=models", "view=charts", "view=compare&compare=llama-3.1-8b~gpt-2", *ACCESSIBLE):
        opened(page, address, fragment)
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") == ZOOMED["width"], fragment
