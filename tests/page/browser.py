"""The page in headless Chromium: `python -m tests.page.browser`, apart from pytest because it needs a browser.

Each check drives the page as a reader would, and compares with figures of Python or of the workbook that it exports.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import axe_playwright_python
import openpyxl
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from sizebook.core import cells
from sizebook.core.errors import SizebookError
from sizebook.core.registry import Function
from sizebook.core.tables import table
from sizebook.dashboard.page import write_page
from sizebook.dashboard.rows import published
from sizebook.functions import load
from sizebook.models import catalog
from tests.points import drawn

CHROMIUM = os.environ.get("SIZEBOOK_CHROMIUM", "/usr/bin/chromium")
SWITCHES = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
N_POINTS = 10_000
CHECKS: list[Callable[[Page, str], None]] = []


def check(function: Callable[[Page, str], None]) -> Callable[[Page, str], None]:
    """Have a function run on a fresh page of its own."""
    CHECKS.append(function)
    return function


def opened(page: Page, address: str, fragment: str = "") -> None:
    page.goto("about:blank")
    page.goto(f"{address}#{fragment}" if fragment else address)
    page.wait_for_selector("body[data-ready]")


def names(page: Page) -> list[str]:
    """Return the keys of the rows in their order, those out of sight included."""
    found: list[str] = page.evaluate("table.getRows('active').map((row) => row.getData().key)")
    return found


def copied(page: Page) -> str:
    page.wait_for_selector("body[data-copied]")
    return str(page.evaluate("document.body.dataset.copied"))


@check
def every_model_stands_newest_first(page: Page, address: str) -> None:
    opened(page, address)
    assert sorted(names(page)) == sorted(catalog.model_keys())
    days = page.evaluate("table.getRows('active').map((row) => row.getData().release_date)")
    known = [day for day in days if day]
    assert known == sorted(known, reverse=True) and days[len(known) :] == [None] * (len(days) - len(known))


@check
def headings_sort_by_mouse_and_key(page: Page, address: str) -> None:
    opened(page, address)
    counted = sorted((key for key in names(page) if catalog.facts(key)["architecture"]), key=_total)
    page.click('.tabulator-col[tabulator-field="total"]')
    assert [_total(key) for key in names(page)[: len(counted)]] == [_total(key) for key in reversed(counted)]
    page.focus('.tabulator-col[tabulator-field="total"]')
    page.keyboard.press("Enter")
    assert [_total(key) for key in names(page)[: len(counted)]] == [_total(key) for key in counted]
    assert page.get_attribute('.tabulator-col[tabulator-field="total"]', "aria-sort") == "ascending"
    assert "sort=total" in page.url


def _total(key: str) -> int:
    return catalog.counted(key).total


@check
def filters_add_up(page: Page, address: str) -> None:
    opened(page, address)
    page.fill('[name="q"]', "qwen")
    page.fill('[name="max"]', "10B")
    page.select_option('[name="licence"]', "Apache-2.0")
    page.click('.chip[data-feature="experts"]')
    wanted = {
        key
        for key in catalog.model_keys()
        if "qwen" in " ".join(catalog.facts(key)[c] for c in ("key", "name", "family", "organisation", "hf_id")).lower()
        and catalog.facts(key)["licence"] == "Apache-2.0"
        and catalog.facts(key)["architecture"]
        and _total(key) <= 10e9
        and catalog.counted(key).parts["router"]
    }
    assert set(names(page)) == wanted
    assert page.inner_text("#shown") == f"{len(wanted)} of {len(catalog.model_keys())} models"
    page.click("#clear")
    assert len(names(page)) == len(catalog.model_keys())
    page.fill('[name="max"]', "many")
    assert page.get_attribute('[name="max"]', "aria-invalid") == "true"
    assert page.inner_text("#said") == "Not a size: got 'many', want a number such as 7B. Correct it."


@check
def dates_leave_out_models_without_one(page: Page, address: str) -> None:
    opened(page, address)
    page.fill('[name="from"]', "2019-01-01")
    page.fill('[name="to"]', "2019-12-31")
    days = [catalog.facts(key)["release_date"] for key in names(page)]
    wanted = [row for key in catalog.model_keys() if (row := catalog.facts(key)["release_date"]).startswith("2019")]
    assert sorted(days) == sorted(wanted) and wanted


@check
def columns_are_chosen(page: Page, address: str) -> None:
    opened(page, address)
    shown = "[...document.querySelectorAll('.tabulator-col')].map((each) => each.getAttribute('tabulator-field'))"
    assert "gpu_hours" not in page.evaluate(shown)
    page.click("#choose-columns")
    page.check('#columns input[value="gpu_hours"]')
    page.uncheck('#columns input[value="d_ff"]')
    page.keyboard.press("Escape")
    assert "gpu_hours" in page.evaluate(shown) and "d_ff" not in page.evaluate(shown)
    assert "gpu_hours" in page.url


@check
def a_card_shows_where_a_count_comes_from(page: Page, address: str) -> None:
    opened(page, address, "q=llama-3.1-8b")
    page.hover(".tabulator-row .model")
    page.wait_for_selector("#hover:not([hidden])")
    said = page.inner_text("#hover")
    assert "SiLU(x W) * (x V)" in said and "8\u2009030\u2009261\u2009248" in said and "Published 8B" in said
    page.click(".tabulator-row button.name")
    whole = page.inner_text("#panel")
    # Grouped heads: query and output 4096 x 4096, key and value 1024 x 4096, in 32 layers.
    assert "32 × (2 × 4096 × 4096 + 2 × 1024 × 4096)" in whole and "1\u2009342\u2009177\u2009280" in whole
    assert page.get_attribute("#panel a", "href") == catalog.facts("llama-3.1-8b")["link"]
    page.keyboard.press("Escape")
    assert not page.is_visible("#panel") and "model=" not in page.url


@check
def formulas_are_copied_in_the_readers_locale(page: Page, address: str) -> None:
    opened(page, address, "q=llama-3.1-8b")
    page.focus(".tabulator-row button.name")
    page.keyboard.press("f")
    assert copied(page) == '=PARAMS_MODEL("llama-3.1-8b")'
    page.select_option('[name="separator"]', ";")
    page.keyboard.press("Tab")
    page.click(".tabulator-row button.name")
    page.click('#panel button[aria-label="Copy formula of Cache a token, Llama 3.1 8B"]')
    assert copied(page) == '=KV_CACHE_BYTES("llama-3.1-8b";8192)/8192'


@check
def arrow_keys_walk_the_rows(page: Page, address: str) -> None:
    opened(page, address)
    keys = names(page)
    page.focus('.tabulator-row button.name[tabindex="0"]')
    focused = "document.activeElement.dataset.key"
    page.keyboard.press("ArrowDown")
    page.wait_for_function(f"{focused} === {json.dumps(keys[1])}")
    page.keyboard.press("End")
    page.wait_for_function(f"{focused} === {json.dumps(keys[-1])}")
    page.keyboard.press("Enter")
    assert page.inner_text("#panel-title") == catalog.facts(keys[-1])["name"]


@check
def six_models_are_compared_and_no_seventh(page: Page, address: str) -> None:
    opened(page, address, "sort=name&q=opt")
    page.focus(".tabulator-row button.name")
    for _ in range(7):
        page.keyboard.press("c")
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(60)
    assert page.evaluate("state.compare.length") == 6
    page.click('[data-view="compare"]')
    assert page.locator(".compared thead button.name").count() == 6
    shown = page.locator(".compared tbody tr", has_text="Parameters").first.locator("td").all_inner_texts()
    keys = page.evaluate("state.compare")
    assert [int(text.replace("\u2009", "")) for text in shown] == [_total(key) for key in keys]


@check
def exports_hold_what_is_shown(page: Page, address: str) -> None:
    opened(page, address, "family=llama-3.1&sort=-total&columns=total~d_ff~licence")
    with page.expect_download() as waiting:
        page.click("#export-csv")
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
    wanted = sorted(catalog.model_keys("llama-3.1"), key=_total, reverse=True)
    assert [row["key"] for row in rows] == wanted
    assert [int(row["total"]) for row in rows] == [_total(key) for key in wanted]
    with page.expect_download() as waiting:
        page.click("#export-xlsx")
    sheet = openpyxl.load_workbook(io.BytesIO(Path(waiting.value.path()).read_bytes())).active
    assert sheet is not None
    lines = [[cell.value for cell in line] for line in sheet.iter_rows()]
    assert lines[0] == ["Key", "Model", "Parameters", "d_ff", "Licence"]
    assert [line[0] for line in lines[1:]] == wanted
    assert [line[2] for line in lines[1:]] == [_total(key) for key in wanted]
    assert lines[1][3] == cells.call("MODEL_SPEC", wanted[0], "d_ff")


@check
def a_link_restores_what_was_shown(page: Page, address: str) -> None:
    opened(page, address)
    page.fill('[name="q"]', "mistral")
    page.click('.chip[data-feature="experts"]')
    page.click('.tabulator-col[tabulator-field="active"]')
    page.click("#theme")
    link, before = page.url, names(page)
    opened(page, link)
    assert names(page) == before and before
    assert page.input_value('[name="q"]') == "mistral"
    assert page.get_attribute('.chip[data-feature="experts"]', "aria-pressed") == "true"
    assert page.get_attribute("html", "data-theme") == "dark"
    opened(page, address, "columns=total~nonsense&model=no-such-model")
    assert page.inner_text("#said") == "The link names what this page does not know: nonsense, no-such-model. Left out."


@check
def charts_draw_the_filtered_rows(page: Page, address: str) -> None:
    opened(page, address, "view=charts")
    page.wait_for_selector("#charts[data-drawn]")
    page.wait_for_function("document.querySelectorAll('#charts svg').length === 6")
    page.evaluate("change({ family: 'llama-3.1' })")
    page.wait_for_function("document.querySelector('#charts').dataset.drawn === '3'")
    assert page.inner_text("#chart-size .message") == "The largest is Llama 3.1 405B with 406B parameters"
    assert page.locator("#chart-size .mark-symbol path").count() == 3
    page.evaluate("change({ q: 'nothing at all' })")
    assert page.inner_text("#chart-size .message") == "No model here has both figures"


@check
def the_calculator_is_the_function(page: Page, address: str) -> None:
    """Every example and 10,000 random points: the value of Python, and a refusal where Python refuses."""
    opened(page, address)
    closed = [function for function in load().values() if function.formula]
    each = math.ceil(N_POINTS / len(closed))
    apart, n_values, n_refused, n_exact = [], 0, 0, 0
    for function in closed:
        rng = random.Random(function.name)
        asked = [dict(function.example[0]), *({a.name: drawn(a, rng) for a in function.arguments} for _ in range(each))]
        wanted = [_value(function, given) for given in asked]
        found = page.evaluate("([name, asked]) => asked.map((given) => evaluated(name, given))", [function.name, asked])
        assert same(wanted[0], function.example[1]), (function.name, wanted[0])
        for given, python, browser in zip(asked, wanted, found, strict=True):
            n_values, n_refused = n_values + (python is not None), n_refused + (python is None)
            n_exact += python is not None and browser.get("value") == python
            if ("problem" in browser) != (python is None) or not (python is None or same(browser["value"], python)):
                apart.append((function.name, given, python, browser))
    print(f"  {n_values} values ({n_exact} to the last bit) and {n_refused} refusals of {len(closed)} functions")
    assert not apart, (len(apart), apart[:5])


def _value(function: Function, given: dict[str, Any]) -> Any:
    try:
        return cells.evaluate(function, [given.get(argument.name) for argument in function.arguments])
    except SizebookError:
        return None


def same(found: float, wanted: float) -> bool:
    """Browsers count in doubles: of a count the digits beyond 2^53 differ, of other numbers the 16th."""
    return math.isclose(found, wanted, rel_tol=1e-12, abs_tol=0)


@check
def a_call_is_built_and_explained(page: Page, address: str) -> None:
    opened(page, address, "view=calculator")
    page.fill('[name="find"]', "attention bias")
    page.click('#function-list button:has-text("PARAMS_ATTENTION")')
    assert page.inner_text("#call") == "=PARAMS_ATTENTION(12288,96,128,,FALSE)"
    assert page.inner_text(".answer strong").replace("\u2009", "") == "603979776"
    assert "2 * 12288 * 128 * (96 + 96) + 0 * (128 * (96 + 2 * 96) + 12288)" in page.inner_text(".explained")
    page.fill('#arguments [name="n_kv_heads"]', "7")
    assert page.inner_text(".problem") == (
        "condition not met: got 96 = 7 * floor(96 / 7), want n_heads = n_kv_heads * floor(n_heads / n_kv_heads). "
        "Correct the arguments."
    )
    page.fill('#arguments [name="d_model"]', "-3")
    with_python = page.inner_text(".problem")
    with pytest.raises(SizebookError) as refused:
        cells.call("PARAMS_ATTENTION", -3, 96, 128)
    assert with_python == str(refused.value)
    opened(page, address, "view=calculator&fn=TPOT_SECONDS&args=model%3Dllama-3.1-8b%26gpu%3Dh100-sxm%26tp%3D2")
    assert page.inner_text("#call") == '=TPOT_SECONDS("llama-3.1-8b","h100-sxm","tp=2")'
    opened(page, address, "view=calculator&fn=MFU&separator=%3B")
    page.fill("#arguments input >> nth=0", "0.5")
    assert page.inner_text("#call").startswith("=MFU(0,5")


@check
def accelerators_and_prices_are_searched(page: Page, address: str) -> None:
    opened(page, address, "view=market")
    page.fill('[name="find-gpus"]', "h100 sxm")
    page.wait_for_function("tables.gpus.getRows('active').length === 1")
    row = page.evaluate("tables.gpus.getRows('active')[0].getData()")
    assert (row["memory_bytes"], row["peak_bf16_flop_per_s"]) == (80, 989.4)
    assert row["price"] == cells.call("PRICE_USD_PER_GPU_HOUR", "h100-sxm")
    assert page.evaluate("tables.prices.getRows().length") == len(table("prices"))


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


# Views with a part of their own to judge.
ACCESSIBLE = ["view=calculator", "view=calculator&fn=SERVING_LEDGER", "view=market"]


@check
def a_phone_shows_it_without_scrolling_sideways(page: Page, address: str) -> None:
    page.set_viewport_size(PHONE)
    for fragment in ("", "view=charts", "model=mixtral-8x7b", "view=compare&compare=llama-3.1-8b~gpt-2", *ACCESSIBLE):
        opened(page, address, fragment)
        page.wait_for_timeout(200)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], fragment


def run(browser: Browser, address: str) -> int:
    """Run every check on a page of its own; return how many failed."""
    failed = 0
    for each in CHECKS:
        context = browser.new_context(viewport=WIDE, accept_downloads=True)
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


def _only_local(address: str, told: list[str]) -> None:
    if not address.startswith(("file:", "data:", "blob:", "about:")):
        told.append(f"asked the network for {address}")


def main() -> None:
    load()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = write_page(published(), Path(folder) / "page.html")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        failed = run(browser, page.as_uri())
        browser.close()
    print(f"{len(CHECKS) - failed} of {len(CHECKS)} checks of the page passed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
