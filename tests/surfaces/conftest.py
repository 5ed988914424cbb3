"""What the tests of the surfaces share."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.surfaces.office import Displays, Office, Prints

# Before any test imports xlwings, which reads the key once. The tests are noncommercial use of xlwings PRO (PolyForm
# Noncommercial); a company's own key stays in force.
os.environ.setdefault("XLWINGS_LICENSE_KEY", "noncommercial")


@pytest.fixture(scope="session")
def calc_office() -> Iterator[Office]:
    """LibreOffice with the add-in, started once for the session."""
    with Office() as office:
        yield office


@pytest.fixture(scope="session")
def calc_display(calc_office: Office) -> Displays:
    """Reads a workbook as Calc displays it, recalculated unless told not to: ``{sheet: {"B2": "1050624"}}``."""
    return calc_office.display


@pytest.fixture(scope="session")
def calc_pdf(calc_office: Office) -> Prints:
    """Prints a workbook with Calc and returns the PDF."""
    return calc_office.pdf
