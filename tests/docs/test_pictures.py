"""No picture of the documentation is older than what it shows."""

import sys
import zipfile
from pathlib import Path

import pictures
import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_every_picture_has_its_line_in_the_record() -> None:
    drawn = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.png")}
    assert {each.name for each in pictures.pictures()} == set(pictures.recorded()) == drawn


def test_a_workbook_has_another_digest_once_a_part_has_changed(tmp_path: Path) -> None:
    first, again, other = (tmp_path / f"{name}.xlsx" for name in ("first", "again", "other"))
    for path, text, compression in (
        (first, "8030261248", zipfile.ZIP_STORED),
        (again, "8030261248", zipfile.ZIP_DEFLATED),
        (other, "8030261249", zipfile.ZIP_STORED),
    ):
        with zipfile.ZipFile(path, "w", compression) as archive:
            archive.writestr("xl/worksheets/sheet1.xml", text)
    digests = [pictures.digest_of_workbook(str(path)) for path in (first, again, other)]
    assert digests[0] == digests[1] != digests[2]


def test_a_picture_older_than_its_workbook_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    book = pictures.Picture("workbooks/model_sizing.png", "workbooks/model_sizing.xlsx", lambda _: "new", lambda _: b"")
    monkeypatch.setattr(pictures, "pictures", lambda: [book])
    monkeypatch.setattr(pictures, "recorded", lambda: {book.name: "old"})
    monkeypatch.setattr(sys, "argv", ["pictures.py", "--check"])
    assert pictures.main() == 1
    assert capsys.readouterr().out == (
        "older than workbooks/model_sizing.xlsx: docs/workbooks/model_sizing.png. Run 'make generated'.\n"
    )
    monkeypatch.setattr(pictures, "recorded", lambda: {book.name: "new"})
    assert (pictures.main(), capsys.readouterr().out) == (0, "")
