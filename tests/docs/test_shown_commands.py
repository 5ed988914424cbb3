"""Commands of a block `console` run in the folder of their page; `docs/generate.py --check` runs those of all pages.

So it does with every generated page, the stub and the schema: `.ci/run` begins with it.
"""

from pathlib import Path

from shown_commands import refreshed

ROOT = Path(__file__).resolve().parents[2]


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
