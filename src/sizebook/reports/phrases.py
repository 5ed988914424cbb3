"""Words that several reports use of a number, a range or a table of data."""

from collections.abc import Sequence
from datetime import date

from sizebook.core.tables import table
from sizebook.core.texts import Day, Text, joined, plural, text
from sizebook.core.units import NOT_LISTED, grouped
from sizebook.plans.commitments import TERM_WORDS
from sizebook.plans.ledgers import headline_months

# What stands where an amount would, of which no table lists what it follows from.
NO_COST = text("No price is listed, so no cost")
NO_ENERGY = text("No power is listed, so no energy and no emissions")

# Choices that are words; the others are keys of tables and formats, which stay as they are written.
CHOICES = {
    str(word): word
    for word in (
        text("flat"),
        text("office"),
        text("consumer"),
        text("replica"),
        text("node"),
        text("visited"),
        text("all"),
        text("none"),
        text("lightest"),
        text("selective"),
        text("full"),
        text("attention"),
        text("location"),
        text("market"),
        text("ramp"),
        text("steps"),
        text("any"),
        text("part"),
    )
}
CHOICES |= TERM_WORDS
CHOICES |= {"as_needed": text("in the month that needs them"), "at_once": text("all before the first month")}


def gpus(number: int) -> Text:
    """Return ``1 GPU``, ``8 GPUs``."""
    return plural(number, "{n} GPU", "{n} GPUs")


def months(number: int) -> Text:
    """Return ``1 month``, ``36 months``."""
    return plural(number, "{n} month", "{n} months")


def scenarios(number: int) -> Text:
    """Return ``1 scenario``, ``12 scenarios``."""
    return plural(number, "{n} scenario", "{n} scenarios")


def months_cost(number: int, total: str, first: str, last: str) -> Text:
    """Return what a number of months cost together and each, at first and at last; all as they will be printed."""
    if total == NOT_LISTED:
        return NO_COST
    if first == last:
        return plural(
            number,
            "{n} month costs {usd}",
            "{n} months cost {usd}, {month} each",
            usd=total,
            month=first,
        )
    return text(
        "{months} cost {usd}, from {first} to {last} a month",
        months=months(number),
        usd=total,
        first=first,
        last=last,
    )


def busiest_hours(peaks: Sequence[int]) -> Text:
    """Return the GPUs of the busiest hour over the months: at first, at most where that lies between, and at last."""
    if len(set(peaks)) == 1:
        return text("{gpus} in every month", gpus=gpus(peaks[0]))
    first, *between, last = (peaks[at] for at in headline_months(peaks))
    if between:
        return text(
            "{gpus} at first, {most} at the peak, and {later} in the last month",
            gpus=gpus(first),
            most=grouped(between[0]),
            later=grouped(last),
        )
    return text("{gpus} at first and {later} in the last month", gpus=gpus(first), later=grouped(last))


def month_axis(start: date | None, first: str) -> Text:
    """Return what an axis of numbered months is called: by the first one's name where it has one."""
    return text("Month, 1 is {label}", label=first) if start else text("Month")


def numbered(months: Sequence[object]) -> tuple[str, ...]:
    """Return the numbers of months, as categories of a chart."""
    return tuple(str(at + 1) for at in range(len(months)))


# Tables of data that reports rest on.
_TABLES = {
    "models": text("catalog"),
    "dtypes": text("number formats"),
    "hardware": text("hardware"),
    "prices": text("prices"),
    "grid": text("grids"),
    "calibration_serving": text("calibration"),
    "calibration_training": text("calibration"),
}


def data_dates(*names: str) -> Text:
    """Return tables of data, each with its newest day."""
    return joined((text("{table} of {day}", table=_TABLES[name], day=newest(name)) for name in names), ", ")


def newest(name: str) -> Day:
    """Return the newest day of a table of data."""
    return Day(max(row["retrieved"] for row in table(name)))
