"""Number formats: what a value looks like under ``#,##0.00``, ``[h]:mm``, ``0.0E+00``, ``# ?/?`` or ``General``.

The separators and names of months are those of English. A format of eras or of calendars other than ours, or a
fraction with signs between its parts, is not known here.
"""

import re
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from sizebook.calculation.spreadsheet.argument_values import fail, text
from sizebook.calculation.spreadsheet.date_formats import moment

_PIECE = re.compile(
    r"""
    "(?P<quoted>[^"]*)"? | \\(?P<escaped>.) | _(?P<space>.) | \*(?P<fill>.) | \[(?P<bracket>[^\]]*)\]
  | (?P<general>General) | (?P<ampm>AM/PM|A/P) | (?P<power>E[+-]) | (?P<letters>y+|m+|d+|h+|s+(?:\.0+)?)
  | (?P<digit>[0#?]) | (?P<point>\.) | (?P<comma>,) | (?P<percent>%) | (?P<slash>/) | (?P<text>@) | (?P<other>.)
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*([+-]?[\d.]+(?:[eE][+-]?\d+)?)")
_LENGTHS = {"y": (2, 4), "m": (1, 2, 3, 4, 5), "d": (1, 2, 3, 4), "h": (1, 2), "s": (1, 2)}
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_FRACTION = re.compile(r"(?:(?P<whole>[#0?]+)(?P<gap> +))?(?P<top>[#0?]+)/(?P<bottom>[#0?]+|\d+)")


@dataclass(frozen=True)
class Piece:
    """A piece of a format: what it is, and its text."""

    kind: str
    text: str


@dataclass(frozen=True)
class Section:
    """One of the parts of a format between semicolons, with the condition under which it holds."""

    pieces: tuple[Piece, ...]
    condition: tuple[str, float] | None = None

    def has(self, *kinds: str) -> bool:
        """Return whether a piece of one of these kinds is in it."""
        return any(piece.kind in kinds for piece in self.pieces)


def formatted(value: Any, code: str, *, from_1904: bool = False) -> str:
    """Return a value as a number format shows it; raises a `CellError` where there is no such text."""
    if len(code) > 255:
        fail("#VALUE!")
    sections = [_section(part) for part in _split(code)]
    if isinstance(value, (str, bool)):
        return _text(value, sections)
    number = 0.0 if value is None else float(value)
    section, shown = _chosen(sections, number)
    if section is None:
        return general(number)
    return _number(section, shown, from_1904)


def general(number: float) -> str:
    """Return a number as a cell without a format shows it: in eleven places at most."""
    if number == 0:
        return "0"
    size = abs(number)
    if 1e-9 <= size < 1e11:
        whole = len(str(int(size)))
        places = max(0, 9 if size < 1 else 10 - whole)
        shown = f"{_rounded(size, places):f}"
        shown = shown.rstrip("0").rstrip(".") if "." in shown else shown
        if len(shown) <= 11 and (size >= 1e-4 or Decimal(shown) == Decimal(f"{size:.15g}")):
            return ("-" if number < 0 else "") + shown
    mantissa, _, power = f"{number:.5e}".partition("e")
    return f"{mantissa.rstrip('0').rstrip('.')}E{power[0]}{power[1:].zfill(2)}"


def _split(code: str) -> list[str]:
    parts, current = [], ""
    for match in _PIECE.finditer(code):
        if match[0] == ";":
            parts.append(current)
            current = ""
        else:
            current += match[0]
    return [*parts, current]


def _section(code: str) -> Section:
    pieces: list[Piece] = []
    condition = None
    for match in _PIECE.finditer(code):
        kind, found = str(match.lastgroup), match[match.lastgroup or 0]
        if kind in ("quoted", "escaped", "other", "space"):
            if kind == "other" and found in "bBeEgGnN":
                fail("#N/IMPL!" if found in "bBeE" else "#VALUE!")
            pieces.append(Piece("literal", " " if kind == "space" else found))
        elif kind == "bracket":
            compared = _CONDITION.fullmatch(found.strip())
            if compared:
                condition = compared[1], float(compared[2])
            elif _ELAPSED.fullmatch(found):
                pieces.append(Piece("elapsed", found.lower()))
            elif found.startswith("$"):
                pieces.append(Piece("literal", found[1:].partition("-")[0]))
        elif kind == "letters":
            if len(found.partition(".")[0]) not in _LENGTHS[found[0].lower()]:
                fail("#N/IMPL!")
            pieces.append(Piece("letters", found.lower()))
        elif kind != "fill":
            if kind in ("ampm", "power") and not found.isupper():
                fail("#N/IMPL!")  # whether small letters stay small, no stored value tells
            pieces.append(Piece(kind, found))
    return Section(tuple(pieces), condition)


def _text(value: str | bool, sections: list[Section]) -> str:
    """Return a text in the section for texts, the fourth or any with an @; without one it is as it is."""
    shown = text(value)
    own = sections[3] if len(sections) > 3 else next((s for s in sections if s.has("text")), None)
    if own is None:
        return shown
    if own.has("digit", "letters", "elapsed"):
        fail("#N/IMPL!")
    return "".join(shown if piece.kind in ("text", "general") else piece.text for piece in own.pieces)


def _chosen(sections: list[Section], number: float) -> tuple[Section | None, float]:
    """Return the section that holds for a number, and the number as it shows it; None for no section."""
    known = [s for s in sections[:3] if not (s.has("text") and len(sections) > 1)] or sections[:1]
    if any(section.condition for section in known):
        for place, section in enumerate(known):
            if _holds(section, place, len(known), number):
                return section, number
        return None, number
    if number < 0 and len(known) > 1:
        return known[1], -number
    if number == 0 and len(known) > 2:
        return known[2], number
    return known[0], number


def _holds(section: Section, place: int, n_sections: int, number: float) -> bool:
    if section.condition is None:
        if n_sections == 3 and place == 1:
            return number < 0
        return (place == n_sections - 1 and n_sections > 1) or place == 0
    sign, bound = section.condition
    return {
        "<": number < bound, ">": number > bound, "=": number == bound,
        "<=": number <= bound, ">=": number >= bound, "<>": number != bound,
    }[sign]  # fmt: skip


def _number(section: Section, number: float, from_1904: bool) -> str:
    if section.has("letters", "elapsed", "ampm"):
        return moment([(piece.kind, piece.text) for piece in section.pieces], number, from_1904=from_1904)
    sign = "-" if number < 0 else ""
    if section.has("general", "text"):
        return sign + "".join(general(abs(number)) if p.kind in ("general", "text") else p.text for p in section.pieces)
    if section.has("slash") and section.has("digit"):
        return _fraction(section, number)
    if not section.has("digit"):
        if section.has("point", "comma", "percent", "slash", "power"):
            fail("#N/IMPL!")
        return sign + "".join(piece.text for piece in section.pieces)
    shown = _scientific(section, abs(number)) if section.has("power") else _decimal(section, abs(number))
    return (sign if any(sign_ in shown for sign_ in "123456789") else "") + shown


def _rounded(number: float, places: int) -> Decimal:
    """Return a number of 15 digits rounded half away from zero."""
    return Decimal(f"{number:.15g}").quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


def _parts(section: Section) -> tuple[list[Piece], list[Piece], bool, int]:
    """Return the pieces before and behind the point, whether thousands are parted, and how often 1000 divides."""
    pieces = section.pieces
    point = next((n for n, piece in enumerate(pieces) if piece.kind == "point"), len(pieces))
    digits = [n for n, piece in enumerate(pieces) if piece.kind == "digit"]
    before = [n for n in digits if n < point]
    first, last = (before[0], before[-1]) if before else (-1, -1)
    parted = any(piece.kind == "comma" and first < n < last for n, piece in enumerate(pieces[:point]) if first >= 0)
    end = digits[-1] if digits else -1
    scaled = 0
    kept: list[list[Piece]] = [[], []]
    for n, piece in enumerate(pieces):
        if piece.kind == "comma" and digits and n > digits[0]:
            scaled += n > last if n < point else n > end
            continue
        kept[n >= point].append(Piece("literal", ",") if piece.kind == "comma" else piece)
    return kept[0], kept[1], parted, scaled


def _decimal(section: Section, size: float) -> str:
    before, behind, parted, scaled = _parts(section)
    n_percent = sum(piece.kind == "percent" for piece in section.pieces)
    places = sum(piece.kind == "digit" for piece in behind)
    exact = Decimal(f"{size:.15g}") * 100**n_percent / 1000**scaled
    value = exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    whole, _, decimals = f"{value:f}".partition(".")
    return _whole(before, whole.lstrip("0"), parted) + _behind(behind, decimals)


def _whole(pieces: list[Piece], digits: str, parted: bool) -> str:
    """Return the digits before the point in their places, from the right; the first place takes what is left."""
    holders = [n for n, piece in enumerate(pieces) if piece.kind == "digit"]
    out: list[str] = []
    place = 0
    for n in range(len(pieces) - 1, -1, -1):
        piece = pieces[n]
        if piece.kind != "digit":
            out.append(piece.text)
            continue
        taken = digits if n == holders[0] else digits[-1:]
        digits = "" if n == holders[0] else digits[:-1]
        for digit in reversed(taken) if taken else [{"0": "0", "?": " "}.get(piece.text, "")]:
            if digit and parted and place and place % 3 == 0:
                out.append(" " if digit == " " else ",")
            out.append(digit)
            place += 1
    return (digits if not holders else "") + "".join(reversed(out))


def _behind(pieces: list[Piece], decimals: str) -> str:
    significant = len(decimals.rstrip("0"))
    out, place = "", 0
    for piece in pieces:
        if piece.kind != "digit":
            out += piece.text
            continue
        if place < significant or piece.text == "0":
            out += decimals[place]
        elif piece.text == "?":
            out += " "
        place += 1
    return out


def _scientific(section: Section, size: float) -> str:
    at = next(n for n, piece in enumerate(section.pieces) if piece.kind == "power")
    mantissa = Section(section.pieces[:at])
    before, behind, _, _ = _parts(mantissa)
    step = max(1, sum(piece.kind == "digit" for piece in before))
    places = sum(piece.kind == "digit" for piece in behind)
    power = 0
    if size:
        power = int(f"{size:.14e}".partition("e")[2]) // step * step
        if _rounded(float(Decimal(f"{size:.15g}").scaleb(-power)), places) >= 10**step:
            power += step
    shown = _decimal(mantissa, float(Decimal(f"{size:.15g}").scaleb(-power)))
    rest = section.pieces[at + 1 :]
    sign = "-" if power < 0 else "+" if section.pieces[at].text.endswith("+") else ""
    return f"{shown}E{sign}{_whole(list(rest), str(abs(power)).lstrip('0'), parted=False)}"


def _fraction(section: Section, number: float) -> str:
    """Return a number as a fraction of the nearest parts, with or without whole numbers before it."""
    pattern = "".join(piece.text for piece in section.pieces if piece.kind in ("digit", "slash", "literal", "other"))
    match = _FRACTION.search(pattern)
    if match is None or section.has("percent", "comma", "point", "power"):
        fail("#N/IMPL!")
    head, tail = pattern[: match.start()], pattern[match.end() :]
    if re.search(r"[#0?/]", head + tail):
        fail("#N/IMPL!")
    exact = Fraction(Decimal(f"{abs(number):.15g}"))
    whole, rest = divmod(exact, 1) if match["whole"] else (0, exact)
    fixed = match["bottom"].isdigit() and match["bottom"].strip("0") != ""
    bottom = int(match["bottom"]) if fixed else 0
    parts = Fraction(round(rest * bottom), bottom) if fixed else rest.limit_denominator(10 ** len(match["bottom"]) - 1)
    top = int(parts * bottom) if fixed else parts.numerator
    bottom = bottom or parts.denominator
    if match["whole"] and top == bottom:
        whole, top, bottom = whole + 1, 0, 1
    shown_whole = _padded(match["whole"], int(whole)) if match["whole"] else ""
    if match["whole"] and top == 0:
        shown = (shown_whole or "0") + " " * (len(match["gap"]) + len(match["top"]) + 1 + len(match["bottom"]))
    else:
        below = str(bottom) if fixed else str(bottom).ljust(len(match["bottom"]) if "?" in match["bottom"] else 0)
        shown = f"{shown_whole}{match['gap'] or ''}{_padded(match['top'], top)}/{below}"
    return ("-" if number < 0 and (whole or top) else "") + head + shown + tail


def _padded(places: str, number: int) -> str:
    """Return a whole number in its places; 0 shows only where there is a place for it."""
    digits = str(number) if number or "0" in places else ""
    if set(places) == {"#"}:
        return digits
    return digits.rjust(len(places), "0" if set(places) == {"0"} else " ")
