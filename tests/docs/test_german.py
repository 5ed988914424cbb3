"""German pages say what the English ones say: the same blocks, commands, keys, headings and links."""

import re
from pathlib import Path

import pytest
from german_pages import BLOCK, english, german_pages

ROOT = Path(__file__).resolve().parents[2]


TUTORIALS = [page for page in german_pages() if page.parent.name == "tutorials"]
START = ROOT / "docs" / "de" / "start.md"


def prose(page: Path) -> str:
    """Return a page without its blocks."""
    return BLOCK.sub("", page.read_text(encoding="utf-8"))


def links(page: Path) -> list[Path]:
    """Return the files that a page links to, in order."""
    found = re.findall(r"\]\((?!https?:)([^)#]+)", prose(page))
    return [(page.parent / link).resolve() for link in found]


def test_the_front_door_and_every_tutorial_are_there_in_german() -> None:
    there = {page.name for page in (ROOT / "docs" / "tutorials").glob("*.md")}
    assert {page.name for page in TUTORIALS} == there and START.is_file()


@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_names_the_same_commands_keys_and_links(page: Path) -> None:
    theirs, ours = prose(english(page)), prose(page)
    for mark in (r"`([^`]+)`", r"(?m)^(#+ \d?)", r"(?m)^\d\.", r"(?m)^\|"):
        assert sorted(re.findall(mark, ours)) == sorted(re.findall(mark, theirs)), mark
    assert links(page) == links(english(page))


def test_the_front_door_names_the_commands_of_the_readme() -> None:
    for command in re.findall(r"`(sizebook [^`]+|pip [^`]+|=[A-Z][^`]+)`", prose(ROOT / "README.md")):
        assert f"`{command}`" in prose(START)
    assert [link for link in links(START) if not link.is_file()] == []
