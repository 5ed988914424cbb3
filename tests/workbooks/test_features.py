"""A fill changes the cells that it was asked to change: every other part comes back byte for byte."""

import re
import threading
from pathlib import Path

import pytest

from sizebook.core.errors import InputError
from sizebook.workbooks.filling import fill
from tests.refused import message_of
from tests.row_lists import listed
from tests.workbooks.features import CHART, FEATURES, PICTURE, Feature, build, parts

SHEET = "xl/worksheets/sheet1.xml"


def filled(tmp_path: Path, *features: Feature, x: object = 3) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """Fill the made-up workbook; return its parts before and after."""
    template = build(tmp_path / "template.xlsx", *features)
    fill(template, {"x": x}, tmp_path / "out.xlsx")
    return parts(template), parts(tmp_path / "out.xlsx")


def elements(sheet: bytes) -> list[str]:
    """The tags of a sheet with their attributes, in order, but for the values of A1 and B1."""
    return re.findall(r"<[^?/][^>]*>", re.sub(r'<c r="[AB]1".*?</c>', "", sheet.decode()))


@pytest.mark.parametrize("name", FEATURES)
def test_every_part_that_was_not_asked_about_stays(name: str, tmp_path: Path) -> None:
    before, after = filled(tmp_path, FEATURES[name])
    assert list(after) == list(before)
    changed = {part for part in before if before[part] != after[part]}
    assert changed == {SHEET, "xl/charts/chartEx1.xml"} & set(before)
    assert elements(after[SHEET]) == elements(before[SHEET])
    assert re.search(rb'<c r="A1"[^>]*><v>3</v></c><c r="B1"[^>]*><f>A1\*2</f><v>6</v></c>', after[SHEET])


def test_a_signed_workbook_is_refused(tmp_path: Path) -> None:
    signed = Feature(
        {"_xmlsignatures/origin.sigs": b"", "_xmlsignatures/sig1.xml": "<Signature/>"},
        [("", "http://schemas.openxmlformats.org/package/2006/relationships/digital-signature/origin",
          "_xmlsignatures/origin.sigs", "")],
    )  # fmt: skip
    template = build(tmp_path / "signed.xlsx", signed)
    assert message_of(InputError, fill, template, {"x": 3}, tmp_path / "out.xlsx") == (
        "signed workbook: got signed.xlsx with a digital signature, which filling would break, want one without. "
        "Remove the signature in Excel (File > Info), and sign what was filled."
    )
    assert not (tmp_path / "out.xlsx").exists()


def test_a_waterfall_shows_the_new_numbers(tmp_path: Path) -> None:
    _, after = filled(tmp_path, FEATURES["waterfall chart"], x=2.5)
    level = re.search(rb"<cx:lvl.*</cx:lvl>", after["xl/charts/chartEx1.xml"])
    assert level is not None
    assert level[0] == (
        b'<cx:lvl ptCount="2" formatCode="General"><cx:pt idx="0">2.5</cx:pt><cx:pt idx="1">5</cx:pt></cx:lvl>'
    )


@pytest.mark.parametrize(*listed("workbooks", "test_number_caches_hold_numbers"))
def test_number_caches_hold_numbers(x: float, cells: str, numbers: list[str], texts: list[str], tmp_path: Path) -> None:
    _, after = filled(tmp_path, CHART, Feature(cells=cells), x=x)
    chart = after["xl/charts/chart1.xml"].decode()
    found = {kind: re.search(rf"<c:{kind}>.*</c:{kind}>", chart) for kind in ("numCache", "strCache")}
    shown = {kind: re.findall(r"<c:v>([^<]*)</c:v>", match[0]) for kind, match in found.items() if match}
    assert shown == {"numCache": numbers, "strCache": texts}
    assert '<c:formatCode>0.0</c:formatCode><c:ptCount val="3"/>' in chart


def test_a_cache_that_says_the_same_in_other_words_stays(tmp_path: Path) -> None:
    before, after = filled(tmp_path, CHART, x=1)
    assert b"<c:v>1.0</c:v>" in before["xl/charts/chart1.xml"]
    assert after["xl/charts/chart1.xml"] == before["xl/charts/chart1.xml"]


@pytest.mark.parametrize("stored", ['<c r="C1"><v>7</v></c>', '<c r="C1" t="str"><f>"n/a"</f><v>n/a</v></c>'])
def test_a_point_whose_cell_did_not_change_stays_left_out(stored: str, tmp_path: Path) -> None:
    _, after = filled(tmp_path, CHART, Feature(cells=stored), x=3)
    chart = after["xl/charts/chart1.xml"].decode()
    assert re.findall(r'<c:pt idx="(.)"><c:v>([^<]*)</c:v>', chart) == [("0", "3"), ("1", "6")] * 2


def numbers_after(tmp_path: Path, before: str, *, in_sheet: str = "") -> str:
    """Return what a cache of A1 to C1 holds once A1 is 3, where C1 holds 7 all along."""
    chart = str(CHART.parts["xl/charts/chart1.xml"])
    chart = re.sub("(<c:numCache>).*(</c:numCache>)", rf"\g<1>{before}\2", chart)
    cells = Feature({"xl/charts/chart1.xml": chart}, cells='<c r="C1"><v>7</v></c>', in_sheet=in_sheet)
    _, after = filled(tmp_path, cells, x=3)
    found = re.search("<c:numCache>(.*)</c:numCache>", after["xl/charts/chart1.xml"].decode())
    assert found is not None
    return found[1]


def test_a_changed_point_keeps_its_number_format_and_a_stale_one_beside_it_its_value(tmp_path: Path) -> None:
    before = '<c:ptCount val="3"/><c:pt idx="0" formatCode="0%"><c:v>{}</c:v></c:pt>{}'
    stale = '<c:pt idx="2"><c:v>99</c:v></c:pt><c:extLst/>'
    made = '<c:pt idx="1"><c:v>6</c:v></c:pt>'
    assert numbers_after(tmp_path, before.format(1, stale)) == before.format(3, made + stale)


def test_points_are_numbered_without_a_hidden_column(tmp_path: Path) -> None:
    """A cache may leave cells that are not drawn out, and out of its count."""
    cache = '<c:ptCount val="2"/><c:pt idx="0"><c:v>{}</c:v></c:pt><c:pt idx="1"><c:v>7</c:v></c:pt>'
    hidden = '<cols><col min="1" max="1" hidden="1"/></cols>'
    assert numbers_after(tmp_path, cache.format(2), in_sheet=hidden) == cache.format(6)


def test_a_picture_in_a_cell_keeps_its_place(tmp_path: Path) -> None:
    _, after = filled(tmp_path, FEATURES["in-cell image"])
    assert b'<c r="D1" t="e" vm="1"><v>#VALUE!</v></c>' in after[SHEET]
    assert after["xl/media/image1.png"] == PICTURE


def test_a_fill_beside_another_thread_gives_the_same(tmp_path: Path) -> None:
    alone = filled(tmp_path, FEATURES["LAMBDA name"])[1]
    (tmp_path / "beside").mkdir()
    waiting = threading.Event()
    thread = threading.Thread(target=waiting.wait)  # with it the calculation runs in a process that cannot be a fork
    thread.start()
    try:
        beside = filled(tmp_path / "beside", FEATURES["LAMBDA name"])[1]
    finally:
        waiting.set()
        thread.join()
    assert beside == alone
