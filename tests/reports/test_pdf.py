"""The sizing report as a file: its text, tags, fonts, bookmarks and that equal reports are equal files."""

import os
import subprocess
import sys
from datetime import date
from pathlib import Path

import pypdf
import pytest

from sizebook.core.errors import InputError
from sizebook.plans.sizing.plan import Sizing
from sizebook.reports.render import report_date, write_pdf
from sizebook.reports.sizing.report import report
from tests.refused import message_of


def test_first_page_leads_with_model_date_and_figures(pages: list[str]) -> None:
    first = pages[0]
    for text in (
        "Model sizing report",
        "21 November 2026",
        "Llama-3.1-8B holds 8 030 261 248 parameters. Stored in bf16, its weights take 16.1 GB (15.0 GiB).",
        "The count equals the published one to the last parameter.",
        "Feed-forward blocks: 5.64 B of 8.03 B",
    ):
        assert text in first


def test_parts_are_printed_exactly_and_add_up(pages: list[str]) -> None:
    # 32 x (2 x 4096^2 + 2 x 1024 x 4096), 32 x 3 x 14336 x 4096, 128256 x 4096 and (2 x 32 + 1) x 4096, by hand.
    parts = ("1 342 177 280", "5 637 144 576", "525 336 576", "525 336 576", "266 240")
    assert sum(int(part.replace(" ", "")) for part in parts) == 8_030_261_248
    for part in (*parts, "8 030 261 248"):
        assert part in pages[1]


def test_derivations_show_formula_and_numbers(pages: list[str]) -> None:
    last = " ".join(pages[2:])
    assert "32 × (2 × 4096 × 4096 + 2 × 1024 × 4096)" in last
    assert "total × bits per weight / 8" in last
    assert "8 030 261 248 × 16 / 8" in last


def test_pages_are_numbered_in_the_footer(pages: list[str]) -> None:
    assert [f"Page {n} of {len(pages)}" in text for n, text in enumerate(pages, 1)] == [True] * len(pages)


def test_bookmarks_are_title_and_topics(pdf: Path) -> None:
    outline = pypdf.PdfReader(pdf).outline
    assert outline[0].title == "Llama-3.1-8B"
    assert [mark.title for mark in outline[1]] == [
        "Parameters",
        "Memory",
        "Published count",
        "Derivation",
        "Notes",
        "Glossary",
    ]


def test_metadata_says_pdf_ua_title_and_language(pdf: Path) -> None:
    reader = pypdf.PdfReader(pdf)
    assert reader.metadata.title == "Llama-3.1-8B: model sizing report"
    assert reader.trailer["/Root"]["/Lang"] == "en"
    assert reader.trailer["/Root"]["/MarkInfo"]["/Marked"]
    xmp = reader.trailer["/Root"]["/Metadata"].get_object().get_data()
    assert b"pdfuaid:part" in xmp
    assert str(reader.pages[0].mediabox[2:]) == "[595.275591, 841.889764]"  # A4 in points


def test_fonts_are_the_shipped_ones_and_embedded(pdf: Path) -> None:
    fonts = {
        (str(font["/BaseFont"]).partition("+")[2], "/FontFile2" in font["/DescendantFonts"][0]["/FontDescriptor"])
        for page in pypdf.PdfReader(pdf).pages
        for font in (reference.get_object() for reference in page["/Resources"]["/Font"].values())
    }
    assert {name for name, _ in fonts} == {"Inter", "Inter-Semi-Bold", "JetBrains-Mono", "JetBrains-Mono-Semi-Bold"}
    assert all(embedded for _, embedded in fonts)


def test_no_glyph_is_missing(pages: list[str]) -> None:
    assert not set("\ufffd\u25a1\x00") & set("".join(pages))


def test_equal_reports_are_equal_files(pdf: Path, sizing: Sizing, tmp_path: Path, as_of: date) -> None:
    again = tmp_path / "again.pdf"
    write_pdf(report(sizing, as_of), again)
    assert again.read_bytes() == pdf.read_bytes()
    assert [path.name for path in tmp_path.iterdir()] == ["again.pdf"]


def test_name_that_is_no_pdf_is_refused(sizing: Sizing, as_of: date, tmp_path: Path) -> None:
    path = tmp_path / "report.xlsx"
    assert (
        message_of(InputError, lambda: write_pdf(report(sizing, as_of), path))
        == f"cannot write: got '{path}', want the name of a .pdf file. Correct the path."
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["pdf", "html"])
def test_a_report_leaves_nothing_in_the_temporary_folder(kind: str, tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    (tmp_path / "s.toml").write_text(
        'plan = "sizing"\nmodel = "gpt-2-small"\ntitle = "\u0645\u0631\u062d\u0628\u0627"\n'
    )
    words = [sys.executable, "-m", "sizebook", "report", "s.toml", "-o", f"r.{kind}"]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    subprocess.run(words, cwd=tmp_path, env=environment, check=True, capture_output=True)
    assert (tmp_path / f"r.{kind}").stat().st_size > 10_000
    assert list(temporary.iterdir()) == []


def test_date_is_the_given_one_or_that_of_the_build(monkeypatch: pytest.MonkeyPatch, as_of: date) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert report_date().isoformat() == "2023-11-14"
    assert report_date(as_of) == as_of
