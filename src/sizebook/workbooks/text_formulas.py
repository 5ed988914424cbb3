"""Formulas that write a figure as text, with as many digits as its size needs, so that none reads 0.0.

And conditions on figures, for checks.
"""

from collections.abc import Callable, Iterable

# Calls in whose place a book names a step of its own (`sizebook.workbooks.formula_steps`).
NUMBER_TEXT, MONEY_TEXT, NEARLY_EQUAL = "NUMBER_TEXT", "MONEY_TEXT", "NEARLY_EQUAL"
FORMULA_PART, LISTED = "FORMULA_PART", "LISTED"


def part(expression: str) -> str:
    """Return what stands for a part of a formula that would be too long to read with it."""
    return f"{FORMULA_PART}({expression})"


def listed(expressions: Iterable[str]) -> str:
    """Return what stands for the range of several parts, below each other."""
    return f"{LISTED}({','.join(expressions)})"


def all_hold(conditions: Iterable[str]) -> str:
    """Return the condition that several hold, too many to read in one formula."""
    return f"AND({listed(conditions)})"


def all_equal(*pairs: tuple[str, str]) -> str:
    """Return the formula of whether figures are equal but for the last digits of their arithmetic."""
    return f"=AND({','.join(nearly_equal(one, other) for one, other in pairs)})"


def number_text(value: str) -> str:
    """Return what stands for a figure's text: whole from 100, below that three significant digits, or about."""
    return f"{NUMBER_TEXT}({value})"


def money_text(value: str) -> str:
    """Return what stands for the text of an amount in the currency of Inputs: ``$1.25 M``, ``EUR 75,771``."""
    return f"{MONEY_TEXT}({value})"


def decimals_needed(value: str) -> str:
    """Return the formula of the decimals that a figure is written with; below 0.001 that of its power of ten."""
    # What rounds to 10.0 is 1.0 of the next power.
    small = f"INT(LOG10(1.00503*ABS({value})))"
    return f"IF({value}=0,0,IF(ABS({value})>=0.001,MAX(0,MIN(3,2-INT(LOG10(ABS({value}))))),{small}))"


def number_written(value: str, decimals: str) -> str:
    """Return the formula of a figure's text from the decimals that it needs, a small one as ``4.2E-05``.

    It is rounded before it is written: spreadsheets differ in how TEXT rounds a half. It is rounded twice, since what
    is a half on paper is a hair above or below it, by the order in which a spreadsheet adds. FIXED writes the
    separators of the reader; TEXT reads its format in the reader's language, and "#,##0.0" means another in German.
    """
    powered = f'FIXED({value}/10^{decimals},1)&"E"&TEXT({decimals},"+00;-00")'
    return f"IF({decimals}<0,{powered},FIXED(ROUND(ROUND({value},{decimals}+5),{decimals}),{decimals}))"


def money_written(value: str, shown: str, currency: str) -> str:
    """Return the formula of an amount's text from that of its figure, in millions where it has some."""
    sign = f'IF({currency}="USD","$",{currency}&" ")'
    return f'{sign}&IF(ABS({value})>=10^6,FIXED({_rounded(f"{value}/10^6", 2)},2)&" M",{shown})'


def percent_text(value: str, digits: int) -> str:
    """Return the formula of a share's text, ``12.5%``; TEXT would ask for the reader's own decimal sign."""
    return f'FIXED({_rounded(f"100*({value})", digits)},{digits})&"%"'


def day_text(value: str) -> str:
    """Return the formula of a day's text, ``2027-03-01``: TEXT knows year, month and day by the reader's letters."""
    parts = "&".join(f'"-"&IF({part}({value})<10,"0","")&{part}({value})' for part in ("MONTH", "DAY"))
    return f"IF(ISNUMBER({value}),YEAR({value})&{parts},{value})"


def _rounded(value: str, digits: int) -> str:
    return f"ROUND(ROUND({value},{digits + 5}),{digits})"


def count_text(value: str) -> str:
    """Return the formula of a count's text."""
    return f"FIXED({value},0)"


def count_with_unit(value: str, unit: str) -> str:
    """Return the formula of a count with its unit, given for 1: ``1 node``, ``25 nodes``."""
    return f'{count_text(value)}&" {unit}"&IF({value}=1,"","s")'


def range_text(low: str, high: str, after: str = "", text: Callable[[str], str] = number_text) -> str:
    """Return the formula of a range, ``12.5 to 20.1``, with a text behind it."""
    return f'={text(low)}&" to "&{text(high)}' + (f'&"{after}"' if after else "")


def digits_of_both(figure: str, ceiling: str) -> str:
    """Return the formula of the decimals that a figure and a ceiling are written with: none where both are whole."""
    return f"IF(AND({figure}=INT({figure}),{ceiling}=INT({ceiling})),0,1)"


def distinct_texts(figure: str, ceiling: str, digits: str) -> tuple[str, str]:
    """Return the texts of a figure and of a ceiling that it exceeds: rounded away from each other, so that they differ.

    ``digits`` are the decimals of both: the figure is rounded up, the ceiling down.
    """
    return f"FIXED(ROUNDUP({figure},{digits}),{digits})", f"FIXED(ROUNDDOWN({ceiling},{digits}),{digits})"


def nearly_equal(one: str, other: str) -> str:
    """Return what stands for the condition that figures are equal but for the last digits of their arithmetic."""
    return f"{NEARLY_EQUAL}({one},{other})"


def equal_but_for_rounding(one: str, other: str, rounding: str) -> str:
    """Return that condition; an error of either is its own, and what is no number is equal to none."""
    wrong = f"IF(ISERROR({one}),{one},IF(ISERROR({other}),{other},FALSE))"
    return f"IF(COUNT({one},{other})=2,ABS({one}-{other})<={rounding}*ABS({other}),{wrong})"
