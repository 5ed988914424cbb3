"""The checks of `fleet_plan.xlsx`: the plan keeps its promises, and the monthly sheets give its figures."""

from __future__ import annotations

from fleet_plan_lines import Staged
from fleet_plan_months import Sheets

from sizebook.plans.fleet.inputs import MONTHS
from sizebook.workbooks.building import Book

Check = tuple[str, str, str]  # label, formula that is TRUE when all is well, what it compares


def checks(book: Book, staged: Staged, sheets: Sheets) -> tuple[Check, ...]:
    """Return the checks of the workbook."""
    return (*_OF_SERVICES, *_with_the_plan(book, staged, sheets))


_OF_SERVICES: tuple[Check, ...] = (
    ("The load fits in the cache", '=IF({model}="",TRUE,{load}<={most})', "In flight against MAX_CONCURRENCY"),
    (
        "The context is one the model knows",
        '=IF({model}="",TRUE,IFERROR(OR({input_seconds}<>"",{input_tokens}+{output_tokens}'
        '<=MODEL_SPEC({chosen},"context_length")),TRUE))',
        "Prompt and answer against MODEL_SPEC(model, context_length)",
    ),
    ("Reserving costs less than burst", "={reserved_price}<={burst_price}", "Price of a GPU-hour"),
    ("A term divides three years", f"=MOD({MONTHS},{{term_months}})=0", f"{MONTHS} / length of a term is whole"),
    (
        "Rate of a replica is the plan's",
        '=IF({model}="",TRUE,ABS({rate}-{plan_requests_per_second})<=10^-9*{rate})',
        "Replicas against Plan",
    ),
    (
        "Spare replicas are the plan's",
        '=IF({model}="",TRUE,{spare_replicas}={plan_spare_replicas})',
        "Replicas against Plan",
    ),
)


def _with_the_plan(book: Book, staged: Staged, sheets: Sheets) -> tuple[Check, ...]:
    months = staged.months
    top, bottom = sheets.rows
    live = {name: f"Summary!${letter}${top}:${letter}${bottom}" for name, letter in sheets.summary.items()}

    def equal(*pairs: tuple[str, str, str]) -> str:
        apart = (
            f"SUMPRODUCT(--(ABS({live[one]}{scale}-{months.months(other)})>10^-9*{months.months(other)}))"
            for one, other, scale in pairs
        )
        return f"={'+'.join(apart)}=0"

    outside = "+".join(
        f"SUMPRODUCT(--({months.months(low)}>{months.months(high)}))"
        for low, high in (("peak_gpus_fewest", "peak_gpus"), ("peak_gpus", "peak_gpus_most"))
    )
    ends = "+".join(
        f"ABS(SUM({book.every_case(f'{end}_{name}', f'{end}_{name}')})-{months.month(f'peak_gpus_{end}', number)})"
        for end in ("fewest", "most")
        for name, number in (("first", 1), ("last", MONTHS))
    )
    return (
        (
            "GPUs of every month are the plan's",
            equal(("peak", "peak_gpus", ""), ("mean", "mean_gpus", ""), ("reserved", "reserved_gpus", "")),
            "Summary against Months: peak, mean and reserved",
        ),
        (
            "Cost of every month is the plan's",
            equal(("reserved_usd", "reserved_usd", ""), ("burst_usd", "burst_usd", ""), ("cost", "usd", "")),
            "Summary against Months: reserved, burst and together",
        ),
        (
            "Energy and carbon are the plan's",
            equal(("energy", "energy_kwh", ""), ("co2e", "co2e_kg", "*1000")),
            "Summary against Months",
        ),
        ("The range is the plan's", f"={ends}=0", "Replicas against Months: first and last month, fewest and most"),
        ("The range holds the plan", f"={outside}=0", "Months: fewest, plan and most GPUs, every month"),
        (
            "The plan's figures are those of this workbook",
            f"=AND({staged.figures.as_declared},{months.as_declared})",
            "Names on the staged tables; another version of sizebook may give others",
        ),
    )
