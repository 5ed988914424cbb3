"""The documentation reads well: short paragraphs, a bounded length, links that lead somewhere."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
REPOSITORY = "https://github.com/sizebook/sizebook/blob/main/"
PICTURES = "https://raw.githubusercontent.com/sizebook/sizebook/main/"
# Written by programs from tables of data, for looking things up.
GENERATED = {
    "accuracy",
    "api_prices_table",
    "architectures",
    "catalog",
    "columns",
    "functions",
    "licences",
    "scenario_keys",
}
WRITTEN = [
    page
    for page in (README, ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md")))
    if "de" not in page.parts
    and page.stem not in GENERATED
    and page.parent.name != "functions"
    and not page.stem.endswith("_table")
    and page.name != "seeds.template.md"
]


def paragraphs(text: str) -> list[str]:
    """Return what is read in one breath: paragraphs and items of lists, without code, tables and headings."""
    text = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text)
    return [part.strip() for part in parts if part.strip() and not re.match(r"\s*[|#\[<]", part)]


@pytest.mark.parametrize("page", [*WRITTEN, *(DOCS / "de").rglob("*.md")], ids=lambda page: page.stem)
def test_no_paragraph_is_longer_than_ninety_words(page: Path) -> None:
    long = {part[:60]: n for part in paragraphs(page.read_text(encoding="utf-8")) if (n := len(part.split())) > 90}
    assert long == {}


def test_the_pages_stay_short() -> None:
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in WRITTEN) <= 45_000


def test_the_readme_is_read_in_a_minute() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    assert "make demo" in text and "make test" in text


def test_links_of_the_readme_are_whole_and_lead_to_files() -> None:
    """The package index knows no other page, so none may be relative."""
    text = README.read_text(encoding="utf-8")
    named = dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", text, re.MULTILINE))
    assert set(re.findall(r"\]\[([^\]]+)\]", text)) == named.keys()
    assert re.findall(r"\]\((?!https://)[^)]*\)", text) == []
    for address in named.values():
        path, _, anchor = re.sub(f"^({REPOSITORY}|{PICTURES})", "", address).partition("#")
        assert (ROOT / path).is_file(), address
        assert not anchor or f"# {anchor.replace('-', ' ')}" in (ROOT / path).read_text(encoding="utf-8").lower()


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: page.stem)
def test_every_column_has_a_name(page: Path) -> None:
    """A reader who hears a page needs one."""
    heads = re.findall(r"(?m)^(\|.*\|)\n\|[-:|]+\|$", page.read_text(encoding="utf-8"))
    assert [head for head in heads if re.search(r"\|\s*\|", head)] == []


def test_every_page_has_a_place_in_the_navigation() -> None:
    text = re.sub(r"!!\S+", "", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    shown = set(re.findall(r"[\w/]+\.md", str(yaml.safe_load(text)["nav"]))) - {"index.md"}
    there = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md") if ".template" not in page.name}
    there |= {str(page.relative_to(DOCS).with_suffix(".md")) for page in DOCS.rglob("*.ipynb")}
    assert shown == there
