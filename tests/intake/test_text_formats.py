"""JSON, TOML and CSV that lie, repeat themselves or never end: one line each, in time that grows with their size."""

import json
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.errors import InputError
from sizebook.intake.text_formats import csv_rows, json_object, toml_table
from tests.intake.test_files import refusal


def parsed(text: str | bytes) -> dict[str, Any]:
    return json_object(text.encode() if isinstance(text, str) else text, "x.json", "a config.json")


def test_what_is_honest_is_read_as_it_stands() -> None:
    text = '{"a": [1, -2.5, 1e400, NaN, null, true, "\\ud83d\\ude00"], "b": {"a": {}}, "c": 123456789012345678901}'
    assert repr(parsed(text)) == repr(json.loads(text))
    assert parsed(b"\xef\xbb\xbf{}") == {}
    for text in ('{"a\\":": 1, "b": ["\\":", " :"], "c" :{}}', '{"a":' * 100 + "1" + "}" * 100):
        assert parsed(text) == json.loads(text)


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


def test_toml_with_dots_where_they_belong(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text('a.b.c = 1\ntext = "' + "a." * 500 + '"\n', encoding="utf-8-sig")
    assert toml_table(path, "a scenario file") == {"a": {"b": {"c": 1}}, "text": "a." * 500}


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
