"""Statistical functions at the ends of what they take: a grid by LibreOffice, Excel's documentation, and refusals."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from sizebook.calculation import Calculated, ErrorCode, recalculate
from sizebook.calculation.known import known_functions

# What LibreOffice 7.4 gives over the cells below for probabilities of 0 and 1, shapes of 0, counts cut off, samples of
# one value and the like; an error stands for any code, that of Excel's documentation. Measured on 23 November 2026.
VALUES = Path(__file__).with_name("end_values.csv")
COLUMNS = ([1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4], [2, 2, 2, 2], [-1, 0, 5, 2])

# Excel's documentation of each function; LibreOffice takes most of these for a probability of 0 or 1.
DOCUMENTED = dict.fromkeys((
    "BETA.INV(0,2,3)", "BETAINV(0,2,3,1,3)", "BETA.INV(1.1,2,3)", "CHIDIST(-1,2)", "CHISQ.DIST.RT(-1,2)",
    "BETADIST(-0.1,2,3)", "BETADIST(1.1,2,3)", "BETADIST(2,2,3,2,2)", "GAMMADIST(-1,2,2,TRUE)", "LOGNORMDIST(0,0,1)",
    "EXPON.DIST(-1,1,TRUE)", "EXPONDIST(-1,1,FALSE)", "HYPGEOM.DIST(0,0,8,20,TRUE)", "HYPGEOM.DIST(0,1,0,20,FALSE)",
    "HYPGEOM.DIST(5,4,8,20,FALSE)", "HYPGEOMDIST(5,4,8,20)", "BINOM.DIST.RANGE(3,1.1,0)", "BINOM.DIST.RANGE(3,0.5,4)",
    "BINOM.DIST.RANGE(3,0.5,2,1)", "T.INV(0,3)", "T.INV(1.1,3)", "T.INV.2T(0,3)", "TDIST(1,3,0)", "TDIST(-1,3,1)",
    "CHISQ.INV(0.5,0.9)", "F.DIST(1,0.9,2,TRUE)", "GAMMALN(0)", "GAMMA(-2)", "FACT(-1)", "NEGBINOM.DIST(1,0,0.5,TRUE)",
), ErrorCode("#NUM!")) | {
    "CHISQ.INV(0,2)": 0, "CHISQ.INV.RT(1,2)": 0, "CHIINV(1,2)": 0, "F.INV(0,2,3)": 0, "F.INV.RT(1,2,3)": 0,
    "FINV(1,2,3)": 0, "GAMMA.INV(0,2,3)": 0, "T.INV.2T(1,3)": 0, "BINOM.DIST.RANGE(3,1,1,3)": 1,
    "CONFIDENCE.T(0.05,1,1)": ErrorCode("#DIV/0!"),
}  # fmt: skip

# By hand. Degrees of freedom, counts and sizes are cut off to whole numbers; densities at 0 are limits.
BY_HAND = {
    "GAMMA.DIST(0,1,4,FALSE)": 0.25, "GAMMADIST(0,2,4,FALSE)": 0, "F.DIST(0,2,5,FALSE)": 1, "F.DIST(0,3,5,FALSE)": 0,
    "BETA.DIST(0,1,3,FALSE)": 3, "BETA.DIST(1,3,1,FALSE)": 3, "BETA.DIST(5,3,1,FALSE,2,5)": 1,
    "BETA.DIST(0,2,3,FALSE)": 0, "CHISQ.DIST(0,3,FALSE)": 0, "EXPON.DIST(0,3,FALSE)": 3,
    "CHISQ.INV(0.5,2.9)": 2 * math.log(2), "CHISQ.DIST(2,2.9,TRUE)": 1 - math.exp(-1),
    "CHISQ.DIST.RT(2,2.9)": math.exp(-1),
    "T.DIST.2T(1,1.9)": 0.5, "T.INV.2T(0.5,1.9)": 1, "T.DIST(1,1.9,TRUE)": 0.75, "T.DIST(0,1.9,FALSE)": 1 / math.pi,
    "F.INV(0.5,2.9,2.9)": 1, "F.DIST.RT(3,2.9,2.9)": 0.25, "F.DIST(3,2,2,FALSE)": 1 / 16,
    "CONFIDENCE(0.05,2,4.9)": 1.959963984540054, "CONFIDENCE.T(0.5,1,2.9)": 1 / math.sqrt(2),
    # Far tails, where the closed forms are: a chi-squared of 2 is exponential, t of 1 is Cauchy's, t of 2 is algebraic.
    "CHISQ.INV.RT(1E-100,2)": 200 * math.log(10), "CHIINV(1E-300,2)": 600 * math.log(10),
    "T.INV.2T(1E-12,1)": 2e12 / math.pi, "TINV(1E-12,2)": (1 - 1e-12) * math.sqrt(2 / (1e-12 * (2 - 1e-12))),
    "F.INV.RT(1E-12,2,2)": 1e12 - 1, "FINV(1E-12,2,4)": 2 * (1e6 - 1), "BETA.INV(1E-30,3,1)": 1e-10,
    "T.DIST.RT(1E10,1.9)": 1e-10 / math.pi, "CHISQ.DIST(1E-300,2,FALSE)": 0.5, "BETA.DIST(1E-300,2,1,FALSE)": 2e-300,
    # Large shapes: the median of a gamma is its shape less 1/3 + 8 / 405 / shape, that of t is 0, a sum is symmetric.
    "GAMMA.INV(0.5,1E6,1)": 1e6 - 1 / 3 + 8 / 405e6, "T.DIST(0,1E6,TRUE)": 0.5, "BETA.INV(0.5,1E5,1E5)": 0.5,
    "BINOM.DIST(500000,1000001,0.5,TRUE)": 0.5, "POISSON.DIST(0,700,FALSE)": math.exp(-700),
    "T.DIST(0,1E6,FALSE)": (1 - 0.25e-6) / math.sqrt(2 * math.pi),
    # p^0 is 1 for every p; 1/8 + 3/8 is a half, so that the median of three throws is 1.
    "BINOM.DIST(0,3,0,TRUE)": 1, "BINOM.DIST(0,0,0.5,FALSE)": 1, "BINOM.DIST(3,3,1,FALSE)": 1,
    "BINOMDIST(2,3,1,TRUE)": 0,
    "BINOM.INV(3,0.5,0.5)": 1, "CRITBINOM(3,0.5,0.51)": 2, "BINOM.INV(0,0.5,0.3)": 0,
    "NEGBINOM.DIST(2.7,1,0.5,FALSE)": 0.125,
    "POISSON.DIST(2.7,1,TRUE)": 2.5 / math.e, "GAMMA(-0.5)": -2 * math.sqrt(math.pi), "GAMMALN(1)": 0, "GAMMALN(2)": 0,
    "FISHERINV(-40)": -1, "MULTINOMIAL(2.9,3)": 10, "COMBIN(1000,500)": float(math.comb(1000, 500)),
    "FACTDOUBLE(7.9)": 105,
    "HYPGEOM.DIST(1,2,1000,3000,FALSE)": 2 * 1000 * 2000 / (3000 * 2999),
    "Z.TEST(A1:A4,0,1)": math.erfc(5 / math.sqrt(2)) / 2,
    "PERCENTRANK(A1:A4,2.5)": 0.5, "PERCENTRANK.EXC(A1:A4,2)": 0.4, "PERCENTRANK(A1:A4,2,1)": 0.3,
    "QUARTILE(A1:A4,1.9)": 1.75,
    "SUM({0.5,1}*CHISQ.INV({0,0.5},2))": 2 * math.log(2), "SUM(PERCENTRANK(A1:A4,{1,2.5}))": 0.5,
    # Excel 2010 and later: MOD(10,0.1) is 0.1 and MOD(0.9,0.3) 5.55112E-17, as remainders of binary fractions are; a
    # number of 18 digits (IBANs) is #NUM!. Bits are 48. NUMBERVALUE passes over spaces and counts each percent sign.
    "MOD(10,0.1)": 0.1 - 1e-16 * 5.5, "MOD(0.9,0.3)": 2**-54, "MOD(-7,3)": 2, "MOD(7,-3)": -2, "MOD(1E10,3)": 1,
    "MOD(123456789012345678,97)": ErrorCode("#NUM!"), "BITLSHIFT(2^47,47)": ErrorCode("#NUM!"),
    "BITLSHIFT(2^46,1)": 2**47, "BITRSHIFT(1,-54)": ErrorCode("#NUM!"), "BITRSHIFT(9,1)": 4,
    'NUMBERVALUE(" 1 000.5 ")': 1000.5, 'NUMBERVALUE("5%%")': 0.0005, 'NUMBERVALUE("")': 0,
    'NUMBERVALUE("1.2.3")': ErrorCode("#VALUE!"), 'NUMBERVALUE("1.2,3")': ErrorCode("#VALUE!"),
    'NUMBERVALUE("2.500,27",",",".")': 2500.27, "SERIESSUM(0,1,1,A1:A4)": 0, "SERIESSUM(2,0,1,A1:A4)": 49,
    'DECIMAL("zz",36)': 1295, 'DECIMAL("12",2)': ErrorCode("#NUM!"),
    "SUM(QUARTILE(A1:A4,{0,4}))": 5, "SUM(Z.TEST(A1:A4,{2.5,2.5},1))": 1,
}  # fmt: skip

# Documents contradict each other or LibreOffice, or no document says what Excel shows.
REFUSED = (
    "CHISQ.DIST(0,1,FALSE)", "CHISQ.DIST(0,2,FALSE)", "GAMMA.DIST(0,0.5,1,FALSE)", "BETA.DIST(0,0.5,2,FALSE)",
    "BETA.DIST(1,2,0.5,FALSE)", "F.DIST(0,1,2,FALSE)", "BETA.INV(1,2,3)", "BETAINV(1,2,3)", "BETA.INV(0.5,2,3,2,1)",
    "BETA.DIST(0.5,2,3,TRUE,0,A9)", "BINOM.INV(3,0.5,0)", "CRITBINOM(3,0.5,1)", "BINOM.INV(3,0,0.5)",
    "CRITBINOM(3,1,0.5)",
    "BINOM.INV(1,0.3,0.7)", "NEGBINOM.DIST(0,1,1,TRUE)", "NEGBINOMDIST(2,1,0)", "NEGBINOMDIST(0,1,0.5)",
    "POISSON(0,0,TRUE)",
    "POISSON.DIST(-0.5,1,TRUE)", "HYPGEOMDIST(0,0,8,20)", "HYPGEOMDIST(0,4,0,20)", "T.DIST(1,1E10,TRUE)",
    "CHISQ.INV(0.5,1E10)", "F.INV(0.5,1E10,2)", "GAMMA.INV(0.5,1E11,1)", "T.INV(1E-310,1)", "GAMMA(-200.5)",
    "FISHERINV(400)",
    "FACT(-0.5)", "FACTDOUBLE(-1)", "COMBIN(5,-0.5)", "COMBINA(0,0)", "COMBINA(1,5)", "MULTINOMIAL(1,-0.5)",
    "QUARTILE(A1:A4,-0.5)", "PERCENTRANK(A1,1)", "MOD(1.125E12,1)",
    "SERIESSUM(0,0,1,A1:A4)", 'DECIMAL("-1",36)', 'NUMBERVALUE("$5")', 'NUMBERVALUE("1:30")', "BITLSHIFT(1,0.5)",
    "PERCENTRANK.EXC(A1:A1,1)", "Z.TEST(A1,0,1)",
)  # fmt: skip


def worked_out(folder: Path, formulas: list[str]) -> tuple[list[Any], Calculated]:
    book = Workbook()
    sheet = book.worksheets[0]
    for column, values in enumerate(COLUMNS, 1):
        for row, value in enumerate(values, 1):
            sheet.cell(row, column, value)
    for row, formula in enumerate(formulas, 1):
        sheet.cell(row, 7, f"={formula}")
    book.save(folder / "ends.xlsx")
    found = recalculate(folder / "ends.xlsx")
    return [found["Sheet", f"G{row}"] for row in range(1, len(formulas) + 1)], found


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def test_the_ends_are_those_of_libreoffice(tmp_path: Path) -> None:
    with VALUES.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) > 1_200
    wrong = []
    for row, got in zip(rows, worked_out(tmp_path, [row["formula"] for row in rows])[0], strict=True):
        if row["kind"] == "number":
            right = is_number(got) and math.isclose(got, float(row["value"]), rel_tol=3e-9, abs_tol=1e-12)
        else:
            right = isinstance(got, ErrorCode) and got == row["value"]
        wrong += [] if right else [(row["formula"], row["value"], got)]
    assert wrong == []


@pytest.mark.parametrize("wanted", [DOCUMENTED, BY_HAND], ids=["documented", "by hand"])
def test_what_libreoffice_does_not_tell(tmp_path: Path, wanted: dict[str, Any]) -> None:
    values, found = worked_out(tmp_path, list(wanted))
    assert dict(zip(wanted, values, strict=True)) == {
        formula: pytest.approx(value, rel=1e-12, abs=0) if is_number(value) else value
        for formula, value in wanted.items()
    }
    assert found.not_calculated == ()


def test_an_end_of_which_nobody_knows_is_refused_by_name(tmp_path: Path) -> None:
    hidden = [f"IFERROR({formula},0)" for formula in REFUSED]
    values, found = worked_out(tmp_path, hidden)
    assert set(values) == {ErrorCode("#N/IMPL!")}
    assert list(found.problems.values()) == [f"={formula} gives #N/IMPL!" for formula in hidden]
    assert list(found.not_calculated) == [("Sheet", f"G{row}") for row in range(1, len(hidden) + 1)]


def test_an_end_within_an_array_is_refused_too(tmp_path: Path) -> None:
    formulas = ["SUMPRODUCT(ISNUMBER(CHISQ.DIST({0,1},2,FALSE))*1)", "COUNT(FACT({-0.5,3}))", "COUNT(FACT({2,3}))"]
    values, found = worked_out(tmp_path, formulas)
    assert values == [ErrorCode("#N/IMPL!"), ErrorCode("#N/IMPL!"), 2]
    assert list(found.not_calculated) == [("Sheet", "G1"), ("Sheet", "G2")]


def test_every_distribution_stands_in_the_grid() -> None:
    with VALUES.open(encoding="utf-8", newline="") as lines:
        measured = {row["formula"].partition("(")[0] for row in csv.DictReader(lines)}
    ends = (".DIST", ".DIST.RT", ".DIST.2T", ".INV", ".INV.RT", ".INV.2T", ".TEST", "DIST", "INV", "TEST")
    kept = {name for name, known in known_functions().items() if known.by != "refused" and name.endswith(ends)}
    assert kept - measured == {"MINV"} & kept
