"""Money over time against hand-worked values, and against LibreOffice's functions of the same names."""

import csv
import subprocess
from pathlib import Path

import pytest

from sizebook.core.errors import TargetError
from sizebook.formulas.finance import irr, npv, of_a_month, payback

FLOWS = (-1000.0, 300.0, 420.0, 680.0)


def test_by_hand() -> None:
    assert npv(0.1, (110.0, 121.0)) == pytest.approx(200)
    assert irr((-100.0, 110.0)) == pytest.approx(0.1, rel=1e-12)
    assert irr((100.0, -110.0)) == pytest.approx(0.1, rel=1e-12)
    assert (1 + of_a_month(0.08)) ** 12 == pytest.approx(1.08, rel=1e-14)
    assert (payback((-100.0, 60.0, 40.0)), payback((-100.0, 60.0))) == (2, None)


def test_amounts_of_one_sign_have_no_return() -> None:
    with pytest.raises(TargetError) as refused:
        irr((1.0, 2.0))
    assert str(refused.value) == (
        "no rate of return: got 2 amounts of one sign, want money that goes out and comes in. State both."
    )


@pytest.mark.ci
def test_against_libreoffice(tmp_path: Path) -> None:
    """A sheet of text formulas, calculated by LibreOffice and read back."""
    cases = {
        "NPV(0.09;300;420;680)": npv(0.09, FLOWS[1:]),
        "IRR({-1000;300;420;680})": irr(FLOWS),
    }
    rows = "".join(
        f'<table:table-row><table:table-cell table:formula="of:=TEXT({formula};&quot;0.00000000000000E+00&quot;)" '
        'office:value-type="string"/></table:table-row>'
        for formula in cases
    )
    names = ("office", "table")
    spaces = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in names)
    (tmp_path / "asked.fods").write_text(
        f'<?xml version="1.0"?><office:document {spaces} xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2" '
        'office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body>'
        f'<office:spreadsheet><table:table table:name="A">{rows}</table:table></office:spreadsheet></office:body>'
        "</office:document>",
        encoding="utf-8",
    )
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    subprocess.run(
        ["soffice", profile, "--headless", "--convert-to", "csv", "--outdir", str(tmp_path), tmp_path / "asked.fods"],
        check=True,
        capture_output=True,
        timeout=180,
    )
    with (tmp_path / "asked.csv").open(encoding="utf-8") as file:
        found = [float(row[0]) for row in csv.reader(file)]
    assert found == pytest.approx(list(cases.values()), rel=1e-9)
