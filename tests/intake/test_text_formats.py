"""JSON, TOML and CSV that lie, repeat themselves or never end: one line each, in time that grows with their size."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import InputError
from sizebook.intake.text_formats import csv_rows, json_object, toml_table
from tests.intake.test_files import refusal

DEPTH = "If you trust the file, raise the limit: --limit depth=N, or SIZEBOOK_LIMITS=depth=N."
TOO_DEEP = f"nested too deep: got more than 100 levels in s.toml, want at most 100. {DEPTH}"
AGAIN = "Correct the file, or download it again."


def parsed(text: str | bytes) -> dict[str, Any]:
    return json_object(text.encode() if isinstance(text, str) else text, "x.json", "a config.json")


def test_what_is_honest_is_read_as_it_stands() -> None:
    text = '{"a": [1, -2.5, 1e400, NaN, null, true, "\\ud83d\\ude00"], "b": {"a": {}}, "c": 123456789012345678901}'
    assert repr(parsed(text)) == repr(json.loads(text))
    assert parsed(b"\xef\xbb\xbf{}") == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1, "b": 2, "a": 1}', f"duplicate key: got 'a' twice in x.json, want each once. {AGAIN}"),
        ('{"x": [{"k": 1, "k": 2}]}', f"duplicate key: got 'k' twice in x.json, want each once. {AGAIN}"),
        ('{"a" : 1, "a" : 1}', f"duplicate key: got 'a' twice in x.json, want each once. {AGAIN}"),
        ('{"a" : 1, "b": "\\":", "a" : 1}', f"duplicate key: got 'a' twice in x.json, want each once. {AGAIN}"),
        ('{"\\":": 1, "\\":": 1}', f"duplicate key: got '\":' twice in x.json, want each once. {AGAIN}"),
        ('{"a": {"x": 1}, "a": [{}]}', f"duplicate key: got 'a' twice in x.json, want each once. {AGAIN}"),
        ('{"a\\":": 1, "b": ["\\":", " :"], "c" :{}}', None),
        ("[1]", f"not an object: got a list in x.json, want a config.json. {AGAIN}"),
        ("", "not JSON: got Expecting value: line 1 column 1 (char 0) in x.json, want a config.json. " + AGAIN),
        ('{"a": "\\ud800"}', f"not text: got surrogates not allowed in x.json, want whole characters. {AGAIN}"),
        ('{"a": -' + "9" * 310 + "}", "number too long: got 310 digits in x.json, want at most 309. Correct it."),
        (b'{"\xff": 1}', "not UTF-8: got byte 0xff in line 1 of x.json, want a config.json in UTF-8. "
         "Save it in that encoding."),
        ('{"a":' * 100 + "1" + "}" * 100, None),
        ('{"a":' * 101 + "1" + "}" * 101, f"nested too deep: got more than 100 levels in x.json, want at most 100. "
         f"{DEPTH}"),
        ("[" * 100_000, f"nested too deep: got more than 100 levels in x.json, want at most 100. {DEPTH}"),
    ],
    ids=lambda value: str(value)[:30],
)  # fmt: skip
def test_json_is_refused_in_one_line(text: str | bytes, message: str | None) -> None:
    if message is None:
        parsed(text)
    else:
        assert refusal(lambda: parsed(text)) == message


def test_a_long_number_is_found_wherever_it_stands() -> None:
    for before in range(400):
        key, digits = "k" * before, "7" * 310
        with pytest.raises(InputError, match=r"^number too long: got 310 digits in x\.json, want at most 309"):
            json_object(f'{{"{key}": {digits}}}'.encode(), "x.json", "a config")


def test_long_digits_within_a_text_are_no_number() -> None:
    assert parsed('{"serial": "' + "7" * 5000 + '"}') == {"serial": "7" * 5000}


def test_keys_are_counted_over_the_whole_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIZEBOOK_LIMITS", "keys=3")
    assert parsed('{"a": {"b": 1}, "c": 2}') == {"a": {"b": 1}, "c": 2}
    assert refusal(lambda: parsed('{"a": {"b": 1}, "c": {"d": 2}}')) == (
        "too many keys: got more than 3 in x.json, want at most that. If you trust the file, raise the limit: "
        "--limit keys=N, or SIZEBOOK_LIMITS=keys=N."
    )


def test_a_key_twice_among_very_many_is_found() -> None:
    # Quadratic search took minutes here; the suite's own limit of time is the assertion.
    text = "{" + ",".join(f'"k{at}":1' for at in range(300_000)) + ',"k299999":2}'
    assert refusal(lambda: parsed(text)).startswith("duplicate key: got 'k299999' twice in x.json")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = " + "[" * 10_000 + "]" * 10_000, TOO_DEEP),
        ("a" + ".a" * 200_000 + " = 1", TOO_DEEP),
        ("[t" + " . 'b'" * 200_000 + "]", TOO_DEEP),
        ("x = " + "9" * 10_000, "number too long: got 10000 digits in s.toml, want at most 309. Correct it."),
        ("x = 1\nx = 2", "not TOML: got Cannot overwrite a value (at end of document) in s.toml, "
         "want key = value lines. Correct that line."),
    ],
    ids=["lists", "dotted key", "dotted table", "digits", "key twice"],
)  # fmt: skip
def test_toml_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(text)
    assert refusal(lambda: toml_table(path, "a scenario file")) == message


def test_toml_with_dots_where_they_belong(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text('a.b.c = 1\ntext = "' + "a." * 500 + '"\n', encoding="utf-8-sig")
    assert toml_table(path, "a scenario file") == {"a": {"b": {"c": 1}}, "text": "a." * 500}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,a\n1,2\n", "column given twice: got a more than once in t.csv, want each name once. Remove or rename one."),
        ("a\n" + "x" * 200_000 + "\n", "not CSV: got field larger than field limit (131072) after line 1 of t.csv, "
         "want a table. Mend that line."),
        ("a,b\n1,2\n1,024,3\n", "too many cells: got 3 in line 3 of t.csv, want 2, one for each head. "
         "Put quotes round a cell that holds a comma, and write numbers without separators."),
    ],
)  # fmt: skip
def test_csv_is_refused_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert refusal(lambda: list(csv_rows(path, "a table"))) == message


def test_csv_with_comments_and_missing_cells(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("# of us\na,b\n1,2\n3\n")
    assert list(csv_rows(path, "a table", comments=True)) == [{"a": "1", "b": "2"}, {"a": "3", "b": None}]


def test_a_refusal_never_quotes_more_than_a_line_holds() -> None:
    error = InputError("bad key: got '" + "x" * 10_000 + "', want\n" + "one, " * 5_000 + "two. Mend it.")
    first, second = str(error).splitlines()
    assert first.startswith("bad key: got 'xxx") and "(10003 characters)" in first and first.endswith("x', want")
    assert "... (25013 characters) ..." in second and second.endswith("two. Mend it.")
    assert max(len(first), len(second)) <= 1_400
