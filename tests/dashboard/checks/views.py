"""What stands around the table: cards, comparison, exports, links, charts, prices."""

import csv
import io
import tempfile
from pathlib import Path

import openpyxl
from playwright.sync_api import Page

from sizebook.core import cells
from sizebook.core.tables import table
from sizebook.dashboard.html_page import write_page
from sizebook.dashboard.own_models import models_of_table
from sizebook.models import catalog
from tests.dashboard.driving import check, copied, names, opened, settled, total


@check
def a_card_shows_where_a_count_comes_from(page: Page, address: str) -> None:
    opened(page, address, "q=llama-3.1-8b")
    page.hover(".tabulator-row .model")
    page.wait_for_selector("#hover:not([hidden])")
    said = page.inner_text("#hover")
    assert "SiLU(x W) * (x V)" in said and "8\u2009030\u2009261\u2009248" in said and "Published 8B" in said
    assert f"Paper or page: {catalog.facts('llama-3.1-8b')['link'].removeprefix('https://')}" in said
    page.click(".tabulator-row button.name")
    settled(page)
    whole = page.inner_text("#panel")
    # Grouped heads: query and output 4096 x 4096, key and value 1024 x 4096, in 32 layers.
    assert "32 × (2 × 4096 × 4096 + 2 × 1024 × 4096)" in whole and "1\u2009342\u2009177\u2009280" in whole
    given = catalog.facts("llama-3.1-8b")
    weights = [f"https://huggingface.co/{name}" for name in given["hf_id"].split(";")]
    links = page.eval_on_selector_all("#panel a", "(all) => all.map((each) => each.getAttribute('href'))")
    assert links == [given["link"], *weights] and "https" not in whole.partition("Weights")[2]
    page.keyboard.press("Escape")
    settled(page)
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
def six_models_are_compared_and_no_seventh(page: Page, address: str) -> None:
    opened(page, address, "sort=name&q=opt")
    page.focus(".tabulator-row button.name")
    for _ in range(7):
        page.keyboard.press("c")
        page.keyboard.press("ArrowDown")
        settled(page)
    assert page.evaluate("state.compare.length") == 6
    page.click('[data-view="compare"]')
    assert page.locator(".compared thead button.name").count() == 6
    shown = page.locator(".compared tbody tr", has_text="Parameters").first.locator("td").all_inner_texts()
    keys = page.evaluate("state.compare")
    assert [int(text.replace("\u2009", "")) for text in shown] == [total(key) for key in keys]


@check
def exports_hold_what_is_shown(page: Page, address: str) -> None:
    opened(page, address, "family=llama-3.1&sort=-total&columns=total~d_ff~licence")
    with page.expect_download() as waiting:
        page.click("#export-csv")
    rows = list(csv.DictReader(io.StringIO(Path(waiting.value.path()).read_text(encoding="utf-8"))))
    wanted = sorted(catalog.model_keys("llama-3.1"), key=total, reverse=True)
    assert [row["key"] for row in rows] == wanted
    assert [int(row["total"]) for row in rows] == [total(key) for key in wanted]
    with page.expect_download() as waiting:
        page.click("#export-xlsx")
    sheet = openpyxl.load_workbook(io.BytesIO(Path(waiting.value.path()).read_bytes())).active
    assert sheet is not None
    lines = [[cell.value for cell in line] for line in sheet.iter_rows()]
    assert lines[0] == ["Key", "Model", "Parameters", "d_ff", "Licence"]
    assert sheet.auto_filter.ref == f"A1:E{len(wanted) + 1}"
    assert [line[0] for line in lines[1:]] == wanted
    assert [line[2] for line in lines[1:]] == [total(key) for key in wanted]
    assert lines[1][3] == cells.call("MODEL_SPEC", wanted[0], "d_ff")


@check
def it_opens_on_its_first_tab_and_a_link_on_its_own(page: Page, address: str) -> None:
    shown = "[state.view, ...[...document.querySelectorAll('main > section:not([hidden])')].map((each) => each.id)]"
    for fragment, view in (("", "fit"), ("view=models", "models"), ("sort=name", "models"), ("view=market", "market")):
        opened(page, address, fragment)
        assert page.evaluate(shown) == [view, f"view-{view}"], fragment
    opened(page, address, "")
    page.click('[data-view="models"]')
    assert page.url.endswith("#view=models")  # so that a copied link opens what it was copied from


