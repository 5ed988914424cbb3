"""Complex numbers, which cells hold as texts: COMPLEX, IMSUM, IMSQRT and the like, to 15 digits."""

from __future__ import annotations

import cmath
import math
import re
from collections.abc import Callable
from typing import Any

from sizebook.calculation.spreadsheet.coercing import cells, each, fail, number, text
from sizebook.core.errors import CellError

_SIZE = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_FORM = re.compile(rf"(?P<real>[+-]?{_SIZE}(?![\dij.eE]))?(?:(?P<imaginary>[+-]?(?:{_SIZE})?)(?P<letter>[ij]))?")


def _read(value: Any) -> tuple[complex, str]:
    """Return the number that a cell holds, and the letter of its imaginary part."""
    if isinstance(value, CellError):
        raise value
    if isinstance(value, bool):
        fail("#VALUE!")
    if value is None or isinstance(value, (int, float)):
        return complex(value or 0.0), ""
    match = _FORM.fullmatch(value.strip()) if isinstance(value, str) and value.strip() else None
    if match is None:
        fail("#NUM!")
    imaginary = match["imaginary"] or ""
    size = float(imaginary + "1" if imaginary in ("", "+", "-") else imaginary) if match["letter"] else 0.0
    return complex(float(match["real"] or 0), size), match["letter"] or ""


def _written(value: complex, letter: str = "i") -> str:
    real, imaginary = value.real, value.imag
    if not imaginary:
        return text(real)
    size = {1.0: "", -1.0: "-"}.get(imaginary, text(imaginary))
    sign = "+" if real and imaginary > 0 else ""
    return f"{text(real) if real else ''}{sign}{size}{letter or 'i'}"


def _of_one(function: Callable[[complex], complex]) -> Callable[[Any], Any]:
    def called(value: Any) -> str:
        given, letter = _read(value)
        return _written(function(given), letter)

    return each(called)


def _figure(function: Callable[[complex], float]) -> Callable[[Any], Any]:
    return each(lambda value: function(_read(value)[0]))


def _of_two(function: Callable[[complex, complex], complex]) -> Callable[[Any, Any], Any]:
    def called(first: Any, second: Any) -> str:
        (one, letter), (two, other) = _read(first), _read(second)
        if letter and other and letter != other:
            fail("#VALUE!")
        return _written(function(one, two), letter or other)

    return each(called)


def _folded(function: Callable[[complex, complex], complex], start: complex) -> Callable[..., Any]:
    def called(*given: Any) -> str:
        found, letter = start, ""
        for cell in cells(*given):
            value, own = _read(cell)
            found, letter = function(found, value), letter or own
        return _written(found, letter)

    return called


def _power(value: Any, exponent: Any) -> str:
    given, letter = _read(value)
    power = number(exponent)
    if given == 0 and power <= 0:
        fail("#NUM!")
    found = given ** int(power) if power == int(power) and abs(power) < 1000 else given**power
    return _written(found, letter)


def _complex(real: Any, imaginary: Any, letter: Any = "i") -> str:
    if isinstance(real, bool) or isinstance(imaginary, bool) or (letter or "i") not in ("i", "j"):
        fail("#VALUE!")
    return _written(complex(number(real), number(imaginary)), letter or "i")


def _angle(value: complex) -> float:
    return cmath.phase(value) if value else fail("#DIV/0!")


FUNCTIONS = {
    "COMPLEX": each(_complex),
    "IMABS": _figure(abs),
    "IMAGINARY": _figure(lambda z: z.imag),
    "IMREAL": _figure(lambda z: z.real),
    "IMARGUMENT": _figure(_angle),
    "IMCONJUGATE": _of_one(lambda z: z.conjugate()),
    "IMCOS": _of_one(cmath.cos),
    "IMSIN": _of_one(cmath.sin),
    "IMEXP": _of_one(cmath.exp),
    "IMLN": _of_one(cmath.log),
    "IMLOG10": _of_one(lambda z: cmath.log(z) / math.log(10)),
    "IMLOG2": _of_one(lambda z: cmath.log(z) / math.log(2)),
    "IMSQRT": _of_one(cmath.sqrt),
    "IMPOWER": each(_power),
    "IMSUM": _folded(lambda x, y: x + y, 0j),
    "IMPRODUCT": _folded(lambda x, y: x * y, 1 + 0j),
    "IMSUB": _of_two(lambda x, y: x - y),
    "IMDIV": _of_two(lambda x, y: x / y if y else fail("#NUM!")),
}
