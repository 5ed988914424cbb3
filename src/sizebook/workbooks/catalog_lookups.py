"""Prices, power and carbon of planning workbooks: as given, else from the catalog, else marked as not listed.

What is listed stands in lines of its own, where a look-up without an answer shows `NOT_LISTED`. Money that needs it
then shows an error, and energy is blank: what nobody knows is not 0. The statement `unlisted` names what is missing for
a banner.
"""

from collections.abc import Callable, Mapping

from sizebook.functions import find
from sizebook.tables.price_rows import TERMS
from sizebook.workbooks import styles
from sizebook.workbooks.line_sheet import LineSheet
from sizebook.workbooks.references import text
from sizebook.workbooks.text_formulas import part

NOT_LISTED = "not listed"
Used = Callable[[str], str]  # finishes a formula
_TERM = next(argument for argument in find("PRICE_USD_PER_GPU_HOUR").arguments if argument.name == "term")
_AS_IT_IS: Used = "={}".format


def looked_up(call: str) -> str:
    """Return the expression of what a function looks up, `NOT_LISTED` where it finds nothing."""
    return f'IFERROR({call},"{NOT_LISTED}")'


def number_or_not_listed(cell: str) -> str:
    """Return the expression of a figure that a table gives, `NOT_LISTED` where it gives none; an error stays one."""
    return f'IF(ISNUMBER({cell}),{cell},IF(ISERROR({cell}),{cell},"{NOT_LISTED}"))'


def price_lines(page: LineSheet, used: Used = _AS_IT_IS) -> None:
    """Add what a GPU-hour costs by every term, and the lines `price`, as given or by the term of Inputs, its
    ends `price_low` and `price_high`, and `price_now`, that of the scenario.

    All terms are looked up, so that another one needs no function.
    """
    number = f"MATCH({{term}},{page.book.choices(_TERM.label, TERMS)},0)"
    for name, label, quantile, given in (
        ("price", "GPU-hour", "p50", "{price_usd_per_gpu_hour}"),
        ("price_low", "GPU-hour, low", "p10", "{price}"),
        ("price_high", "GPU-hour, high", "p90", "{price}"),
    ):
        for term in TERMS:
            counted = 'IF({rented_gpus}="",{gpus},{rented_gpus})'
            call = page.book.call(
                "PRICE_USD_PER_GPU_HOUR", term=text(term), price_quantile=text(quantile), rented_gpus=counted
            )
            page.line(
                f"listed_{name}_{term}",
                f"{label}, {term}",
                used(looked_up(call)),
                "USD/GPU-hour",
                f"{quantile} of the catalog's providers",
                styles.RATE,
            )
        of_term = f"INDEX({{listed_{name}_{TERMS[0]}:listed_{name}_{TERMS[-1]}}},{number})"
        page.line(
            name,
            label,
            used(f'IF({{price_usd_per_gpu_hour}}="",{of_term},{given})'),
            "USD/GPU-hour",
            "As given, else listed for the term",
            styles.RATE,
        )
    page.line(
        "price_now", "GPU-hour, scenario", used("{price}*{use_price}"), "USD/GPU-hour", "x the scenario's", styles.RATE
    )


def power_lines(page: LineSheet, used: Used = _AS_IT_IS, *, limited: bool = False) -> None:
    """Add the lines `power` of a GPU at work and `grams` of a kWh, each as given, else as listed.

    With ``limited`` a power limit of Inputs stands before the listed TDP.
    """
    call = page.book.call("GPU_SPEC", field='"tdp_watts"')
    page.line(
        "listed_watts", "Power of a GPU, listed", used(looked_up(call)), "watts", "The catalog's TDP", styles.NUMBER
    )
    own = 'IF({power_limit_watts}="",{listed_watts},{power_limit_watts})' if limited else "{listed_watts}"
    page.line(
        "power",
        "Power of a GPU at work",
        used(f'IF({{watts}}="",{own},{{watts}})'),
        "watts",
        f"As given, else {'its limit or ' if limited else ''}TDP",
        styles.NUMBER,
    )
    if used is _AS_IT_IS:  # a page of phases has blank columns of its own
        page.book.may_be_unlisted("power")
    grid = looked_up(page.book.call("GRID_G_PER_KWH"))
    page.line("listed_grams", "Carbon of the grid, listed", used(grid), "gCO2e/kWh", "The catalog's", styles.NUMBER)
    page.line(
        "grams",
        "Grams of CO2e per kWh",
        used('IF({grams_per_kwh}="",{listed_grams},{grams_per_kwh})'),
        "gCO2e/kWh",
        "As given, else the grid's",
        styles.NUMBER,
    )


_KNOWN = {"price": "price_usd_per_gpu_hour", "power": "watts", "grams": "grams_per_kwh"}


def unlisted_statement(page: LineSheet, known: Mapping[str, str] = _KNOWN) -> None:
    """Add the statement `unlisted`: what neither Inputs nor the catalog tell; empty where all is known.

    ``known`` are lines, and the inputs that give them.
    """
    counts = {name: part(f'COUNTIF({{{line}.listed}},"{NOT_LISTED}")') for line, name in known.items()}
    shown = "&".join(f'IF({count}>0," {name}","")' for name, count in counts.items())
    page.statement(
        "unlisted",
        "What is not listed",
        f'=IF({"+".join(counts.values())}=0,"","NOT LISTED, and not given on Inputs:"&{shown}&". What needs it is '
        'blank or an error, not 0. Type it on Inputs.")',
        "Empty where every price, power and grid is known",
    )


def _all_known(known: Mapping[str, str]) -> str:
    return f"AND({','.join(map(_is_known, known))})"


def _is_known(line: str) -> str:
    return f"COUNT({{{line}.listed}})=COUNTA({{{line}.listed}})"


def known_check(known: Mapping[str, str] = _KNOWN) -> tuple[str, str, str]:
    """Return the check that every price, power and grid is known."""
    return (
        "Price, power and carbon are known",
        f"={_all_known(known)}",
        "A figure each, given on Inputs or listed in the catalog",
    )


KNOWN_CHECK = known_check()
