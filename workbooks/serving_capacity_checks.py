"""The checks of `serving_capacity.xlsx`: promises kept, independent routes to the same figure, the plan itself."""

from serving_capacity_basis import KNOWN, Staged

from sizebook.core.sections import leaves
from sizebook.plans.commitments import ContractMonth
from sizebook.plans.ledgers import columns
from sizebook.plans.serving.months import Month
from sizebook.plans.serving.replica import MOST_IN_FLIGHT
from sizebook.workbooks.catalog_lookups import known_check
from sizebook.workbooks.finance import RATES_HOLD
from sizebook.workbooks.further_month_rows import alternatives_fit
from sizebook.workbooks.text_formulas import all_equal, all_hold, nearly_equal, part

Check = tuple[str, ...]  # label, formula that is TRUE when all is well, what it compares, when it cannot be made


def checks(staged: Staged) -> tuple[Check, ...]:
    """Return the checks of the workbook."""
    return (
        known_check(KNOWN),
        *_OF_THE_REPLICA,
        *_OF_THE_MONTHS,
        _contracts_fit(staged),
        alternatives_fit(staged.alternatives, "SERVING_ALTERNATIVES", staged.alternatives_hold),
        *_with_the_plan(staged),
    )


def _contracts_fit(staged: Staged) -> Check:
    """Return the check that what is to sign was found for the traffic of the inputs."""
    found_for = f"SUM({staged.contracts.block.column(len(leaves(ContractMonth)), 2)})"
    same = nearly_equal(found_for, "{needed_hours.total}")
    return (
        "Contracts were found for this traffic",
        f'=IF(AND({_BASE},{{sign_terms}}<>"none"),{same},TRUE)',
        "GPU-hours needed: SERVING_COMMITMENTS against Months",
        "{contracts_hold.1}=0",
    )


def _within(figure: str) -> str:
    return f"=IF(ISNUMBER({{{figure}_limit}}),{{{figure}}}<={{{figure}_limit}},TRUE)"


def _missed(figure: str) -> str:
    return f"AND(ISNUMBER({{{figure}_limit}}),{{{figure}_more}}>{{{figure}_limit}})"


