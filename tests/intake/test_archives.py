"""Workbooks that unpack to more than they should, or declare what no workbook may."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook

from sizebook.calculation.package import MAIN, Package, tag
from sizebook.core.errors import InputError
from sizebook.intake.archives import archive
from sizebook.sources.worksheets import sheet_rows
from tests.intake.test_files import refusal

NO_WORKBOOK = (
    "not a workbook: got w.xlsx, want an .xlsx or .xlsm file without a password. Save it in that format from Excel."
)
OPEN = "Open and save it in Excel."


@pytest.fixture
def book(tmp_path: Path) -> Path:
    made = Workbook()
    made.active.append(["model", "dtype"])
    made.active.append(["gpt-2", "bf16"])
    made.save(tmp_path / "ok.xlsx")
    return tmp_path / "ok.xlsx"


def edited(book: Path, **parts: bytes | None) -> Path:
    """Return the workbook with parts replaced, added, or left out where None."""
    path = book.with_name("w.xlsx")
    changed = {name.replace("__", "/").replace("_dot_", "."): data for name, data in parts.items()}
    with zipfile.ZipFile(book) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            data = changed.pop(info.filename, old.read(info))
            if data is not None:
                new.writestr(info.filename, data)
        for name, data in changed.items():
            new.writestr(name, data or b"")
    return path


@pytest.mark.parametrize(
    ("part", "content", "message"),
    [
        ("[Content_Types].xml", None, "damaged workbook: got no [Content_Types].xml in w.xlsx, "
         f"want that part. {OPEN}"),
        ("xl/styles.xml", None, "damaged workbook: got no xl/styles.xml, to which xl/workbook.xml refers in w.xlsx, "
         f"want that part. {OPEN}"),
        ("xl/styles.xml", b"<a/>", "damaged workbook: got <a> as the root of xl/styles.xml in w.xlsx, "
         f"want <styleSheet>. {OPEN}"),
        ("xl/worksheets/sheet1.xml", b"<a/>", "damaged workbook: got <a> as the root of xl/worksheets/sheet1.xml in "
         f"w.xlsx, want <worksheet>. {OPEN}"),
        ("xl/worksheets/sheet1.xml", b"<!DOCTYPE r SYSTEM 'http://example.org/x'><worksheet/>",
         "damaged workbook: got a document type in xl/worksheets/sheet1.xml of w.xlsx, want XML without one. "
         f"{OPEN[:-1]}; do not open it if you do not know where it is from."),
        ("xl/media/image1.png", bytes(3_000_000), "packed too tightly: got 3000000 bytes out of N for "
         "xl/media/image1.png in w.xlsx, want at most 250 for one. If you trust the file, raise the limit: "
         "--limit zip_ratio=N, or SIZEBOOK_LIMITS=zip_ratio=N."),
    ],
    ids=["no content types", "no styles", "styles of another root", "sheet of another root", "document type", "bomb"],
)  # fmt: skip
def test_what_excel_would_call_damaged_is_refused(book: Path, part: str, content: bytes | None, message: str) -> None:
    path = edited(book, **{part: content})
    assert re.sub(r"out of \d+", "out of N", refusal(lambda: Package.read(path))) == message


def test_number_and_size_of_parts_are_limited(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIZEBOOK_LIMITS", "zip_parts=3")
    assert refusal(lambda: Package.read(book)).startswith("too large: got 9 parts in ok.xlsx, want at most 3. If you ")
    monkeypatch.setenv("SIZEBOOK_LIMITS", "zip_bytes=1000")
    assert refusal(lambda: Package.read(book)).startswith("too large: got ")
    assert "unpacked bytes in ok.xlsx, want at most 1000. If you" in refusal(lambda: list(sheet_rows(book)))


def test_a_part_that_stands_twice(book: Path) -> None:
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile(book, "a") as grown:
        grown.writestr("xl/styles.xml", b"<a/>")
    assert refusal(lambda: Package.read(book)) == (
        f"damaged workbook: got the part xl/styles.xml twice in ok.xlsx, want each once. {OPEN}"
    )


@pytest.mark.parametrize("step", [97, 311, 997])
def test_flipped_bits_end_in_a_result_or_one_refusal(book: Path, step: int) -> None:
    content = bytearray(book.read_bytes())
    for at in range(500, len(content) - 500, step):
        content[at] ^= 0xFF
    path = book.with_name("w.xlsx")
    path.write_bytes(content)
    assert refusal(lambda: Package.read(path)) == NO_WORKBOOK
    assert refusal(lambda: list(sheet_rows(path))) == NO_WORKBOOK


def test_a_size_that_the_directory_understates_is_not_unpacked(book: Path) -> None:
    path = edited(book, **{"xl/media/x.bin": b"\0" * 500_000})
    content = bytearray(path.read_bytes())
    at = content.rindex(b"PK\x01\x02")
    content[at + 24 : at + 28] = (10).to_bytes(4, "little")
    path.write_bytes(content)
    assert refusal(lambda: Package.read(path)) == NO_WORKBOOK
    with pytest.raises(InputError), archive(path, "a workbook") as found:
        found.read("xl/media/x.bin")


def test_a_sheet_that_claims_a_million_columns_is_read_as_wide_as_its_heads(book: Path) -> None:
    with zipfile.ZipFile(book) as found:
        sheet = found.read("xl/worksheets/sheet1.xml")
    assert b'"A1:B2"' in sheet
    path = edited(book, **{"xl/worksheets/sheet1.xml": sheet.replace(b'"A1:B2"', b'"A1:XFD1048576"')})
    assert list(sheet_rows(path)) == [["model", "dtype"], ["gpt-2", "bf16"]]


def test_a_cell_without_a_head_is_not_dropped(tmp_path: Path) -> None:
    made = Workbook()
    for row in (["model", None], ["gpt-2", None], ["gpt-2", "bf16"]):
        made.active.append(row)
    made.save(tmp_path / "t.xlsx")
    assert refusal(lambda: list(sheet_rows(tmp_path / "t.xlsx"))) == (
        "too many cells: got 2 in row 3 of t.xlsx, want at most 1, one for each head. "
        "Give the column a head, or empty the cell."
    )


def test_the_root_of_a_sheet_is_looked_for_once(tmp_path: Path) -> None:
    """With 20 sheets it was looked for 881 times in a fill, which took longer than all else."""
    made = Workbook()
    made.create_sheet("Two")
    made.save(tmp_path / "book.xlsx")
    package = Package.read(tmp_path / "book.xlsx")
    assert list(package.sheets()) == ["Sheet", "Two"]
    whole, package.entries = package.entries, []
    assert {package.root(f"xl/worksheets/sheet{number}.xml") for number in (1, 2)} == {tag("worksheet")}
    package.entries = whole
    package.put("xl/worksheets/sheet2.xml", f"<chartsheet xmlns='{MAIN}'/>".encode())
    assert list(package.sheets()) == ["Sheet"]


@pytest.mark.parametrize("part", ["xl/theme/theme1.xml", "xl/drawings/vmlDrawing1.vml", "docProps/app.xml"])
def test_a_document_type_is_refused_in_parts_that_are_only_passed_on(book: Path, part: str) -> None:
    path = edited(book, **{part: b"<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"})
    assert refusal(lambda: Package.read(path)) == (
        f"damaged workbook: got a document type in {part} of w.xlsx, want XML without one. "
        f"{OPEN[:-1]}; do not open it if you do not know where it is from."
    )


def test_a_workbook_of_very_many_names_is_refused(book: Path) -> None:
    with zipfile.ZipFile(book) as found:
        workbook = found.read("xl/workbook.xml")
    name = b'<definedName name="n%d">1</definedName>'
    names = b"<definedNames>" + b"".join(name % n for n in range(50_001)) + b"</definedNames>"
    assert b"<definedNames" in workbook
    changed = re.sub(rb"<definedNames\s*/>|<definedNames>.*?</definedNames>", names, workbook)
    path = edited(book, **{"xl/workbook.xml": changed})
    assert refusal(lambda: Package.read(path)) == (
        "too large: got 50001 defined names in w.xlsx, want at most 50000. If you trust the file, raise the limit: "
        "--limit defined_names=N, or SIZEBOOK_LIMITS=defined_names=N."
    )
