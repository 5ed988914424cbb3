"""Facts read again in tables of others and on publishers' pages, from a checkout of our own making."""

import subprocess
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType

import pytest

from sizebook.core.tables import table
from tests.conftest import calibration
from tests.csv_files import rows_of
from tests.row_lists import listed

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
    for page in rows_of(tables.PAGES):
        for pattern in page["keys"].split():
            assert any(row[page["fact"]] for row in rows if fnmatch(row["key"], pattern)), page
        assert tables.states(page["fact"], page["value"], page["words"]), page


@pytest.mark.parametrize(*listed("models", "test_rough_words_state_no_fact"))
def test_rough_words_state_no_fact(tables: ModuleType, fact: str, value: str, words: str, exactly: bool) -> None:
    assert tables.states(fact, value, words) is exactly
