"""Facts read again in tables of others and on publishers' pages, from a checkout of our own making."""

import csv
import subprocess
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType

import pytest

from sizebook.core.tables import table
from tests.conftest import calibration

HELM = """
models:
  - {name: meta/llama-2-7b, access: open, release_date: 2023-07-18}
  - {name: qwen/qwen1.5-7b, access: open, release_date: 2024-02-05}
  - {name: nobody/nothing, access: open, release_date: 2024-02-05}
"""
PAGES = (
    "OpenBMB/MiniCPM,README.md,minicpm3-4b minicpm-2b,licence,Apache-2.0,Models are under Apache-2.0\n"
    "OpenBMB/MiniCPM,README.md,minicpm3-4b,licence,MIT,words that nobody wrote\n"
    "OpenBMB/MiniCPM,README.md,minicpm3-4b,licence,MIT,Models are\n"
    "nobody/nothing,README.md,minicpm3-4b,licence,MIT,words\n"
)


@pytest.fixture(scope="module")
def tables() -> ModuleType:
    return calibration("catalog_tables")


def checkout(folder: Path, name: str, path: str, text: str) -> None:
    repository = folder / name.replace("/", "+") / "repo"
    file = repository / path
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.org")
    for words in (("init", "-q"), ("add", "."), (*who, "commit", "-q", "-m", "One file")):
        subprocess.run(["git", "-C", str(repository), *words], check=True, capture_output=True)


def test_a_table_is_compared_row_by_row(tables: ModuleType, tmp_path: Path) -> None:
    checkout(tmp_path, "stanford-crfm/helm", "src/helm/config/model_metadata.yaml", HELM)
    read = list(tables.from_table(tables.Checkout(tmp_path, "stanford-crfm/helm")))
    assert [(r.key, r.fact, r.held, r.said) for r in read] == [
        ("llama-2-7b", "release_date", "2023-07-18", "2023-07-18"),
        ("qwen1.5-7b", "release_date", "2024-02-04", "2024-02-05"),
    ]
    assert all(r.source.startswith("stanford-crfm/helm@") and r.source.endswith(" model_metadata") for r in read)


def test_a_page_is_believed_only_where_it_says_the_words(
    tables: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout(tmp_path, "OpenBMB/MiniCPM", "README.md", "Models are\nunder Apache-2.0")
    pages = tmp_path / "pages.csv"
    pages.write_text("repository,path,keys,fact,value,words\n" + PAGES, encoding="utf-8")
    monkeypatch.setattr(tables, "PAGES", pages)
    read = list(tables.from_pages(tmp_path))
    assert {(r.key, r.held, r.said) for r in read} == {
        ("minicpm3-4b", "Apache-2.0", "Apache-2.0"),
        ("minicpm-2b", "Apache-2.0", "Apache-2.0"),
    }
    assert capsys.readouterr().out == (
        "left out: README.md of OpenBMB/MiniCPM does not say 'words that nobody wrote'\n"
        "left out: 'Models are' does not state the licence MIT exactly\n"
        "left out: no README.md of nobody/nothing\n"
    )


def test_every_quotation_is_of_facts_that_rows_hold(tables: ModuleType) -> None:
    rows = table("models")
    with tables.PAGES.open(encoding="utf-8", newline="") as file:
        for page in csv.DictReader(file):
            for pattern in page["keys"].split():
                assert any(row[page["fact"]] for row in rows if fnmatch(row["key"], pattern)), page
            assert tables.states(page["fact"], page["value"], page["words"]), page


@pytest.mark.parametrize(
    ("fact", "value", "words", "exactly"),
    [
        ("training_tokens", "15500000000000", "a 1T parameter model on 15.5T tokens", True),
        ("training_tokens", "15000000000000", "pretrained on ~15 trillion tokens", False),
        ("training_tokens", "15000000000000", r"pretrained on \~15 trillion tokens", False),
        ("training_tokens", "15000000000000", "pretrained on over 15 trillion tokens", False),
        ("training_tokens", "15000000000000", "15T+", False),
        ("training_tokens", "9000000000000", "Up to 9T tokens", False),
        ("training_tokens", "9000000000000", "29T tokens, 9M of them", False),
        ("context_length", "4096", "trained with 4K", False),
        ("context_length", "4096", "4,096 tokens", True),
        ("published_total", "124M", "124 million and 355 million parameters", True),
        ("published_total", "24M", "124 million", False),
        ("release_date", "2024-04-18", "Released April 18, 2024.", True),
        ("release_date", "2024-09-05", "[2024.09.05] We release", True),
        ("release_date", "2024-04-01", "Released in April 2024", False),
        ("licence", "MIT (modified)", "[Modified MIT](./LICENSE)", True),
        ("licence", "MIT", "subject to limits", False),
        ("licence", "Llama 3.2 Community", "the Llama 3.1 Community License", False),
        ("hardware", "H100-80GB", "GPU hours on H100", False),
    ],
)
def test_rough_words_state_no_fact(tables: ModuleType, fact: str, value: str, words: str, exactly: bool) -> None:
    assert tables.states(fact, value, words) is exactly
