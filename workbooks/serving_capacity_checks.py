"""The checks of `serving_capacity.xlsx`: the plan keeps its promises, and single functions give the same figures."""

from __future__ import annotations

from serving_capacity_inputs import Staged

from sizebook.plans.ledgers import ENDS
from sizebook.plans.serving.replica import MOST_IN_FLIGHT

Check = tuple[str, str, str]  # label, formula that is TRUE when all is well, what it compares


def checks(staged: Staged) -> tuple[Check, ...]:
    """Return the checks of the workbook."""
    return (*_OF_THE_REPLICA, *_with_the_plan(staged), *_of_the_months(staged))


def _within(figure: str) -> str:
    return f"=IF(ISNUMBER({{{figure}_limit}}),{{{figure}}}<={{{figure}_limit}},TRUE)"


def _same(*pairs: tuple[str, str]) -> str:
    """Return the condition that figures are equal but for the last digits of their arithmetic."""
    equal = (f"ABS({one}-{other})<=10^-9*ABS({other})" for one, other in pairs)
    return f"=AND({','.join(equal)})"


def _missed(figure: str) -> str:
    return f"AND(ISNUMBER({{{figure}_limit}}),{{{figure}_more}}>{{{figure}_limit}})"


_OF_THE_REPLICA: tuple[Check, ...] = (
    ("One request fits", "={most}>=1", "MAX_CONCURRENCY at the longest request"),
    ("The load fits in the cache", "={load}<={most}", "Requests in flight against MAX_CONCURRENCY"),
    ("Time to first token meets its target", _within("ttft"), "At p50 or p90 of the band; holds without one"),
    ("Time per output token meets its target", _within("tpot"), "At p50 or p90 of the band; holds without one"),
    (
        "No larger load meets them",
        f'=OR({{separate_prefill}}="yes",{{request_percentile}}<>"",{{concurrency}}<>"",{{load}}>=MIN({{most}},{MOST_IN_FLIGHT}),{_missed("ttft")},{_missed("tpot")})',
        "One request more misses a target or exceeds the cache; holds where it is given, simulated or of pools",
    ),
    (
        "The context is one the model knows",
        '=IFERROR(OR({input_seconds}<>"",{plan_longest_tokens}<=MODEL_SPEC({chosen},"context_length")),TRUE)',
        "Longest request against MODEL_SPEC(model, context_length)",
    ),
    (
        "The fleet takes the busiest hour",
        "={peak}<=({replicas}-{spare_replicas})*{rate}*{target_load}*(1+10^-9)",
        "Requests a second against working replicas x rate x target load",
    ),
)


def _with_the_plan(staged: Staged) -> tuple[Check, ...]:
    first_gpus = staged.months.month("peak_gpus", 1)
    return (
        (
            "Latency is the plan's",
            _same(("{ttft}", "{plan_ttft_seconds_held}"), ("{tpot}", "{plan_tpot_seconds_held}")),
            "TTFT_SECONDS and TPOT_SECONDS, or SERVING_PERCENTILE, against Plan",
        ),
        ("Rate of a replica is the plan's", _same(("{rate}", "{plan_requests_per_second}")), "Calculation, Plan"),
        (
            "Memory is the plan's",
            _same(("{weights}", "{plan_weight_bytes}"), ("{cache}", "{plan_cache_bytes}")),
            "Weights and cache: Calculation, Plan",
        ),
        ("Requests that the cache holds are the plan's", "={most}={plan_capacity}", "MAX_CONCURRENCY against Plan"),
        ("Spare replicas are the plan's", "={spare_replicas}={plan_spare_replicas}", "Calculation, Plan"),
        ("GPUs of the first month are the plan's", f"={{gpus_paid}}={first_gpus}", "Calculation, Months"),
    )


def _of_the_months(staged: Staged) -> tuple[Check, ...]:
    months = staged.months
    reserved, on_demand, usd = (months.months(name) for name in ("reserved_usd", "on_demand_usd", "usd"))
    outside = "+".join(
        f"SUMPRODUCT(--({months.months(low)}>{months.months(high)}))"
        for name, *ends in ENDS
        for low, high in ((f"{name}_{ends[0]}", name), (name, f"{name}_{ends[1]}"))
    )
    first = (
        f"{months.month('reserved_usd', 1)}+{months.month('on_demand_usd', 1)}-{months.month('usd', 1)}"
    )  # fmt: skip
    return (
        ("Every month asked for is there", '=OR({months}="",{n_months}={months})', "Rows of Months against Inputs"),
        (
            "Reserved and on demand add up to the cost",
            f"=AND(ABS({first})<=10^-9*{months.month('usd', 1)},"
            f"ABS(SUM({reserved})+SUM({on_demand})-SUM({usd}))<=10^-9*SUM({usd}))",
            "Months: the first, and all of them",
        ),
        ("The range holds the plan", f"={outside}=0", "Months: GPUs and cost, every month"),
        (
            "The plan's figures are those of this workbook",
            f"=AND({staged.figures.as_declared},{months.as_declared})",
            "Names on Plan and Months; another version of sizebook may give others",
        ),
    )