_OF_THE_REPLICA: tuple[Check, ...] = (
    ("One request fits", "={most}>=1", "MAX_CONCURRENCY at the longest request"),
    ("The load fits in the cache", "={in_flight}<={most}", "Requests in flight against MAX_CONCURRENCY"),
    ("Time to first token meets its target", _within("ttft"), "At p50 or p90 of the band; holds without one"),
    ("Time per output token meets its target", _within("tpot"), "At p50 or p90 of the band; holds without one"),
    (
        "No larger load meets them",
        f'=OR({{separate_prefill}}="yes",{{request_percentile}}<>"",{{concurrency}}<>"",{{in_flight}}>=MIN({{most}},{MOST_IN_FLIGHT}),{_missed("ttft")},{_missed("tpot")})',
        "One request more misses a target or exceeds the cache; holds where it is given, simulated or of pools",
    ),
    (
        "The context is one the model knows",
        '=IFERROR(OR({input_seconds}<>"",{plan_longest_tokens}<=MODEL_SPEC({chosen},"context_length")),TRUE)',
        "Longest request against MODEL_SPEC(model, context_length)",
    ),
    (
        "Latency is that of single functions",
        all_equal(("{ttft}", "{plan_ttft_seconds_held}"), ("{tpot}", "{plan_tpot_seconds_held}")),
        "TTFT_SECONDS and TPOT_SECONDS, or SERVING_PERCENTILE, against SERVING_BASIS",
    ),
    ("Rate is in flight over time", all_equal(("{rate_again}", "{plan_requests_per_second}")), "Calculation, Basis"),
    (
        "Memory is that of single functions",
        all_equal(("{weights}", "{plan_weight_bytes}"), ("{cache}", "{plan_cache_bytes}")),
        "Weights and cache: Calculation, Basis",
    ),
    ("Requests that the cache holds are those", "={most}={plan_capacity}", "MAX_CONCURRENCY against Basis"),
)
_MIDDLE = all_equal(("{usd_two_3_2.total}", "{usd.total}"))
_POWER = "{{gpu_hours.all}}*{{plan_tdp_watts}}*{}*{{pue}}/{{thousand}}"
_BASE = 'AND({scenario}="base",COUNT({price_date.all})=0)'
_LEFT = "({months}+1-{month.all})"  # months of the plan from a month on
_SIGNED = tuple(
    f"SUMPRODUCT({{signed_{term}_gpus.all}}*(({_LEFT}<{{{months}}})*{_LEFT}+({_LEFT}>={{{months}}})*{{{months}}}))"
    for term, months in (("1y", "months_a_year"), ("3y", "months_of_three_years"))
)
_HELD = "{reserved_gpus.all}*{step}"
_OF_THE_MONTHS: tuple[Check, ...] = (
    (
        "The fleet takes the busiest hour",
        "=MAX({arrivals.all})*{most_share}<=({most_replicas.total}-{spare_replicas})*{rate}*{load}*(1+{rounding})",
        "Arrivals x busiest hour against replicas without spare ones x rate x target load, in the largest month",
    ),
    ("Every month asked for is there", "={on.total}={months}", "Months in the plan against Inputs"),
    (
        "Reserved and on demand add up to the cost",
        all_equal(("{reserved_usd.total}+{on_demand_usd.total}", "{usd.total}")),
        "Totals of Months",
    ),
    (
        "The hours bought are the hours run",
        "=AND(ABS({needed_hours.total}+{idle_hours.total}-{gpu_hours.total})<={rounding}*{gpu_hours.total},"
        "ABS({used_hours.total}+{on_demand_gpu_hours.total}-{needed_hours.total})<={rounding}*{gpu_hours.total},"
        "MIN({on_demand_gpu_hours.all})>=0,MIN({idle_hours.all})>=-{rounding}*{gpu_hours.total})",
        "Balance of GPU-hours: needed and idle against all, used and on demand against needed; none below zero",
    ),
    (
        "Contracts hold every replica that they can",
        f"=SUMPRODUCT(--({{always.all}}*{{step_gpus}}>{_HELD}))"
        f"+SUMPRODUCT(({{always.all}}<{{most_replicas.all}})*(({{always.all}}+{{step}})*{{step_gpus}}<={_HELD}))=0",
        "GPUs of the replicas held against GPUs reserved: no more, and no step less unless the busiest hour needs none",
    ),
    ("Years add up to the whole", all_equal(("SUM({usd_by_year.all})", "{usd.total}")), "Cost: Years against Months"),
    (
        "Quarters add up to the whole",
        all_equal(("SUM({usd_by_quarter.all})", "{usd.total}")),
        "Cost: Years against Months",
    ),
    ("The cost to date ends at the whole", all_equal(("{usd_to_date.total}", "{usd.total}")), "Months: to date, total"),
    (
        "Cost by hours is cost by cases",
        all_equal(("{usd_now.total}", "{usd.total}")),
        "Cases, from the shares of the day, against Months, from the replicas of each hour",
    ),
    (
        "Only terms that may be signed are signed",
        "=AND({signed_gpus.total}={signed_1y_gpus.total}+{signed_3y_gpus.total},"
        'OR({sign_terms}="any",AND(OR({sign_terms}="1y",{signed_1y_gpus.total}=0),'
        'OR({sign_terms}="3y",{signed_3y_gpus.total}=0))))',
        "GPUs to sign for: those of both terms together, none of a term that Inputs leaves out",
    ),
    (
        "Contracts are paid to their end",
        all_equal(
            (
                "{reserved_hours.total}",
                f"{{hours_a_month}}*(SUM({{running_gpus.all}})+{'+'.join(part(hours) for hours in _SIGNED)})",
            )
        ),
        "Hours under contract against GPUs to sign for x months of the term within the plan",
    ),
    (
        "The table at its middle is the plan",
        f"=IF(AND({{step_traffic.3}}=1,{{step_price.2}}=1),{_MIDDLE.removeprefix('=')},TRUE)",
        "Two-way at steps of 1 against Months; holds at other steps",
    ),
    (
        "Energy carries its carbon",
        all_equal(("{co2e_kg.total}*{thousand}", "{energy_kwh.total}*{grams}")),
        "Totals of Months",
    ),
    (
        "Traffic adds up to its course",
        all_equal(
            (
                "{requests.total}",
                "{requests_now}*{hours_a_month}/{hours_a_day}*SUMPRODUCT({course.all}*(1+{growth})^({month.all}-1))",
            )
        ),
        "Requests of all months against table, season and growth",
    ),
    (
        "Power lies between idle and busy",
        "="
        + all_hold(
            f"SUMPRODUCT(--({{energy_kwh.all}}{beyond}{_POWER.format(share)}*(1{sign}{{rounding}})))=0"
            for beyond, share, sign in (("<", "{idle_share}", "-"), (">", "{busy_share}", "+"))
        ),
        "Energy of every month against GPU-hours x power",
    ),
    (
        "The range holds the plan",
        "=AND({usd_least.total}<={usd.total}*(1+{rounding}),{usd.total}<={usd_most.total}*(1+{rounding}),"
        "SUMPRODUCT(--({peak_gpus_fewest.all}>{peak_gpus.all}))+SUMPRODUCT(--({peak_gpus.all}>{peak_gpus_most.all}))=0)",
        "Cost and GPUs if replicas are as fast, or as slow, as 1 in 10 measurements, and prices at their ends",
    ),
    *RATES_HOLD,
)


