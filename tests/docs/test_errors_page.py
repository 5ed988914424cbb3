"""The page of errors lists what the source says, by its first words, with what is filled in left open."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from errors_page import MESSAGE, errors_page  # noqa: E402


def test_the_page_is_what_the_source_says() -> None:
    page = (ROOT / "docs" / "errors_table.md").read_text(encoding="utf-8")
    assert page == errors_page(), "run: python docs/generate.py docs/errors_table.md"
    assert "| argument given twice | it once | Remove one. |" in page.splitlines()


def test_a_message_falls_into_problem_wish_and_fix() -> None:
    found = MESSAGE.fullmatch("does not fit: got 1.0 GB too much, want room for one request. Raise tp, pp or ep.")
    assert found and found.groupdict() == {
        "problem": "does not fit",
        "got": "1.0 GB too much",
        "want": "room for one request",
        "fix": "Raise tp, pp or ep.",
    }
    assert MESSAGE.fullmatch("does not fit: got 1.0 GB too much") is None
