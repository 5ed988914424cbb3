"""Numbers as people paste them: "70B", "70 bn", "1.4 trillion"; "4,096" and "1,4T" once their country is declared.

A comma stands between thousands in one country and before decimals in the next, so that 4,096 is 4096 or 4.096. Nobody
can tell from the text, so without a declaration it is refused; `SIZEBOOK_DECIMAL` declares.
"""

from __future__ import annotations

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
# By the declared sign of decimals: digits with or without groups of thousands, and decimals.
_WRITTEN = {
    ".": re.compile(r"([+-]?)(\d{1,3}(?:,\d{3})+)(?:\.(\d+))?(\D*)", re.ASCII),
    ",": re.compile(r"([+-]?)(\d{1,3}(?:\.\d{3})+|\d+)(?:,(\d+))?(\D*)", re.ASCII),
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


def parted(text: str, name: str) -> tuple[str, int] | None:
    """Return the digits of a number, with a point before decimals, and its scale; None for what is no number.

    Errors: a comma while no sign of decimals is declared, and k, which may be 1000 or 1024; ``name`` is what the
    message calls the number.
    """
    plain = _with_point(text.strip(), name)
    match = _NUMBER.fullmatch(plain)
    word = match[2].upper() if match else ""
    if match is None or word not in (*SCALES, "K"):
        return None
    if word == "K":
        raise InputError(
            f"{name} is ambiguous: got {shown(text)}, want plain digits. "
            f"Write {match[1]}000 or {match[1]} x 1024 in full."
        )
    return match[1], SCALES[word]


def _with_point(text: str, name: str) -> str:
    """Return a number with a point before its decimals and nothing between thousands."""
    sign = decimal_sign()
    if sign == "" and "," in text and text[:1] in "+-.0123456789":
        raise InputError(
            f"{name} is ambiguous: got {shown(text)}, want digits without a comma, which stands before decimals in one "
            f"country and between thousands in another. Write it with a point, or declare the sign of decimals: "
            f"{DECLARED_BY} in the environment, a point or a comma."
        )
    match = _WRITTEN[sign].fullmatch(text) if sign else None
    if match is None:
        # A point that a declared comma leaves no room for is no number: 1.5 would be 15 to one reader.
        return text if sign != "," or "." not in text else "?"
    minus, whole, decimals, rest = match.groups()
    return f"{minus}{re.sub('[.,]', '', whole)}{'.' + decimals if decimals else ''}{rest}"
