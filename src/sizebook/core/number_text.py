"""Numbers as people paste them: "70B", "70 bn", "1.4 trillion"; "4,096" and "1,4T" once their country is declared.

A comma stands between thousands in one country and before decimals in the next, so that 4,096 is 4096 or 4.096. Nobody
can tell from the text, so without a declaration it is refused; `SIZEBOOK_DECIMAL` declares. A point stands before
decimals, as programs write them, but for whole numbers: 4.096 tokens are 4096 to whoever wrote them so, and 10.000 are
hardly 10.
"""

import os
import re

from sizebook.core.errors import InputError, shown

DECLARED_BY = "SIZEBOOK_DECIMAL"
SCALES = {
    **dict.fromkeys(("M", "MN", "MILLION"), 10**6),
    **dict.fromkeys(("B", "BN", "BILLION"), 10**9),
    **dict.fromkeys(("T", "TN", "TRILLION"), 10**12),
    "": 1,
}
# Spaces between a number and its word: the plain one, and those that word processors write.
_NUMBER = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)[ \u00a0\u2009\u202f]?([A-Za-z]*)", re.ASCII)
# A whole number with one group of thousands, to a reader whose decimals have a comma.
GROUPED_BY_POINT = r"[+-]?[1-9]\d{0,2}\.\d{3}"
_GROUPED = re.compile(GROUPED_BY_POINT, re.ASCII)
# By the declared sign of decimals: digits with or without groups of thousands, and decimals.
_WRITTEN = {
    ".": r"(?a)([+-]?)(\d{1,3}(?:,\d{3})+)(?:\.(\d+))?(\D*)",
    ",": r"(?a)([+-]?)(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d+))?(\D*)",
}


def decimal_sign() -> str:
    """Return the declared sign of decimals, empty where none is. Errors: another sign than a point or a comma."""
    declared = os.environ.get(DECLARED_BY, "").strip()
    if declared not in ("", *_WRITTEN):
        raise InputError(
            f"unknown sign of decimals: got {shown(declared)} in {DECLARED_BY}, want a point or a comma. Change the "
            "environment, or remove the variable."
        )
    return declared


def split_number(text: str, name: str, *, is_whole: bool = False) -> tuple[str, int] | None:
    """Return the digits of a number, with a point before decimals, and its scale; None for what is no number.

    Errors: a comma while no sign of decimals is declared, in a whole number also a point before three digits, and k,
    which may be 1000 or 1024; ``name`` is what the message calls the number.
    """
    if is_whole and _GROUPED.fullmatch(text.strip()) and not decimal_sign():
        raise _ambiguous(text, name, "point")
    plain = _with_point(text.strip(), name)
    match = _NUMBER.fullmatch(plain)
    word = match[2].upper() if match else ""
    if match is None or word not in (*SCALES, "K"):
        return None
    if word == "K":
        raise InputError(
            f"{name} is ambiguous: got {shown(text)}, want plain digits. "
            f"Write {1000 * float(match[1]):.15g} or {match[1]} x 1024 in full."
        )
    return match[1], SCALES[word]


def _ambiguous(text: str, name: str, sign: str) -> InputError:
    places = {"comma": ("before decimals", "between thousands"), "point": ("between thousands", "before decimals")}
    here, there = places[sign]
    fix = {"comma": "Write it with a point", "point": "Write it without"}[sign]
    return InputError(
        f"{name} is ambiguous: got {shown(text)}, want digits without a {sign}, which stands {here} in one country and "
        f"{there} in another. {fix}, or declare the sign of decimals: {DECLARED_BY} in the environment, a point or a "
        "comma."
    )


def _with_point(text: str, name: str) -> str:
    """Return a number with a point before its decimals and nothing between thousands."""
    sign = decimal_sign()
    if sign == "" and "," in text and text[:1] in "+-.0123456789":
        raise _ambiguous(text, name, "comma")
    match = re.fullmatch(_WRITTEN[sign], text) if sign else None
    if match is None:
        # A point that a declared comma leaves no room for is no number: 1.5 would be 15 to one reader.
        return text if sign != "," or "." not in text else "?"
    minus, whole, decimals, rest = match.groups()
    return f"{minus}{re.sub('[.,]', '', whole)}{'.' + decimals if decimals else ''}{rest}"


# What stands between thousands where it is no comma, at least two groups of a point, which may stand before decimals.
_THOUSANDS = re.compile(r"\d{1,3}(?:(?:[ '\u2019\u00a0\u2009\u202f]\d{3})+|(?:\.\d{3}){2,})", re.ASCII)
_WITH_UNIT = re.compile(r"([$\u20ac\u00a3]?) ?(\d+(?:\.\d+)?) ?([^\d.]*)\.?", re.ASCII)
_SECONDS = {"ms": 1e-3, "s": 1, "sec": 1, "seconds": 1, "sekunden": 1, "min": 60, "minutes": 60, "minuten": 60}
_GERMAN_SCALES = {"mio": "M", "millionen": "M", "mrd": "B", "milliarden": "B", "billionen": "T"}


def as_ratio(percent: float) -> str:
    """Return how to write a share that is given in per cent."""
    return f"Write {percent:g} % as {percent / 100:g}."


def fix_of(text: str, unit: str) -> str:
    """Return how to write a text that is no number: without its unit, its spaces or its German word."""
    plain = text.strip()
    if _THOUSANDS.fullmatch(plain):
        return f"Write {re.sub(r'[^0-9]', '', plain)}."
    match = _WITH_UNIT.fullmatch(plain)
    if match is None or (not match[1] and match[3].upper() in SCALES):  # whose sign of decimals is not the declared one
        return "Type digits, or a number with M, B or T for 10^6, 10^9 or 10^12."
    number, word = match[2], match[3].casefold()
    if unit == "ratio" and word in ("%", "percent", "per cent", "prozent"):
        return as_ratio(float(number))
    if unit == "seconds" and word in _SECONDS:
        return f"Write {plain} as {float(number) * _SECONDS[word]:g}."
    if word in _GERMAN_SCALES:
        return f"Write {plain} as {number}{_GERMAN_SCALES[word]}."
    return f"Write the number alone{f', in {unit}' if unit not in ('', 'ratio') else ''}."