_COSTS = (
    *("reserved_usd", "on_demand_usd", "usd", "cash_usd", "input_usd", "cached_usd", "output_usd", "idle_usd"),
    *("usd_least", "usd_most"),
)
_PLANNED = (
    *(("SUM", name) for name in (*_COSTS, "requests", "gpu_hours", "signed_gpus", "on_demand_gpu_hours")),
    *(("SUM", name) for name in ("energy_kwh", "co2e_kg")),
    *(("MAX", name) for name in ("peak_gpus", "peak_nodes", "peak_gpus_fewest", "peak_gpus_most")),
)
_IN_USD = "SUMPRODUCT({{{}.all}}/({{currency_rate.all}}+1-{{on.all}}))".format


def _of_the_plan(staged: Staged, of: str, name: str, missing: str) -> Check:
    """Return the check of one row of Months against the plan: all of them in one formula would be read by nobody."""
    label = next(column.quantity.label for column in columns(Month) if column.name == name)
    own = _IN_USD(name) if name in _COSTS else f"{{{name}.total}}"
    same = nearly_equal(own, f"{of}({staged.of_the_plan(name)})")
    return (
        f"Plan: {label}",
        f"=IF({_BASE},{same},TRUE)",
        "Months against SERVING_LEDGER; holds with a scenario or dated prices",
        missing,
    )


def _with_the_plan(staged: Staged) -> tuple[Check, ...]:
    missing = f"{staged.plan.block.missing}=1"
    return (
        (
            "The cost is the plan's",
            all_equal((f"SUM({staged.of_the_plan('usd')})", _IN_USD("usd_plan"))),
            "Cases without a scenario against SERVING_LEDGER",
            missing,
        ),
        *(_of_the_plan(staged, of, name, missing) for of, name in _PLANNED),
        (
            "Figures are those of this workbook",
            f"=AND({staged.figures.as_declared},{staged.curve.are_as_declared()})",
            "Names; another version may give others",
        ),
        (
            "Columns of the plan are those of this workbook",
            f"={staged.plan.are_as_declared()}",
            "Names; another version may give others",
            missing,
        ),
    )
