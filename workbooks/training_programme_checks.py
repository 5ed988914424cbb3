"""The checks of `training_programme.xlsx`: parts and totals, months and budget, the plan itself."""

from itertools import pairwise

from training_programme_inputs import PHASES
from training_programme_months import PARTS
from training_programme_phases import Staged

from sizebook.plans.training.case import NAMES
from sizebook.workbooks.catalog_lookups import KNOWN_CHECK
from sizebook.workbooks.finance import RATES_HOLD
from sizebook.workbooks.text_formulas import all_equal, all_hold, nearly_equal

Check = tuple[str, ...]  # label, formula that is TRUE when all is well, what it compares, when it cannot be made
# Of the plan's budget what the workbook's own formulas give.
_OF_THE_PLAN = ("days", "gpu_hours", *PARTS, "usd", "energy_kwh", "co2e_kg", "peak_mw")


def checks(staged: Staged) -> tuple[Check, ...]:
    """Return the checks of the workbook."""
    return (*_OF_PHASES, *_OF_THE_BUDGET, *_OF_MONTHS, *_with_the_plan(staged))


_USES = ("training", "forward", "rollout", "waiting")
_OF_PHASES: tuple[Check, ...] = (
    (
        "Every phase fits",
        "=SUMPRODUCT(--({days_middle.all}>0),--({plan_memory_bytes.all}>{plan_capacity_bytes.all}))=0",
        "Fullest GPU against what there is",
    ),
    (
        "Uses add up to the GPU-hours of a phase",
        all_equal(
            *(
                (
                    "SUM("
                    + ",".join(f"{{plan_{use}_gpu_hours.{phase}}}" for use in _USES)
                    + f")*{{use_hours.{phase}}}",
                    f"{{hours_middle.{phase}}}",
                )
                for phase in PHASES
            )
        ),
        "Training, reference models, answers and waiting",
    ),
    (
        "GPU-hours are GPUs and days",
        all_equal(
            *(
                (
                    f"IF({{days_middle.{phase}}}=0,0,{{plan_gpus.{phase}}}*{{days_middle.{phase}}}*{{hours_a_day}})",
                    f"{{hours_middle.{phase}}}",
                )
                for phase in PHASES
            )
        ),
        "GPUs x days x 24 against GPU-hours",
    ),
    (
        "Phases follow one another",
        "="
        + all_hold(
            f"IF({{days_middle.{later}}}>0,{{starts_on.{later}}}+{{rounding}}>={{ends_on.{phase}}},TRUE)"
            for phase, later in pairwise(PHASES)
        ),
        "Each starts no sooner than the one before it ends",
    ),
    (
        "The range holds the middle",
        "=AND({usd.low}<={usd.middle},{usd.middle}<={usd.high},{days.low}<={days.middle},{days.middle}<={days.high})",
        "Cost and days",
    ),
)
_OF_THE_BUDGET: tuple[Check, ...] = (
    (
        "Parts add up to the cost",
        all_equal(*(("+".join(f"{{{part}.{case}}}" for part in PARTS), f"{{usd.{case}}}") for case in NAMES)),
        "Budget, all three cases",
    ),
    (
        "Experiments cost what their GPU-hours do",
        all_equal(
            *(
                (
                    f"{{ablation_usd.{case}}}+{{evaluation_usd.{case}}}",
                    f"({{phases_usd.{case}}}-SUM({{beside_usd.all}}))*({{more.{case}}}-1)",
                )
                for case in NAMES
            ),
            *((f"{{ablation_now.{case}}}", "{ablation_now.middle}") for case in (NAMES[0], NAMES[-1])),
        ),
        "Ablations, failed runs and evaluation against GPU-hours beyond those of the phases; one share in all cases",
    ),
    KNOWN_CHECK,
    (
        "Phases cost what the budget says",
        all_equal(("SUM({phase_usd.all})", "{phases_usd.middle}")),
        "Phases against Budget",
    ),
    (
        "A GPU-hour costs what Inputs say",
        "="
        + all_hold(
            f'IF(OR({{model.{n}}}="",{{price_usd_per_gpu_hour.{n}}}=""),TRUE,'
            f"{nearly_equal(f'{{price_now.{n}}}', f'{{price_usd_per_gpu_hour.{n}}}*{{use_price.{n}}}')})"
            for n in PHASES
        ),
        "Phases against Inputs, where a price is given",
    ),
    (
        "Checkpoints are those of trained parameters",
        all_equal(
            (
                "SUMPRODUCT({kept_checkpoints.all},{plan_trained_parameters.all})*{checkpoint_bytes_per_parameter}/{terabyte}"
                "*{retention_months}*{usd_per_tb_month}*{use_storage.1}",
                "{storage_usd.middle}",
            )
        ),
        "Checkpoints x parameters x bytes x months x price, all phases together, against Budget",
    ),
    (
        "Energy and carbon are those of the phases",
        all_equal(
            ("SUM({phase_kwh.all})*{more.middle}", "{energy_kwh.middle}"),
            ("SUM({phase_kg.all})*{more.middle}", "{co2e_kg.middle}"),
        ),
        "Phases against Budget",
    ),
)
_UNDATED = "COUNT({price_date.all})=0"
_OF_MONTHS: tuple[Check, ...] = (
    ("Every month is there", "={on.total}={months.middle}", "Months in the plan against Budget"),
    (
        "Every phase runs once",
        all_equal(*((f"{{share_{phase}.total}}", f"IF({{days_middle.{phase}}}=0,0,1)") for phase in PHASES)),
        "Shares of all months",
    ),
    (
        "Every phase ends once",
        all_equal(*((f"{{ended_{phase}.total}}", f"IF({{days_middle.{phase}}}=0,0,1)") for phase in PHASES)),
        "Months",
    ),
    (
        "Months add up to the budget",
        all_equal(
            ("{month_hours.total}", "{gpu_hours.middle}"),
            ("{month_kwh.total}", "{energy_kwh.middle}"),
            ("{month_kg.total}", "{co2e_kg.middle}"),
            ("{month_mw.total}", "{peak_mw.middle}"),
        ),
        "GPU-hours, energy, carbon, peak power",
    ),
    (
        "Money of the months is the budget's",
        f"=IF({_UNDATED},{all_equal(('{month_in_usd.total}', '{usd.middle}')).removeprefix('=')},TRUE)",
        "Holds where no dated price changes it",
    ),
    (
        "Parts of the months add up",
        all_equal(
            ("SUM({month_usd.all})", "{month_usd.total}"),
            (
                "{month_gpu_usd.total}+{month_other_usd.total}+{month_ablation_usd.total}+{month_evaluation_usd.total}"
                "+{month_data_usd.total}+{month_storage_usd.total}+{month_egress_usd.total}",
                "{month_usd.total}",
            ),
            (
                "SUMPRODUCT(({month_data_usd.all}+{month_storage_usd.all}+{month_egress_usd.all})"
                "/({currency_rate.all}+1-{on.all}))",
                "{data_usd.middle}+{storage_usd.middle}+{egress_usd.middle}",
            ),
        ),
        "Totals of Months",
    ),
    ("The cost to date ends at the whole", all_equal(("{usd_to_date.total}", "{month_usd.total}")), "Months"),
    (
        "Years add up to the whole",
        all_equal(("SUM({month_usd_by_year.all})", "{month_usd.total}")),
        "Years against Months",
    ),
    ("Quarters add up to the whole", all_equal(("SUM({month_usd_by_quarter.all})", "{month_usd.total}")), "Years"),
    (
        "The case of the cover costs what the months do",
        all_equal(("{cost_now}", "{month_usd.total}")),
        "What-if, from drivers in one formula, against Months",
    ),
    (
        "The table at its middle is the plan",
        f"=IF(AND({{step_hours.3}}=1,{{step_price.2}}=1),{nearly_equal('{cost_two_3_2}', '{cost_now}')},TRUE)",
        "Two-way at steps of 1 against What-if; holds at other steps",
    ),
    ("Mean power is no more than the peak", "={mean_mw.total}<={month_mw.total}*(1+{rounding})", "Months"),
    *RATES_HOLD,
)


def _with_the_plan(staged: Staged) -> tuple[Check, ...]:
    missing = f"{staged.budget.block.missing}=1"
    every = all_hold(
        nearly_equal(staged.of_the_plan(name, case), f"{{{name}.{case}}}") for name in _OF_THE_PLAN for case in NAMES
    )
    return (
        (
            "The budget is the plan's",
            f'=IF({{scenario}}="base",{every},TRUE)',
            "Budget against PROGRAMME_BUDGET, every part in every case; only in the scenario base",
            missing,
        ),
        (
            "Figures are those of this workbook",
            f"={staged.figures.as_declared}",
            "Names; another version may give others",
        ),
        (
            "The budget's figures are those of this workbook",
            f"={staged.budget.are_as_declared()}",
            "Names; another version may give others",
            missing,
        ),
    )
