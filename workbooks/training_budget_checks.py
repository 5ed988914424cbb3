"""The checks of `training_budget.xlsx`: independent routes, the balance of GPU-hours, months and cases, the plan."""

from itertools import pairwise

from training_budget_plan import FIGURES, Staged

from sizebook.plans.training.case import NAMES
from sizebook.training.memory import COMPONENTS
from sizebook.workbooks.catalog_lookups import KNOWN_CHECK
from sizebook.workbooks.finance import RATES_HOLD
from sizebook.workbooks.text_formulas import all_equal, all_hold, nearly_equal

Check = tuple[str, ...]  # label, formula that is TRUE when all is well, what it compares, when it cannot be made
# Figures that the band of the step's time moves.
BANDED = (
    "step_seconds",
    "train_days",
    "gpu_hours",
    "cost_usd",
    "programme_gpu_hours",
    "programme_days",
    "programme_cost_usd",
    "energy_kwh",
    "co2e_kg",
    "embodied_kg",
)
CAUSES = ("productive_usd", "lost_usd", "start_usd", "other_usd")
SPELLS = ("productive_seconds", "lost_seconds", "start_seconds")


def checks(staged: Staged) -> tuple[Check, ...]:
    """Return the checks of the workbook."""
    return (*_of_the_run(), *_of_the_cases(), *_by_functions(), *_OF_MONTHS, *_with_the_plan(staged), _names(staged))


def _middle(name: str) -> str:
    return f"{{plan_{name}.middle}}"


def _of_the_run() -> tuple[Check, ...]:
    parts = ",".join(f"{{plan_{name}}}<={{plan_total}}" for name in COMPONENTS)
    shares = ",".join(f"{{plan_mfu.{case}}}>0,{{plan_mfu.{case}}}<=1+{{rounding}}" for case in NAMES)
    return (
        ("It fits", "={plan_total}<={plan_capacity}", "Memory needed against what there is"),
        ("GPUs are the product of the layout", "={product}={gpus}", "tp x pp x cp x dp against Inputs"),
        ("The batch divides", "={micro_batches}=INT({micro_batches})", "batch / (dp x micro_batch) is whole"),
        (
            "Components add up to the memory needed",
            all_equal((f"SUM({{plan_{COMPONENTS[0]}:plan_{COMPONENTS[-1]}}})", "{plan_total}")),
            "Sum of the components and Plan",
        ),
        ("No component is more than the whole", f"=AND({parts})", "Each component against what is needed"),
        ("MFU is a share", f"=AND({shares})", "Above 0 and at most 1, in every case"),
        (
            "Market-based carbon where contracts are",
            '=IF({covered_share}="",{plan_co2e_market_kg.middle}="",ISNUMBER({plan_co2e_market_kg.middle}))',
            "Cases against the energy under contracts on Inputs",
        ),
    )


def _of_the_cases() -> tuple[Check, ...]:
    within = all_hold(
        f"{{plan_{name}.{low}}}<={{plan_{name}.{high}}}*(1+{{rounding}})"
        for name in BANDED
        for low, high in pairwise(NAMES)
    )
    return (
        ("The band contains the middle", f"={within}", "Low, middle and high of time, cost, energy and carbon"),
        ("Causes add up to the cost", _sums("cost_usd", CAUSES), "Cases: all three"),
        ("Spells add up to the training time", _sums("train_seconds", SPELLS), "Cases: all three"),
    )


def _sums(total: str, parts: tuple[str, ...]) -> str:
    return all_equal(
        *(("+".join(f"{{plan_{part}.{case}}}" for part in parts), f"{{plan_{total}.{case}}}") for case in NAMES)
    )


def _by_functions() -> tuple[Check, ...]:
    step = "{plan_step_seconds.@}*{use_speed}"
    low, high = (step.replace("@", case) for case in (NAMES[0], NAMES[-1]))
    band = (
        f"=IF(ISNUMBER({{given_share}}),{nearly_equal(low, high)},"
        f"AND({nearly_equal(low, '{step}*MAX({reached},TRAIN_ERROR(10,{plan_run_family},{rates_file}))')},"
        f"{nearly_equal(high, '{step}*TRAIN_ERROR(90,{plan_run_family},{rates_file})')}))"
    )
    return (
        ("FLOPs are the plan's", all_equal(("{per_token}", "{plan_flops_per_token}")), "FLOPS_PER_TOKEN against Plan"),
        ("Memory is the plan's", all_equal(("{memory}", "{plan_total}")), "TRAIN_MEMORY_BYTES against Plan"),
        ("Step time is the plan's", all_equal(("{step}", step.replace("@", "middle"))), "STEP_SECONDS against Cases"),
        (
            "Its band is that of measured runs",
            band,
            "TRAIN_ERROR of the plan's family against Cases; none at an MFU given",
        ),
        (
            "MFU and goodput are the plan's",
            all_equal(("{reached}", _middle("mfu")), ("{advancing}", _middle("goodput"))),
            "Rate x FLOPs / peak, and GOODPUT, against Cases",
        ),
        (
            "Time follows from FLOPs",
            all_equal(("{days}", _middle("train_days")), ("{hours}", _middle("gpu_hours"))),
            "FLOPs / (GPUs x peak x MFU x goodput) against steps x their time",
        ),
    )


