"""How quantities are shown. Inside, everything is bytes, FLOP, seconds, tokens, watts, USD and kilograms."""

import math

from sizebook.core.texts import THIN_SPACE, Figure, Short, Text, text

NO_BREAK_SPACE = "\u00a0"

# An amount that nobody listed: it stays NaN through all arithmetic, and every surface shows it in these words.
NOT_LISTED_USD = math.nan
NOT_LISTED = text("not listed")

_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_DECIMAL = ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_SHORT_SCALE = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))
_MOST_DECIMALS = 12
_NEXT_TO_NOTHING = 1e-4
_BINARY = ((2.0**50, "PiB"), (2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"))

# Units of things that are counted, after 1.
_ONE = {
    "GPUs": text("GPU"),
    "GPU-hours": text("GPU-hour"),
    "requests": text("request"),
    "tokens": text("token"),
    "months": text("month"),
    "days": text("day"),
    "hours": text("hour"),
    "years": text("year"),
    "replicas": text("replica"),
    "users": text("user"),
    "workers": text("worker"),
    "nodes": text("node"),
    "bits": text("bit"),
    "racks": text("rack"),
    "images": text("image"),
    "pixels": text("pixel"),
    "adapters": text("adapter"),
    "sequences": text("sequence"),
    "lines": text("line"),
    "seconds": text("second"),
    "bytes": text("byte"),
    "parameters": text("parameter"),
    "watts": text("watt"),
    "nats": text("nat"),
    "CPU-hours": text("CPU-hour"),
}


def grouped(count: int | float) -> str:
    """Return a whole number with thin spaces between thousands: ``1 234 567``."""
    if count != count:
        return NOT_LISTED
    return Figure(f"{round(count):,}".replace(",", THIN_SPACE))


def thousands(value: float) -> str:
    """Return a number rounded to one, in groups of three as plain text has them: ``1,079``."""
    return NOT_LISTED if value != value else f"{value:,.0f}"


def measure(value: float) -> str:
    """Return a number in as few digits as tell it: ``10.2``, ``4.16``."""
    return NOT_LISTED if value != value else f"{value:g}"


def significant(value: float, digits: int = 3) -> str:
    """Return a number to so many significant digits, whole digits always kept: ``16.1``, ``1 234``."""
    if value != value:
        return NOT_LISTED
    if value == 0 or not math.isfinite(value):
        return Figure("0" if value == 0 else str(value))
    value = float(f"{value:.{_MOST_DECIMALS}g}")  # sums of one value in another order are one figure
    decimals = digits - 1 - math.floor(math.log10(abs(value)))
    rounded = round(value, decimals)
    # Rounding can add a digit (9.996 -> 10.0), so the decimals are worked out again from the rounded number.
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(rounded))))
    return Figure(f"{value:,.{decimals}f}".replace(",", THIN_SPACE))


def _scaled(value: float, scale: tuple[tuple[float, str], ...], unit: str, digits: int) -> str:
    if value != value:
        return NOT_LISTED
    for index, (factor, prefix) in enumerate(scale):
        if abs(value) >= factor:
            shown = significant(value / factor, digits)
            # 999.96 M rounds to 1 000 M: step to the next larger prefix.
            if index and shown.replace(THIN_SPACE, "").startswith("1000"):
                factor, prefix = scale[index - 1]
                shown = significant(value / factor, digits)
            return Figure(f"{shown}{NO_BREAK_SPACE}{prefix}{unit}")
    return Figure(f"{significant(value, digits)}{NO_BREAK_SPACE}{unit}".rstrip(NO_BREAK_SPACE))


def distinct_figures(one: float, other: float) -> tuple[str, str]:
    """Return two figures of one unit that a text compares, whole or with the decimals that tell them apart.

    ``89.4`` and ``89.0``, not 89 and 89.
    """
    decimals = 0
    while one != other and decimals < _MOST_DECIMALS and f"{one:.{decimals}f}" == f"{other:.{decimals}f}":
        decimals += 1
    shown = (f"{value:,.{decimals}f}".replace(",", THIN_SPACE) for value in (one, other))
    return Figure(next(shown)), Figure(next(shown))


def parameters(count: float, digits: int = 3) -> str:
    """Return a count of parameters or tokens in the field's short scale: ``70.6 B``; below a thousand whole: ``16``."""
    if abs(count) < 1000 and float(count).is_integer():
        return Figure(round(count))
    return Short(_scaled(count, _SHORT_SCALE, "", digits))


def gigabytes(n_bytes: float) -> str:
    """Return bytes with powers of ten: ``16.1 GB``."""
    return _scaled(n_bytes, _DECIMAL, "B", 3)


def gibibytes(n_bytes: float, digits: int = 3) -> str:
    """Return bytes with powers of two: ``14.96 GiB``."""
    return _scaled(n_bytes, _BINARY, "", digits) if abs(n_bytes) >= 1024 else _scaled(n_bytes, (), "B", digits)


