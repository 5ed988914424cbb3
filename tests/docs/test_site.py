"""The site: built strictly, whole in a folder, found by its search, readable by all, and as Markdown for machines."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Page, sync_playwright

from tests.commands import python
from tests.dashboard.driving import CHROMIUM, SWITCHES, WIDE

pytestmark = pytest.mark.ci
ROOT = Path(__file__).resolve().parents[2]
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
SEARCH = "input.md-search__input"
NAVIGATION = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
PAGES = re.findall(r"[:-] ([\w/]+)\.md$", NAVIGATION, re.MULTILINE)
OPEN_SEARCH = """(box => { box.checked = true; box.dispatchEvent(new Event("change")) })(
    document.querySelector("#__search"))"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    words, known = ("build", "--quiet", "--site-dir", folder), {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = python("-m", "mkdocs", *words, cwd=ROOT, env=known)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.fixture(scope="module")
def page(site: Path) -> Iterator[Page]:
    """A browser that the network is closed to."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=SWITCHES)
        opened = browser.new_page(viewport=WIDE)
        asked: list[str] = []
        opened.on("request", lambda request: asked.append(request.url))
        yield opened
        assert [address for address in asked if not address.startswith(("file:", "data:", "blob:", "about:"))] == []
        browser.close()


def test_machines_get_every_page_as_markdown(site: Path) -> None:
    listed = re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", (site / "llms.txt").read_text(encoding="utf-8"), re.MULTILINE)
    pages = {str(path.relative_to(site).with_suffix(".md")) for path in site.rglob("*.html")} - {"404.md"}
    assert set(listed) == pages
    assert [name for name in listed if not (site / name).read_text(encoding="utf-8").startswith("# ")] == []


def test_the_list_for_machines_follows_the_navigation(site: Path) -> None:
    text = (site / "llms.txt").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^## (.+)$", text) == re.findall(r"(?m)^  - (\w+):", NAVIGATION)
    assert re.findall(r"\]\((\S+)\.md\): ", text) == PAGES  # each with a sentence
    titles = re.findall(r"(?m)^- \[([^\]]+)\]", text)
    assert len(set(titles)) == len(titles) == len(PAGES)
    assert "- [Functions: energy](functions/energy.md): EMBODIED_CO2E_KG, MARKET_CO2E_KG, " in text
    assert "(errors_table.md): A message says `problem: got X, want Y. Fix.`" in text
    assert re.findall(r"(?m)do not edit|\): Written |\): `=", text) == []


def test_what_a_reader_takes_along_lies_in_the_site(site: Path) -> None:
    for page in ("index", "reports", "workbooks", "samples_table", "tutorials/excel", "de/tutorials/excel"):
        text = (site / f"{page}.html").read_text(encoding="utf-8")
        taken = re.findall(r'href="([^"]+\.(?:xlsx|pdf|toml))"', text)
        assert taken, page
        assert [link for link in taken if not ((site / page).parent / link).is_file()] == [], page


def test_other_links_out_of_the_folder_lead_to_the_repository(site: Path) -> None:
    text = (site / "python.html").read_text(encoding="utf-8")
    assert 'href="https://github.com/sizebook/sizebook/blob/main/' in text
    assert "https://github.com/sizebook/sizebook/blob/main/docs/" not in (site / "index.html").read_text("utf-8")


def test_search_finds_each_of_the_twenty_questions(site: Path, page: Page) -> None:
    page.goto((site / "index.html").as_uri())
    questions = re.findall(r"(?m)^## (.+\?)$", (site / "questions.md").read_text(encoding="utf-8"))
    assert len(questions) == 20
    for question in questions:
        page.evaluate(OPEN_SEARCH)
        page.fill(SEARCH, re.sub(r"[?.,]", "", question), force=True)
        page.dispatch_event(SEARCH, "keyup")
        found = page.locator(".md-search-result__item").filter(has_text=question)
        found.first.wait_for(state="attached")
        first_two = page.locator(".md-search-result__item").all_inner_texts()[:2]
        assert any("Twenty questions" in each for each in first_two), (question, first_two)


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(site: Path, page: Page, name: str) -> None:
    page.goto((site / f"{name}.html").as_uri())
    page.locator("nav.md-nav[data-named]").first.wait_for(state="attached")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("axe.run({ resultTypes: ['violations'] }).then((result) => result.violations)")
    assert [(each["id"], each["nodes"][0]["html"][:200]) for each in found] == []