_UNDATED = "COUNT({price_date.all})=0"
_OF_MONTHS: tuple[Check, ...] = (
    KNOWN_CHECK,
    (
        "Every month is there",
        "=AND({on.total}={months},{months}*{month_days}>=({over_days}+{plan_programme_days.middle})*(1-{rounding}),"
        "({months}-1)*{month_days}<{over_days}+{plan_programme_days.middle})",
        "Months in the plan, and their days, against the run; one of at most 60 months",
    ),
    ("The months hold the whole run", all_equal(("{share.total}", "1")), "Shares of all months"),
    (
        "GPU-hours are GPUs and days",
        all_equal(
            ("{gpus}*{plan_programme_days.middle}*{hours_a_day}", "{month_hours.total}"),
            ("{month_steady.total}+{month_beyond.total}", "{month_hours.total}"),
            ("{month_steady.total}", "{plan_gpu_hours.middle}"),
        ),
        "Balance of GPU-hours: days of Cases, months, steady state and what comes on top",
    ),
    (
        "Tokens are those of the run",
        all_equal(("{month_mtok.total}*{million}", "{tokens}*{use_tokens}")),
        "Months, Inputs",
    ),
    (
        "A GPU-hour costs what Inputs say",
        '=IF({price_usd_per_gpu_hour}="",TRUE,'
        f"{nearly_equal('{price_now}', '{price_usd_per_gpu_hour}*{use_price}')})",
        "Plan against Inputs, where a price is given",
    ),
    (
        "A GPU draws what Inputs or the catalog say",
        "=OR({power}={watts},{power}={power_limit_watts},{power}={listed_watts})",
        "Plan against Inputs and the listed TDP",
    ),
    (
        "Parts of the months add up",
        all_equal(
            ("SUM({month_usd.all})", "{month_usd.total}"),
            ("{month_gpu_usd.total}+{month_other_usd.total}", "{month_usd.total}"),
            ("{month_other_usd.total}", "{plan_other_usd.middle}*SUMPRODUCT({share.all},{currency_rate.all})"),
        ),
        "Totals of Months",
    ),
    (
        "Money of the months is that of Cases",
        f"=IF({_UNDATED},{nearly_equal('{month_in_usd.total}', '{plan_programme_cost_usd.middle}')},TRUE)",
        "Holds where no dated price changes it",
    ),
    (
        "Cost by months is cost by cases",
        all_equal(("{cost_now}", "{month_usd.total}"), ("{hours_now}", "{month_hours.total}")),
        "What-if, from drivers in one formula, against Months",
    ),
    (
        "The table at its middle is the plan",
        f"=IF(AND({{step_tokens.3}}=1,{{step_price.2}}=1),{nearly_equal('{cost_two_3_2}', '{cost_now}')},TRUE)",
        "Two-way at steps of 1 against What-if; holds at other steps",
    ),
    ("The cost to date ends at the whole", all_equal(("{usd_to_date.total}", "{month_usd.total}")), "Months"),
    (
        "Years add up to the whole",
        all_equal(("SUM({month_usd_by_year.all})", "{month_usd.total}")),
        "Years against Months",
    ),
    ("Quarters add up to the whole", all_equal(("SUM({month_usd_by_quarter.all})", "{month_usd.total}")), "Years"),
    (
        "Energy and carbon of the months are those of Cases",
        all_equal(("{month_kwh.total}", "{plan_energy_kwh.middle}"), ("{month_kg.total}", "{plan_co2e_kg.middle}")),
        "Months against Cases",
    ),
    *RATES_HOLD,
)


def _with_the_plan(staged: Staged) -> tuple[Check, ...]:
    missing = f"{staged.plan.block.missing}=1"
    stretches = (("step_seconds", "cost_usd"), ("embodied_kg", FIGURES[-1].name))  # between them energy and carbon
    every = all_hold(
        f"SUMPRODUCT(--(ABS({own}-{other})>{{rounding}}*ABS({other})))=0"
        for first, last in stretches
        for own, other in (
            [f"{{{kind}_{first}.{case}:{kind}_{last}}}" for kind in ("plan", "compared")] for case in NAMES
        )
    )
    powered = all_hold(
        nearly_equal(f"{{plan_{name}.{case}}}", f"{{compared_{name}.{case}}}")
        for name in ("energy_kwh", "co2e_kg")
        for case in NAMES
    )
    contracts = ",".join(
        nearly_equal(f"{{plan_co2e_market_kg.{case}}}", f"{{compared_co2e_market_kg.{case}}}") for case in NAMES
    )
    return (
        (
            "Every case is the plan's",
            f'=IF({{scenario}}="base",{every},TRUE)',
            "Cases against TRAINING_LEDGER, every figure; only in the scenario base",
            missing,
        ),
        (
            "Energy and carbon are the plan's",
            f'=IF({{scenario}}="base",{powered},TRUE)',
            "Cases against TRAINING_LEDGER; blank where no power is listed",
            missing,
        ),
        (
            "Market-based carbon is the plan's",
            f'=IF(AND({{scenario}}="base",{{covered_share}}<>""),AND({contracts}),TRUE)',
            "Cases against TRAINING_LEDGER; holds where it is not stated",
            missing,
        ),
    )


def _names(staged: Staged) -> Check:
    every = (staged.figures.as_declared, staged.memory.as_declared, staged.steps.are_as_declared())
    return (
        "The plan's figures are those of this workbook",
        f"=AND({','.join(every)})",
        "Names on Plan and Cases; another version of sizebook may give others",
    )
