"""What every kind of report has: a page for who decides, contents where it is long, a glossary, both sheets."""

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pypdf
import pytest

from sizebook.plans.sizing.plan import Sizing
from sizebook.reports.document import Prose, Report, Section, Table
from sizebook.reports.glossary import TERMS, glossary
from sizebook.reports.render import pdf
from sizebook.reports.sizing.report import report
from sizebook.reports.style import Style


def long_report(sizing: Sizing, as_of: date) -> Report:
    """A report of more than eight pages: each of nine sections more begins one."""
    shown = report(sizing, as_of)
    sections = tuple(Section(f"Topic {n}", f"Message {n}", (Prose("Words."),), new_page=True) for n in range(1, 10))
    return replace(shown, sections=(*shown.sections, *sections))


@pytest.fixture(scope="module")
def with_contents(sizing: Sizing, as_of: date, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("long") / "long.pdf"
    path.write_bytes(pdf(long_report(sizing, as_of)))
    return path


def test_contents_name_every_section_with_its_page(with_contents: Path) -> None:
    pages = [" ".join(page.extract_text().split()) for page in pypdf.PdfReader(with_contents).pages]
    assert pages[1].startswith("Contents")
    for n in range(1, 10):
        (at,) = (place for place, words in enumerate(pages, 1) if f"Message {n}" in words)
        assert re.search(rf"Topic {n}[ .]+{at}(?!\d)", pages[1]), (n, at, pages[1])


def test_short_reports_have_no_contents(pages: list[str]) -> None:
    assert len(pages) <= 8
    assert not any("Contents" in page for page in pages)


def test_letter_is_as_wide_in_text_as_a4(sizing: Sizing, as_of: date, tmp_path: Path) -> None:
    path = tmp_path / "letter.pdf"
    path.write_bytes(pdf(report(sizing, as_of), style=Style(page="letter")))
    reader = pypdf.PdfReader(path)
    assert [float(each) for each in reader.pages[0].mediabox[2:]] == [612, 792]
    first = " ".join(reader.pages[0].extract_text().split())
    assert "Feed-forward blocks: 5.64 B of 8.03 B" in first and "Page 1 of" in first


def test_the_first_page_is_a_page_of_its_own(pages: list[str]) -> None:
    assert "Parameters by part, exact" not in pages[0]
    assert "Parameters by part, exact" in pages[1]


def test_a_glossary_has_the_terms_that_occur(sizing: Sizing, as_of: date) -> None:
    shown = report(sizing, as_of)
    (section,) = glossary(shown)
    (table,) = section.blocks
    assert isinstance(table, Table)
    assert [row.cells[0] for row in table.rows] == ["cache", "GiB", "int4", "token"]
    assert glossary(replace(shown, sections=(), sentences=("", "", ""), tiles=(), chart=replace(shown.chart, bars=()),
                            subtitle="", warnings=())) == ()  # type: ignore[call-arg]  # fmt: skip


def test_a_term_is_declared_once_and_found_as_a_word() -> None:
    names = [term.name.casefold() for term in TERMS]
    assert names == sorted(names) and len(set(names)) == len(names)
    found = {term.name: term for term in TERMS}
    assert found["TP"].pattern.search("tp, pp and dp") and not found["TP"].pattern.search("TPOT of a step")
    assert not found["PP"].pattern.search("Approved")
