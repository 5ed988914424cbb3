"""The table of the page: order, filters, columns, keys."""

import json

from playwright.sync_api import Page

from sizebook.models import catalog
from tests.dashboard.driving import check, names, opened, total


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
    counted = sorted((key for key in names(page) if catalog.facts(key)["architecture"]), key=total)
    page.click('.tabulator-col[tabulator-field="total"]')
    assert [total(key) for key in names(page)[: len(counted)]] == [total(key) for key in reversed(counted)]
    page.focus('.tabulator-col[tabulator-field="total"]')
    page.keyboard.press("Enter")
    assert [total(key) for key in names(page)[: len(counted)]] == [total(key) for key in counted]
    assert page.get_attribute('.tabulator-col[tabulator-field="total"]', "aria-sort") == "ascending"
    assert "sort=total" in page.url


@check
def filters_add_up(page: Page, address: str) -> None:
    opened(page, address)
    page.fill('[name="q"]', "qwen")
    page.fill('[name="max"]', "40B")
    page.select_option('[name="licence"]', "Apache-2.0")
    page.click('.chip[data-feature="experts"]')
    wanted = {
        key
        for key in catalog.model_keys()
        if "qwen" in " ".join(catalog.facts(key)[c] for c in ("key", "name", "family", "organisation", "hf_id")).lower()
        and catalog.facts(key)["licence"] == "Apache-2.0"
        and catalog.facts(key)["architecture"]
        and total(key) <= 40e9
        and catalog.counted(key).parts["router"]
    }
    assert set(names(page)) == wanted and wanted
    assert page.inner_text("#shown") == f"{len(wanted)} of {len(catalog.model_keys())} models"
    page.click("#clear")
    assert len(names(page)) == len(catalog.model_keys())
    page.fill('[name="max"]', "many")
    assert page.get_attribute('[name="max"]', "aria-invalid") == "true"
    assert page.inner_text("#said") == "Not a size: got 'many', want a number such as 7B. Correct it."
    page.fill('[name="q"]', "nothing at all")
    assert page.locator(".tile").all_inner_texts() == [
        f"Models\n0\nof {len(catalog.model_keys())}", "Counted exactly\n0",
        "As their publisher states\n–\nno statement to compare",
        "Median size\n–\nparameters", "Largest\n–", "With experts\n–\n0 models",
    ]  # fmt: skip
    told, table = (page.locator(each).bounding_box() for each in (".tabulator-placeholder-contents", "#table"))
    middles = [each["x"] + each["width"] / 2 for each in (told, table) if each]
    assert len(middles) == 2 and abs(middles[0] - middles[1]) < 10


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
