"""The page of errors lists what the source says, by its first words, with what is filled in left open."""

import ast
import re
from pathlib import Path

import errors_page as errors_page_module
import pytest
from errors_page import MESSAGE, errors_page, words

ROOT = Path(__file__).resolve().parents[2]


def test_a_message_that_tells_nobody_what_to_do_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "two.py").write_text(
        'f"corrupt entry: got {got}, want {want}. {fix}"\n'
        'f"busy: got {n} at work in {place}, want fewer. Ask again later."\n'
        'f"busy: got {place}, want fewer. Ask again later."\n'
    )
    monkeypatch.setattr(errors_page_module, "SOURCE", tmp_path)
    assert errors_page().splitlines()[-1:] == ["| busy | … at work in … | fewer | Ask again later. |"]
    assert "corrupt" not in errors_page()


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
