"""Reports hold what a program can check of PDF/UA-1 and PDF/A-3u, and every check fails on a fault that is planted."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pikepdf
import pytest
from pdfua import coverage, validate

from sizebook.plans.sizing.plan import Sizing
from sizebook.reports.pdf import Attachment
from sizebook.reports.render import write_pdf
from tests.reports.accessibility import CHECKS, elements, kind
from tests.reports.test_first_pages import long_report


@pytest.fixture(scope="module")
def whole(sizing: Sizing, as_of: date, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("accessible") / "report.pdf"
    attached = [
        Attachment("scenario.toml", b'model = "x"\n', "the scenario", "Source"),
        Attachment("figures.json", b"{}", "all figures", "Data"),
        Attachment("model_sizing.xlsx", b"PK", "the workbook", "Supplement"),
    ]
    write_pdf(long_report(sizing, as_of), path, attached)
    return path


@pytest.mark.parametrize("topic", CHECKS)
def test_a_report_has_nothing_wrong(whole: Path, topic: str) -> None:
    with pikepdf.open(whole) as pdf:
        assert list(CHECKS[topic](pdf)) == []


def test_pdfua_finds_nothing_in_the_rules_that_it_knows(whole: Path) -> None:
    """It decides 16 of the 106 rules that a program can; the others are ours above, or nobody's here."""
    assert [(each.rule_id, each.message) for each in validate(str(whole)).findings] == []
    assert (coverage().covered, coverage().total) == (16, 106)


def first(pdf: pikepdf.Pdf, name: str) -> Any:
    return next(each for each in elements(pdf) if kind(each) == name)


def edit_metadata(old: bytes, new: bytes) -> Callable[[pikepdf.Pdf], None]:
    def edit(pdf: pikepdf.Pdf) -> None:
        written = pdf.Root.Metadata.read_bytes()
        assert old in written
        pdf.Root.Metadata.write(written.replace(old, new))

    return edit


def untag_text(pdf: pikepdf.Pdf) -> None:
    kept = [
        (operands, operator)
        for operands, operator in pikepdf.parse_content_stream(pdf.pages[0])
        if str(operator) not in ("BDC", "BMC", "EMC")
    ]
    pdf.pages[0].Contents = pdf.make_stream(pikepdf.unparse_content_stream(kept))


def lose_owner(pdf: pikepdf.Pdf) -> None:
    nums = pdf.Root.StructTreeRoot.ParentTree.Nums
    nums[1][0] = None


def rename_heads(pdf: pikepdf.Pdf) -> None:
    for each in elements(pdf):
        if kind(each) == "TH":
            each.ID = pikepdf.String("another")


def unembed(pdf: pikepdf.Pdf) -> None:
    for each in pdf.objects:
        if isinstance(each, pikepdf.Dictionary) and "/FontFile2" in each:
            del each["/FontFile2"]
            return


def strip_characters(pdf: pikepdf.Pdf) -> None:
    for each in pdf.objects:
        if isinstance(each, pikepdf.Dictionary) and "/ToUnicode" in each:
            del each["/ToUnicode"]
            return


def put(name: str, key: str, value: Any) -> Callable[[pikepdf.Pdf], None]:
    def edit(pdf: pikepdf.Pdf) -> None:
        first(pdf, name)[key] = value

    return edit


def drop(name: str, *keys: str) -> Callable[[pikepdf.Pdf], None]:
    """Return what deletes a key of an element, or one in its attributes."""

    def edit(pdf: pikepdf.Pdf) -> None:
        place = first(pdf, name)
        for key in keys[:-1]:
            place = place[key]
        del place[keys[-1]]

    return edit


def root(edit: Callable[[Any], None]) -> Callable[[pikepdf.Pdf], None]:
    return lambda pdf: edit(pdf.Root)


def del_key(place: Any, key: str) -> None:
    del place[key]


FAULTS: list[tuple[str, Callable[[pikepdf.Pdf], None], str]] = [
    ("metadata", edit_metadata(b'pdfuaid:part="1"', b""), "metadata without PDF/UA part 1"),
    ("metadata", edit_metadata(b'pdfaid:part="3"', b""), "metadata without PDF/A part 3"),
    ("metadata", edit_metadata(b"<pdfaSchema:prefix>pdfuaid", b"<pdfaSchema:prefix>x"), "metadata without schema of "
     "pdfuaid"),
    ("metadata", edit_metadata(b"<dc:title>", b"<dc:subject>"), "metadata without title"),
    ("metadata", edit_metadata(b"2026-11-21", b"2026-11-20"), "/CreationDate differs from xmp:CreateDate"),
    ("metadata", root(lambda found: del_key(found, "/Lang")), "no language"),
    ("metadata", root(lambda found: del_key(found, "/MarkInfo")), "not marked as tagged"),
    ("metadata", root(lambda found: del_key(found, "/ViewerPreferences")), "title not displayed"),
    ("metadata", root(lambda found: del_key(found, "/OutputIntents")), "no output intent"),
    ("tag tree", untag_text, "untagged text on page 1"),
    ("tag tree", lose_owner, "mark 0 of page 1 without an element"),
    ("tag tree", put("TR", "/S", pikepdf.Name("/P")), "P in THead"),
    ("tag tree", put("H2", "/S", pikepdf.Name("/H4")), "H4 after level 1"),
    ("tag tree", lambda pdf: del_key(pdf.pages[0], "/Tabs"), "page 1 without the order of tags"),
    ("role map", put("Table", "/S", pikepdf.Name("/Grid")), "role Grid without a standard one"),
    ("header scope", drop("TH", "/A", "/Scope"), "head without a scope"),
    ("header scope", lambda pdf: first(pdf, "TH").A.update({"/Scope": pikepdf.Name("/Row")}),
     "head of a column with another scope"),
    ("header scope", drop("TD", "/A", "/Headers"), "cell without heads that are there"),
    ("header scope", rename_heads, "cell without heads that are there"),
    ("alternative texts", drop("Figure", "/Alt"), "figure without alternative text"),
    ("alternative texts", put("Figure", "/Alt", pikepdf.String(" ")), "figure without alternative text"),
    ("alternative texts", drop("Figure", "/A"), "figure without a box"),
    ("fonts", unembed, "not embedded"),
    ("fonts", strip_characters, "without its characters"),
    ("attachments", root(lambda found: del_key(found, "/AF")), "scenario.toml not among the associated files"),
    ("attachments", lambda pdf: del_key(pdf.Root.AF[0], "/AFRelationship"), "scenario.toml without what it is to the "
     "report"),
    ("attachments", lambda pdf: del_key(pdf.Root.AF[0].EF.F, "/Params"), "scenario.toml without kind or day"),
]  # fmt: skip


@pytest.mark.parametrize(("topic", "plant", "said"), FAULTS, ids=[f"{fault[0]}: {fault[2]}" for fault in FAULTS])
def test_a_planted_fault_is_found(
    whole: Path, tmp_path: Path, topic: str, plant: Callable[[pikepdf.Pdf], None], said: str
) -> None:
    with pikepdf.open(whole) as pdf:
        plant(pdf)
        pdf.save(tmp_path / "fault.pdf")
    with pikepdf.open(tmp_path / "fault.pdf") as pdf:
        found = list(CHECKS[topic](pdf))
    assert any(said in each for each in found), found


def test_every_topic_has_a_planted_fault() -> None:
    assert {topic for topic, _, _ in FAULTS} == set(CHECKS)
