"""CONVERT: amounts in one unit as amounts in another, with the prefixes of the metric system and of binary counts."""

from __future__ import annotations

from typing import Any

from sizebook.calculation.spreadsheet.coercing import each, fail, number, text

# What each unit is worth in the first of its kind, as the definitions of the units have it.
_INCH, _POUND, _CALORIE, _ACRE = 0.0254, 453.59237, 4.184, 4046.8564224
_LITRES_A_GALLON = 3.785411784
_UNITS: dict[str, dict[str, float]] = {
    "mass": {
        "g": 1, "sg": 14593.902937206364, "lbm": _POUND, "u": 1.660538782e-24, "ozm": _POUND / 16,
        "grain": _POUND / 7000, "cwt": _POUND * 100, "shweight": _POUND * 100, "uk_cwt": _POUND * 112,
        "lcwt": _POUND * 112, "hweight": _POUND * 112, "stone": _POUND * 14, "ton": _POUND * 2000,
        "uk_ton": _POUND * 2240, "LTON": _POUND * 2240, "brton": _POUND * 2240,
    },
    "length": {
        "m": 1, "mi": 63360 * _INCH, "Nmi": 1852, "in": _INCH, "ft": 12 * _INCH, "yd": 36 * _INCH, "ang": 1e-10,
        "ell": 45 * _INCH, "ly": 9460730472580800, "parsec": 3.0856775812815532e16, "pc": 3.0856775812815532e16,
        "Pica": _INCH / 72, "Picapt": _INCH / 72, "pica": _INCH / 6, "survey_mi": 1609.3472186944375,
    },
    "time": {"sec": 1, "s": 1, "yr": 31557600, "day": 86400, "d": 86400, "hr": 3600, "mn": 60, "min": 60},
    "pressure": {"Pa": 1, "p": 1, "atm": 101325, "at": 101325, "mmHg": 133.322, "psi": 6894.757293168361,
                 "Torr": 101325 / 760},
    "force": {"N": 1, "dyn": 1e-5, "dy": 1e-5, "lbf": 4.4482216152605, "pond": 0.00980665},
    "energy": {"J": 1, "e": 1e-7, "c": _CALORIE, "cal": 4.1868, "eV": 1.602176487e-19, "ev": 1.602176487e-19,
               "HPh": 2684519.537696173, "hh": 2684519.537696173, "Wh": 3600, "wh": 3600,
               "flb": 1.3558179483314004, "BTU": 1055.05585262, "btu": 1055.05585262},
    "power": {"W": 1, "w": 1, "HP": 745.6998715822702, "h": 745.6998715822702, "PS": 735.49875},
    "magnetism": {"T": 1, "ga": 1e-4},
    "volume": {
        "l": 1, "L": 1, "lt": 1, "tsp": _LITRES_A_GALLON / 768, "tspm": 0.005, "tbs": _LITRES_A_GALLON / 256,
        "oz": _LITRES_A_GALLON / 128, "cup": _LITRES_A_GALLON / 16, "pt": _LITRES_A_GALLON / 8,
        "us_pt": _LITRES_A_GALLON / 8, "uk_pt": 0.56826125, "qt": _LITRES_A_GALLON / 4, "uk_qt": 1.1365225,
        "gal": _LITRES_A_GALLON, "uk_gal": 4.54609, "ang3": 1e-27, "barrel": 42 * _LITRES_A_GALLON,
        "bushel": 35.23907016688, "ft3": 28.316846592, "in3": 0.016387064, "m3": 1000, "mi3": 4168181825440.5795,
        "yd3": 764.554857984, "GRT": 2831.6846592, "regton": 2831.6846592, "MTON": 1132.67386368,
    },
    "area": {"m2": 1, "uk_acre": _ACRE, "us_acre": 4046.872609874252, "ang2": 1e-20, "ar": 100, "ft2": 0.09290304,
             "ha": 10000, "in2": 0.00064516, "Morgen": 2500, "mi2": 2589988.110336, "Nmi2": 3429904,
             "yd2": 0.83612736},
    "information": {"bit": 1, "byte": 8},
    "speed": {"m/s": 1, "m/sec": 1, "m/h": 1 / 3600, "m/hr": 1 / 3600, "mph": 0.44704, "kn": 1852 / 3600,
              "admkn": 0.514773},
}  # fmt: skip
_METRIC = frozenset(
    [
        "g",
        "u",
        "m",
        "ang",
        "ly",
        "parsec",
        "pc",
        "sec",
        "s",
        "Pa",
        "p",
        "atm",
        "at",
        "mmHg",
        "Torr",
        "N",
        "dyn",
        "dy",
        "pond",
        "J",
        "e",
        "c",
        "cal",
        "eV",
        "ev",
        "Wh",
        "wh",
        "W",
        "w",
        "T",
        "ga",
        "l",
        "L",
        "lt",
        "ang3",
        "m3",
        "ang2",
        "m2",
        "ar",
        "ha",
        "bit",
        "byte",
        "m/s",
        "m/sec",
        "m/h",
        "m/hr",
        "K",
        "kel",
        "tspm",
    ]
)
_PREFIXES = {
    "Y": 1e24, "Z": 1e21, "E": 1e18, "P": 1e15, "T": 1e12, "G": 1e9, "M": 1e6, "k": 1e3, "h": 1e2, "da": 1e1,
    "e": 1e1, "d": 1e-1, "c": 1e-2, "m": 1e-3, "u": 1e-6, "n": 1e-9, "p": 1e-12, "f": 1e-15, "a": 1e-18, "z": 1e-21,
    "y": 1e-24,
}  # fmt: skip
_BINARY = {"Yi": 2**80, "Zi": 2**70, "Ei": 2**60, "Pi": 2**50, "Ti": 2**40, "Gi": 2**30, "Mi": 2**20, "ki": 2**10}
# A temperature t is (t + shift) * factor kelvins.
_TEMPERATURES = {
    "C": (273.15, 1.0), "cel": (273.15, 1.0), "F": (459.67, 5 / 9), "fah": (459.67, 5 / 9), "K": (0.0, 1.0),
    "kel": (0.0, 1.0), "Rank": (0.0, 5 / 9), "Reau": (218.52, 1.25),
}  # fmt: skip


def _unit(name: str) -> tuple[str, float]:
    """Return the kind of a unit and what it is worth."""
    for kind, units in _UNITS.items():
        if name in units:
            return kind, float(units[name])
    for prefixes, takes in ((_BINARY, ("bit", "byte")), (_PREFIXES, tuple(_METRIC))):
        for prefix, factor in prefixes.items():
            rest = name.removeprefix(prefix)
            if rest != name and rest in takes:
                for kind, units in _UNITS.items():
                    if rest in units:
                        power = int(rest[-1]) if rest[-1] in "23" else 1
                        return kind, units[rest] * float(factor) ** power
    return fail("#N/A")


def _convert(amount: Any, given: Any, wanted: Any) -> float:
    value, one, other = number(amount), text(given), text(wanted)
    if one in _TEMPERATURES and other in _TEMPERATURES:
        if one == other:
            return value
        (shift, factor), (back, divisor) = _TEMPERATURES[one], _TEMPERATURES[other]
        return (value + shift) * factor / divisor - back
    (kind, worth), (other_kind, other_worth) = _unit(one), _unit(other)
    return value * worth / other_worth if kind == other_kind else fail("#N/A")


FUNCTIONS = {"CONVERT": each(_convert)}
