"""Money over time against hand-worked values, and against LibreOffice's functions of the same names."""

from pathlib import Path

import pytest
from openpyxl import Workbook

from sizebook.core.errors import TargetError
from sizebook.formulas.finance import (
    declining_balance,
    instalment,
    interest,
    irr,
    monthly_rate,
    npv,
    payback,
    straight_line,
)
from tests.libreoffice.office import Office
from tests.refused import message_of

FLOWS = (-1000.0, 300.0, 420.0, 680.0)


def test_by_hand() -> None:
    assert npv(0.1, (110.0, 121.0)) == pytest.approx(200)
    assert irr((-100.0, 110.0)) == pytest.approx(0.1, rel=1e-12)
    assert irr((100.0, -110.0)) == pytest.approx(0.1, rel=1e-12)
    assert (1 + monthly_rate(0.08)) ** 12 == pytest.approx(1.08, rel=1e-14)
    assert (payback((-100.0, 60.0, 40.0)), payback((-100.0, 60.0))) == (2, None)


def test_depreciation_by_hand() -> None:
    """Of 1000 two fifths a year are 400, 240, 144 and 86.4; down to 100 then 29.6 are left to write off.

    Down to nothing, half of the 216 that are left after three years is 108, more than 86.4.
    """
    assert straight_line(1000, 100, 5) == (180, 180, 180, 180, 180)
    assert declining_balance(1000, 100, 5) == pytest.approx((400, 240, 144, 86.4, 29.6))
    assert declining_balance(1000, 0, 5) == pytest.approx((400, 240, 144, 108, 108))
    assert declining_balance(1000, 700, 5) == pytest.approx((300, 0, 0, 0, 0))
    assert declining_balance(1000, 100, 1) == (900,)


def test_instalments_by_hand() -> None:
    """100 at 10 % in two periods: 121 = p * 1.1 + p. Of the first 57.62, 10 are interest, so 52.38 are owed then."""
    assert instalment(0.1, 2, 100) == pytest.approx(121 / 2.1)
    assert interest(0.1, 2, 100) == pytest.approx((10, 0.1 * (110 - 121 / 2.1)))
    assert instalment(0.1, 2, 100, 40) == pytest.approx((121 - 40) / 2.1)
    assert (instalment(0.0, 4, 100, 20), interest(0.0, 2, 100)) == (20, (0, 0))


def test_against_numpy_financial() -> None:
    """numpy-financial 1.0.0: pmt(0.07/12, 36, -240000), pmt(0.06/12, 48, -240000, 60000), ipmt of 1, 2 and 36."""
    assert instalment(0.07 / 12, 36, 240_000) == pytest.approx(7410.503247689239, rel=1e-12)
    assert instalment(0.06 / 12, 48, 240_000, 60_000) == pytest.approx(4527.305228628492, rel=1e-12)
    found = interest(0.07 / 12, 36, 240_000)
    assert [found[at] for at in (0, 1, 35)] == pytest.approx([1400.0, 1364.938731055146, 42.97723507359197])


def test_amounts_of_one_sign_have_no_return() -> None:
    assert message_of(TargetError, irr, (1.0, 2.0)) == (
        "no rate of return: got 2 amounts of one sign, want money that goes out and comes in. State both."
    )


@pytest.mark.ci
def test_against_libreoffice(tmp_path: Path, calc_office: Office) -> None:
    """A sheet of formulas, calculated by LibreOffice."""
    cases = {
        "NPV(0.09,300,420,680)": npv(0.09, FLOWS[1:]),
        "IRR({-1000;300;420;680})": irr(FLOWS),
        "SLN(36000,9000,48)": straight_line(36_000, 9_000, 48)[0],
        **{f"DDB(36000,9000,6,{n})": usd for n, usd in enumerate(declining_balance(36_000, 9_000, 6), 1)},
        **{f"VDB(36000,0,6,{n},{n + 1})": usd for n, usd in enumerate(declining_balance(36_000, 0, 6))},
        "PMT(0.07/12,36,-240000)": instalment(0.07 / 12, 36, 240_000),
        "PMT(0.06/12,48,-240000,60000)": instalment(0.06 / 12, 48, 240_000, 60_000),
        "IPMT(0.06/12,20,48,-240000,60000)": interest(0.06 / 12, 48, 240_000, 60_000)[19],
    }
    book = Workbook()
    for formula in cases:
        book.worksheets[0].append([f"={formula}"])
    book.save(tmp_path / "asked.xlsx")
    found = calc_office.values(tmp_path / "asked.xlsx")["Sheet"]
    assert [found[f"A{row}"] for row in range(1, len(cases) + 1)] == pytest.approx(list(cases.values()), rel=1e-9)
