"""The page of the web service in headless Chromium: a scenario is uploaded, its report is shown, the API is linked."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, sync_playwright

from tests.dashboard.driving import CHROMIUM, SWITCHES
from tests.web.load import service

pytestmark = pytest.mark.ci

SCENARIO = 'model = "gpt-2-small"\ndtype = "bf16"\ntitle = "Small"\nas_of = 2026-11-21\n'
SLOW = 300_000  # milliseconds that a busy machine may take for a report


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with service(tmp_path_factory.mktemp("web")) as (found, _):
        yield found


@pytest.fixture
def page(address: str) -> Iterator[Page]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        made = browser.new_page()
        made.set_default_timeout(SLOW)
        made.goto(address)
        yield made
        browser.close()


def sent(page: Page, folder: Path, scenario: str) -> None:
    (folder / "s.toml").write_text(scenario, encoding="utf-8")
    page.set_input_files("input[type=file]", folder / "s.toml")
    page.click("text=Plan it")


def test_an_uploaded_scenario_is_shown_as_its_report(page: Page, address: str, tmp_path: Path) -> None:
    sent(page, tmp_path, SCENARIO)
    page.wait_for_url(f"{address}/reports")
    assert page.text_content("h1") == "Small"
    assert page.is_visible("text=124\u202f439\u202f808")


def test_what_was_wrong_stands_above_the_form(page: Page, tmp_path: Path) -> None:
    sent(page, tmp_path, 'model = "llama-9"\n')
    assert page.text_content("[role=alert]") == (
        "unknown model: got 'llama-9', want a key that 'sizebook models' lists, or the name of a Hugging Face "
        "repository in it. Did you mean 'llama-7b'?"
    )
    assert page.is_visible("text=Plan it")


def test_a_workbook_is_saved_and_the_description_is_linked(page: Page, address: str, tmp_path: Path) -> None:
    page.select_option("select", "xlsx")
    with page.expect_download() as saved:
        sent(page, tmp_path, SCENARIO)
    assert saved.value.path().read_bytes()[:2] == b"PK"
    with page.expect_navigation():
        page.click("text=What the service answers")
    assert page.url == f"{address}/openapi.json" and '"/plans"' in page.content()
