"""Terms of the field in plain words, one a row of `glossary.csv`; a report prints those that occur in it."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from sizebook.core.tables import read
from sizebook.core.texts import text
from sizebook.reports.document import Report, Row, Section, Table, headings, section, texts_of


@dataclass(frozen=True)
class Term:
    """A term, what it means, and how it is found where its own letters do not do (a regular expression)."""

    name: str
    meaning: str
    found_by: str = ""

    @property
    def pattern(self) -> re.Pattern[str]:
        """What finds the term in an English text: its letters as a whole word, where nothing else is said."""
        return re.compile(self.found_by or rf"\b{re.escape(self.name)}\b")


def _term(term: str, translated: str, meaning: str, found_by: str) -> Term:
    return Term(text(term) if translated else term, text(meaning), found_by)


TERMS = tuple(_term(**row) for row in read(Path(__file__).with_suffix(".csv")))


def glossary(report: Report, said: Callable[[str], str] = str) -> tuple[Section, ...]:
    """Return the terms that occur in a report's own words, in the order of the alphabet; none where none does.

    ``said`` gives a term in the reader's language, which it is ordered by.
    """
    found = sorted(found_in(" \n".join(texts_of(report))), key=lambda term: said(term.name).casefold())
    rows = tuple(Row((term.name, term.meaning)) for term in found)
    if not rows:
        return ()
    table = Table(text("Terms"), headings(text("Term"), text("Meaning")), rows)
    return (section(text("Glossary"), text("What the terms of this report mean"), table),)


def found_in(said: str) -> Iterable[Term]:
    """Return the terms that occur in an English text."""
    return (term for term in TERMS if term.pattern.search(said))