def flop(value: float, digits: int = 3) -> str:
    """Return floating-point operations: ``16.1 GFLOP``; from a thousand EFLOP on as a power: ``6.74 × 10²⁴ FLOP``."""
    if math.isfinite(value) and abs(value) >= 1e21:
        exponent = math.floor(math.log10(abs(value)))
        power = str(exponent).translate(_RAISED)
        return Figure(f"{significant(value / 10**exponent, digits)} × 10{power}{NO_BREAK_SPACE}FLOP")
    return _scaled(value, _DECIMAL, "FLOP", digits)


def usd(amount: float, digits: int = 3) -> str:
    """Return US dollars: ``$1.24 M``."""
    if amount != amount:
        return NOT_LISTED
    sign = "-" if amount < 0 else ""
    return Short(f"{sign}${_scaled(abs(amount), _SHORT_SCALE, '', digits)}")


def duration(seconds: float, digits: int = 3) -> str:
    """Return a duration in the largest unit that it fills: ``3.2 days``, ``41 ms``."""
    for factor, unit in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes"), (1.0, "s"), (1e-3, "ms")):
        if abs(seconds) >= factor:
            return Figure(f"{significant(seconds / factor, digits)}{NO_BREAK_SPACE}{unit}")
    return Figure(f"{significant(seconds * 1e6, digits)}{NO_BREAK_SPACE}us")


def energy(kwh: float, digits: int = 3) -> str:
    """Return electrical energy: ``1.24 GWh``, ``310 MWh``, ``12.0 kWh``."""
    return _scaled(kwh * 1e3, ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")), "Wh", digits)


def mass(kg: float, digits: int = 3) -> str:
    """Return a mass, of carbon dioxide in particular: ``12.3 t``, ``310 kg``."""
    if kg != kg:
        return NOT_LISTED
    if abs(kg) >= 1000:
        return Figure(f"{significant(kg / 1000, digits)}{NO_BREAK_SPACE}t")
    return Figure(f"{significant(kg, digits)}{NO_BREAK_SPACE}kg")


def percent(ratio: float, digits: int = 3) -> str:
    """Return a ratio as per cent: ``96.1 %``, and ``<0.01 %`` of what is next to nothing."""
    if ratio != ratio:
        return NOT_LISTED
    if 0 < ratio < _NEXT_TO_NOTHING:
        return Figure(f"<{100 * _NEXT_TO_NOTHING:g}{NO_BREAK_SPACE}%")
    return Figure(f"{significant(100 * ratio, digits)}{NO_BREAK_SPACE}%")


def amount(value: float, digits: int = 3) -> str:
    """Return a number that is a count where it is large and a measure where it is small: ``22 806``, ``0.411``."""
    return grouped(value) if abs(value) >= 1000 else significant(value, digits)


def brief(value: float, unit: str) -> str:
    """Return a value as a table of mixed units shows it: three significant digits, and the unit where it tells."""
    shown = {"seconds": duration, "USD": usd, "ratio": percent, "kWh": energy, "kgCO2e": mass, "bytes": gibibytes}
    if unit in shown:
        return shown[unit](value)
    return amount(value)


def in_unit(value: float, unit: str) -> str:
    """Return a value with its unit, the way a person reads it; ``unit`` is a unit of the registry."""
    if not math.isfinite(value):
        return NOT_LISTED if value != value else f"{value} {unit}"
    shown = {
        "parameters": text("{n} parameters ({short})", n=grouped(value), short=parameters(value)),
        "bytes": text(
            "{n} bytes ({binary}, {decimal})", n=grouped(value), binary=gibibytes(value), decimal=gigabytes(value)
        ),
        "FLOP": flop(value, 4)
        if abs(value) >= 1e6
        else text("{n} FLOP ({short})", n=significant(value, 4), short=flop(value)),
        "FLOP/token": text("{flop}/token", flop=flop(value, 4)),
        "seconds": text("{n} s ({short})", n=significant(value, 4), short=duration(value)),
        "USD": usd(value, 4),
        "ratio": text("{n} ({share})", n=significant(value, 4), share=percent(value)),
    }
    if unit in shown:
        return shown[unit]
    number = grouped(value) if float(value).is_integer() else significant(value, 4)
    return counted(number, unit) if unit else number


def counted(number: str, unit: str) -> Text:
    """Return a shown number with its unit: ``1 replica``, ``25 replicas``."""
    return text("{n} {unit}", n=number, unit=_ONE.get(unit, text(unit)) if number == "1" else text(unit))


def number_of(n: int, noun: str) -> str:
    """Return so many of something in words: ``1 GPU``, ``2 GPUs``, ``no rows``."""
    return f"{grouped(n) if n else 'no'} {noun}{'' if n == 1 else 's'}"
