"""The page of errors lists what the source says, by its first words, with what is filled in left open."""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from errors_page import MESSAGE, errors_page, words  # noqa: E402


def test_the_page_is_what_the_source_says() -> None:
    page = (ROOT / "docs" / "errors_table.md").read_text(encoding="utf-8")
    assert page == errors_page(), "run: python docs/generate.py docs/errors_table.md"
    assert "| argument given twice | it once | Remove one. |" in page.splitlines()


def test_every_page_and_table_that_a_text_names_is_there() -> None:
    found = set()
    for path in (ROOT / "src" / "sizebook").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.Module(tree.body[1:], [])):  # what describes a module may cite another project
            if isinstance(node, ast.JoinedStr | ast.Constant):
                found |= set(re.findall(r"\b(?:docs|data)/[\w/]+\.(?:md|csv|toml|json)\b", words(node)))
    places = {name: ROOT / ("src/sizebook" if name.startswith("data") else "") / name for name in found}
    assert {"docs/functions.md", "docs/reports.md", "data/engines.csv", "data/catalogs.toml"} <= found
    assert [name for name, place in places.items() if not place.is_file()] == []


def test_a_message_falls_into_problem_wish_and_fix() -> None:
    found = MESSAGE.fullmatch("does not fit: got 1.0 GB too much, want room for one request. Raise tp, pp or ep.")
    assert found and found.groupdict() == {
        "problem": "does not fit",
        "got": "1.0 GB too much",
        "want": "room for one request",
        "fix": "Raise tp, pp or ep.",
    }
    assert MESSAGE.fullmatch("does not fit: got 1.0 GB too much") is None