@check
def a_link_restores_what_was_shown(page: Page, address: str) -> None:
    opened(page, address)
    page.fill('[name="q"]', "mistral")
    page.click('.chip[data-feature="experts"]')
    page.click('.tabulator-col[tabulator-field="active"]')
    page.click("#theme")
    link, before = page.url, names(page)
    opened(page, link, "")
    assert names(page) == before and before
    assert page.input_value('[name="q"]') == "mistral"
    assert page.get_attribute('.chip[data-feature="experts"]', "aria-pressed") == "true"
    assert page.get_attribute("html", "data-theme") == "dark"
    # What the link filtered away is not lost.
    page.click("#clear")
    assert sorted(names(page)) == sorted(catalog.model_keys())
    opened(page, address, "family=llama-3.1")
    assert page.input_value('[name="family"]') == "llama-3.1"
    opened(page, address, "columns=total~nonsense&model=no-such-model")
    assert page.inner_text("#said") == "The link names what this page does not know: nonsense, no-such-model. Left out."
    opened(page, address, "separator=%7C&family=Nobody&min=lots&to=2026&theme=blue&fn=NO_SUCH")
    assert page.evaluate("[state.separator, state.family, state.min, state.to, state.theme, state.fn]") == [
        ",", "", "", "", "", "PARAMS_MHA",
    ]  # fmt: skip
    assert page.inner_text("#said") == (
        "The link names what this page does not know: lots, 2026, Nobody, blue, |, NO_SUCH. Left out."
    )


@check
def a_link_holds_any_name(page: Page, _address: str) -> None:
    """Own models are named as their owner likes: with the signs of links, lists in them, markup and formulas."""
    names_given = ['A~B & C#1%7E+"x"', "=cmd", "<b>Ω</b>"]
    with tempfile.TemporaryDirectory() as folder:
        table_given = Path(folder) / "my.csv"
        with table_given.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["name", "organisation"], *([name, f"{name} ~"] for name in names_given)])
        address = write_page(models_of_table(table_given)[0], Path(folder) / "own.html").as_uri()
        keys = [f"own:{name}" for name in names_given]
        opened(page, address)
        for key in keys:
            page.evaluate("(key) => toggleCompared(key)", key)
        page.select_option('[name="organisation"]', f"{names_given[0]} ~")
        opened(page, page.url + "&view=compare", "")
        assert page.evaluate("state.compare") == keys and names(page) == keys[:1]
        assert page.locator(".compared thead button.name").all_inner_texts() == names_given
        for asked, said in (
            ("=CMD", "=cmd is in the comparison already."),
            ("none", "No model of this page: got 'none', want a name or key of the list. Choose one."),
        ):
            page.fill('[name="add"]', asked)
            page.keyboard.press("Enter")
            assert page.inner_text("#said") == said


@check
def a_link_of_rubbish_opens_the_page(page: Page, address: str) -> None:
    # Names that every object of JavaScript has, bytes that are no text, days that no calendar has.
    asked = {
        "sort=__proto__": "__proto__",
        "sort=-constructor": "-constructor",
        "model=constructor": "constructor",
        "compare=__proto__~toString": "__proto__, toString",
        "columns=valueOf": "valueOf",
        "fn=__proto__&view=calculator": "__proto__",
        "fn=constructor&view=calculator": "constructor",
        "from=9999-99-99": "9999-99-99",
    }
    for fragment, unknown in asked.items():
        opened(page, address, fragment)
        said = f"The link names what this page does not know: {unknown}. Left out."
        assert page.inner_text("#said") == said, fragment
        assert len(names(page)) == len(catalog.model_keys())
    opened(page, address, "%&q=%E0%A4%A&args=__proto__=1&view=calculator")
    assert page.inner_text("#call") == "=PARAMS_MHA()"


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
def accelerators_and_prices_are_searched(page: Page, address: str) -> None:
    opened(page, address, "view=market")
    page.fill('[name="find-gpus"]', "h100 sxm")
    page.wait_for_function("tables.gpus.getRows('active').length === 1")
    row = page.evaluate("tables.gpus.getRows('active')[0].getData()")
    assert (row["memory_bytes"], row["peak_bf16_flop_per_s"]) == (80, 989.4)
    assert row["price"] == cells.call("PRICE_USD_PER_GPU_HOUR", "h100-sxm")
    assert page.evaluate("tables.prices.getRows().length") == len(table("prices"))
