"""Every command of a block `console` is run in the folder of its page, and what the page shows is what it prints.

Tutorials, which take a minute, are run by `docs/generate.py --check` in `.ci/run`.
"""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from shown_commands import pages, refreshed  # noqa: E402


@pytest.mark.parametrize(
    "page", [page for page in pages() if page.parent.name != "tutorials"], ids=lambda page: page.stem
)
def test_a_page_shows_what_its_commands_print(page: Path) -> None:
    assert refreshed(page) == page.read_text(encoding="utf-8"), "run: python docs/shown_commands.py"


def test_a_block_with_a_title_is_a_file_of_the_folder(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        '```text title="a.txt"\none\n```\n\n```console\n$ cat a.txt\ntwo\n$ sizebook call PARAMS_MHA 8\n```\n'
    )
    assert refreshed(page).endswith("```console\n$ cat a.txt\none\n$ sizebook call PARAMS_MHA 8\n288\n```\n")


def test_twenty_questions_have_an_answer_and_what_would_change_it() -> None:
    page = (ROOT / "docs" / "questions.md").read_text(encoding="utf-8")
    asked, _, unanswered = page.partition("## What it cannot answer")
    questions = asked.split("\n## ")[1:]
    assert len(questions) == 20
    for question in questions:
        assert "\n```console\n$ sizebook " in question and "\n*What would change it:* " in question, question
    assert len(unanswered.split("\n- ")) > 3
