"""Fixtures of the whole suite."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from tests.libreoffice.office import Displays, Office, Prints
    from tests.workbooks.filled import FilledOnce

# Before any test imports xlwings, which reads the key once. The tests are noncommercial use of xlwings PRO (PolyForm
# Noncommercial); a company's own key stays in force.
os.environ.setdefault("XLWINGS_LICENSE_KEY", "noncommercial")
# Whoever runs the tests may have prices, accelerators and models of their own: here and in what tests start, none.
os.environ["SIZEBOOK_DATA"] = os.devnull

# Speed is measured in benchmarks; a busy machine must not fail a test. CI draws the same examples every time, so that
# what fails there is the change; by hand they are new ones.
settings.register_profile(
    "untimed", deadline=None, derandomize="CI" in os.environ, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("untimed")

ROOT = Path(__file__).resolve().parents[1]


OFFICE = {"calc_office", "calc_display", "calc_pdf", "office"}  # fixtures that start LibreOffice
# Folders whose files fill workbooks and print reports for up to a minute: they run first, so that the last file of two
# processes is a short one.
LONG = ("workbooks", "surfaces", "batch", "reports", "docs", "plans")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what starts LibreOffice: `.ci/run` runs it, `make test` does not. Put long files first."""
    for item in items:
        if OFFICE & set(getattr(item, "fixturenames", ())):
            item.add_marker("ci")
    items.sort(key=lambda item: (*LONG, folder := item.path.relative_to(ROOT / "tests").parts[0]).index(folder))


@pytest.fixture(scope="session", autouse=True)
def on_one_day() -> Iterator[None]:
    """Prices are as old as on the day of their newest row: what passes today passes in a year."""
    from sizebook.tables.prices import valued_on

    with valued_on(date(2026, 11, 26)):
        yield


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Puts rows in the place of `data/prices.csv`, whose next rows must not move what a test has worked out.

    Each is provider, accelerator, region, term, USD for a GPU-hour and day.
    """
    from sizebook.tables import price_tables, prices
    from sizebook.tables.price_rows import PriceRow

    def put(*rows: tuple[str, str, str, str, float, str]) -> None:
        found = tuple(
            PriceRow(provider, "8x", gpu, 8, region, term, 8 * usd, usd, "USD", day, "catalog", day)
            for provider, gpu, region, term, usd, day in rows
        )
        for module in (price_tables, prices):
            monkeypatch.setattr(module, "prices", lambda: found)
        prices.quoted_on.cache_clear()

    yield put
    prices.quoted_on.cache_clear()


@pytest.fixture(scope="module", autouse=True)
def no_thread_is_left() -> Iterator[None]:
    """A thread that outlives its file changes others: a process with two threads must not fork its calculations."""
    yield
    for thread in others():
        thread.join(timeout=60)
    assert others() == [], "threads are left: close what started them in this file"


def others() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each is not threading.current_thread()]


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of truth tables and configs beside the checkout; tests that need it run wherever it exists."""
    folder = ROOT.parent / "shared"
    if not (folder / "truth").is_dir():
        pytest.skip("no ../shared folder beside this checkout")
    return folder


def calibration(name: str) -> ModuleType:
    """Return a module of `calibration/`, which is no package."""
    if (folder := str(ROOT / "calibration")) not in sys.path:
        sys.path.append(folder)  # as its scripts find each other
    return importlib.import_module(name)


@pytest.fixture(scope="session")
def recipes() -> ModuleType:
    """What `calibration/serving_recipes.py` knows of the measured runs."""
    return calibration("serving_recipes")


@pytest.fixture(scope="session")
def readings() -> ModuleType:
    """What `calibration/catalog_readings.py` reads again in the published files."""
    return calibration("catalog_readings")


@pytest.fixture(scope="session")
def filled_once(tmp_path_factory: pytest.TempPathFactory) -> FilledOnce:
    """Fills a workbook with inputs, once for all tests that ask for the same: ``filled_once(template, given)``."""
    from tests.workbooks.filled import FilledOnce, shared_folder

    return FilledOnce(shared_folder(tmp_path_factory.getbasetemp()))


@pytest.fixture(scope="session")
def calc_office() -> Iterator[Office]:
    """LibreOffice with the add-in, started once for the session."""
    from tests.libreoffice.office import Office

    with Office() as office:
        yield office


@pytest.fixture(scope="session")
def calc_display(calc_office: Office) -> Displays:
    """Reads a workbook as Calc displays it, recalculated: ``{sheet: {"B2": "1050624"}}``."""
    return calc_office.display


@pytest.fixture(scope="session")
def calc_pdf(calc_office: Office) -> Prints:
    """Prints a workbook with Calc and returns the PDF."""
    return calc_office.pdf
