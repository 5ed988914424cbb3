"""Lines of what a GPU-hour costs, on demand and under contracts of one year and of three, in plans that buy GPUs."""

from collections.abc import Callable

from sizebook.workbooks import styles
from sizebook.workbooks.addin_calls import unless_waiting
from sizebook.workbooks.catalog_lookups import number_or_not_listed
from sizebook.workbooks.line_sheet import LineSheet
from sizebook.workbooks.timeline import some_months

# Terms of contracts: the constant of their months, and their price.
TERMS = {"1y": ("months_a_year", "reserved"), "3y": ("months_of_three_years", "reserved_3y")}
# Columns of listed prices, and the words for them, by what they are for.
KINDS = {
    "on_demand": ("on_demand", "on demand"),
    "reserved": ("reserved_1y", "reserved"),
    "reserved_3y": ("reserved_3y", "reserved for three years"),
}

# What to know of contracts where their function is missing and the traffic changed: ``hold`` is 0 then.
CONTRACTS_WAIT = (
    '=IF({hold}=1,"","Contracts to sign wait for sizebook, as traffic changed; all but what runs is on demand.")'
)


def gpu_hour_lines(page: LineSheet, used: Callable[[str], str] = "={}".format, *, ends_now: bool = False) -> None:
    """Add the price of each kind with its ends, and what the scenario makes of it, with ``ends_now`` of its ends too;
    ``used`` finishes a formula."""
    for kind, (column, words) in KINDS.items():
        given, listed = f"{{{kind}_usd_per_gpu_hour}}", f"{{plan_listed_{column}_usd_per_gpu_hour}}"
        other = unless_waiting(f"IF(ISNUMBER({listed}),MIN({listed},{{on_demand_price}}),{{on_demand_price}})")
        if kind == "on_demand":
            other = number_or_not_listed(listed)
        page.line(
            f"{kind}_price",
            f"GPU-hour {words}",
            used(f'IF({given}="",{other},{given})'),
            "USD/GPU-hour",
            "As given, else the catalog's median; reserved never above on demand",
            styles.RATE,
        )
        for end in ("low", "high"):
            page.line(
                f"{kind}_{end}",
                f"GPU-hour {words}, {end}",
                used(f'IF({given}="",{_end(kind, end, listed)},{given})'),
                "USD/GPU-hour",
                "As given, else the 10th or 90th percentile of providers",
                styles.RATE,
            )
        for end in ("", "_low", "_high") if ends_now else ("",):
            price = f"{{{kind}{end or '_price'}}}"
            page.line(
                f"{kind}{end}_now",
                f"GPU-hour {words}, scenario{end.replace('_', ', ')}",
                f"=IF(ISNUMBER({price}),{price}*{{use_{kind.removesuffix('_3y')}}},NA())",
                "USD/GPU-hour",
                "x the scenario's",
                styles.RATE,
            )
    page.line(
        "prepaid_share",
        "Prepaid of a contract",
        '=IF({prepay}="all",1,IF({prepay}="part",{half},0))',
        "ratio",
        "Inputs: paid at signing",
        styles.PERCENT,
    )


def _end(kind: str, end: str, listed: str) -> str:
    """Return the expression of a listed price at one end: reserved never above on demand, nor where its median is."""
    ends = f"{{plan_listed_{KINDS[kind][0]}_{end}_usd_per_gpu_hour}}"
    if kind == "on_demand":
        return number_or_not_listed(ends)
    taken = f"IF(N({listed})>N({{on_demand_price}}),{{on_demand_{end}}},MIN({ends},{{on_demand_{end}}}))"
    return f"IF(ISNUMBER({listed}),{taken},{{on_demand_{end}}})"


def in_force(months: str, *rows: str) -> str:
    """Return the total of what is under contract in a month: signed in it or before, for so many months.

    Where two rows are given, each month's figures are multiplied, as GPUs with the price when they were signed.
    """
    first = f"MAX(1,{{month}}+1-{{{months}}})"
    running = ",".join(some_months(row, first, "{month}") for row in rows)
    return f"{'SUM' if len(rows) == 1 else 'SUMPRODUCT'}({running})"
