"""A table grows in each workbook of others that has one: nothing but what refers to it changes, nor what cells show."""

import io
import zipfile
from pathlib import Path

from openpyxl import load_workbook

from sizebook.calculation.package import Package
from sizebook.core.errors import InputError
from sizebook.workbooks.anchors.table_rows import excel_tables, resize_table

MORE = 4
# What may say where cells are; all else of a file has no business changing.
REFERRING = ("xl/worksheets/", "xl/tables/", "xl/charts/", "xl/drawings/", "xl/pivot", "xl/comments", "xl/workbook.xml",
             "xl/threadedComments", "xl/ctrlProps", "[Content_Types].xml")  # fmt: skip
LARGEST = 60_000  # bytes; larger ones take longer and hold nothing else


def test_a_table_grows_in_every_workbook_that_has_one(shared: Path, tmp_path: Path) -> None:
    grown, refused = 0, []
    with zipfile.ZipFile(shared / "corpus" / "corpus_public.zip") as corpus:
        for info in corpus.infolist():
            content = corpus.read(info) if info.filename.endswith(".xlsx") and info.file_size < LARGEST else b""
            if b"xl/tables/" not in content:
                continue
            path = tmp_path / Path(info.filename).name
            path.write_bytes(content)
            try:
                package = Package.read(path)
                tables = excel_tables(package)
                if not tables:
                    continue
                resize_table(package, tables[0], tables[0].last - tables[0].first + 1 + MORE)
            except InputError as error:
                refused.append(str(error).partition(":")[0])
                continue
            _compare(path, package)
            grown += 1
    assert grown >= 35
    assert refused.count("table cannot grow") <= 2


def _compare(path: Path, package: Package) -> None:
    """Hold the parts of a grown workbook to those before, and its tables to the rows that were asked for."""
    before = {info.filename: data for info, data in Package.read(path).entries}
    after = {info.filename: data for info, data in package.parts()}
    assert before.keys() == after.keys()
    changed = [name for name in after if after[name] != before[name]]
    assert [name for name in changed if not name.startswith(REFERRING)] == [], path.name
    first, *_ = excel_tables(Package.read(path))
    now = next(each for each in excel_tables(package) if each.part == first.part)
    assert now.last - first.last == MORE
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, data in after.items():
            archive.writestr(name, data)
    try:
        load_workbook(path)
    except (KeyError, TypeError, ValueError, AttributeError):  # openpyxl reads not even the original
        return
    load_workbook(written)
