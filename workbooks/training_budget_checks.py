"""The checks of `training_budget.xlsx`: the plan keeps its promises, and single functions give the same figures."""

from __future__ import annotations

from training_budget_inputs import Staged

from sizebook.plans.training.case import NAMES
from sizebook.training.memory import COMPONENTS

Check = tuple[str, str, str]  # label, formula that is TRUE when all is well, what it compares
SLACK = "10^-9"
# Figures that the band of the step's time moves.
BANDED = ("step_seconds", "train_days", "gpu_hours", "cost_usd", "energy_kwh", "co2e_kg", "embodied_kg",
          "programme_gpu_hours", "programme_days", "programme_cost_usd")  # fmt: skip
CAUSES = ("productive_usd", "lost_usd", "start_usd", "other_usd")
SPELLS = ("productive_seconds", "lost_seconds", "start_seconds")


def checks(staged: Staged) -> tuple[Check, ...]:
    """Return the checks of the workbook."""
    return (*_of_the_run(), *_of_the_cases(), *_with_the_plan(), _names(staged))


def _equal(one: str, other: str) -> str:
    """Return the condition that figures are equal but for the last digits of their arithmetic."""
    return f"ABS({one}-({other}))<={SLACK}*ABS({other})"


def _same(*pairs: tuple[str, str]) -> str:
    return f"=AND({','.join(_equal(one, other) for one, other in pairs)})"


def _middle(name: str) -> str:
    return f"{{plan_{name}.middle}}"


def _of_the_run() -> tuple[Check, ...]:
    parts = ",".join(f"{{plan_{name}}}<={{plan_total}}" for name in COMPONENTS)
    shares = ",".join(f"{{plan_mfu.{case}}}>0,{{plan_mfu.{case}}}<=1+{SLACK}" for case in NAMES)
    return (
        ("It fits", "={plan_total}<={plan_capacity}", "Memory needed against what there is"),
        ("GPUs are the product of the layout", "={product}={gpus}", "tp x pp x cp x dp against Inputs"),
        ("The batch divides", "={micro_batches}=INT({micro_batches})", "batch / (dp x micro_batch) is whole"),
        (
            "Components add up to the memory needed",
            _same((f"SUM({{plan_{COMPONENTS[0]}:plan_{COMPONENTS[-1]}}})", "{plan_total}")),
            "Sum of the components and Plan",
        ),
        ("No component is more than the whole", f"=AND({parts})", "Each component against what is needed"),
        ("MFU is a share", f"=AND({shares})", "Above 0 and at most 1, in every case"),
        (
            "Market-based carbon is stated where contracts are",
            '=IF({covered_share}="",{plan_co2e_market_kg.middle}="",ISNUMBER({plan_co2e_market_kg.middle}))',
            "Cases against the energy under contracts on Inputs",
        ),
    )


def _of_the_cases() -> tuple[Check, ...]:
    within = ",".join(
        f"{{plan_{name}.low}}<={_middle(name)}*(1+{SLACK}),{_middle(name)}<={{plan_{name}.high}}*(1+{SLACK})"
        for name in BANDED
    )
    return (
        ("The band contains the middle", f"=AND({within})", "Low, middle and high of time, cost, energy and carbon"),
        ("Causes add up to the cost", _sums("cost_usd", CAUSES), "Cases: all three"),
        ("Spells add up to the training time", _sums("train_seconds", SPELLS), "Cases: all three"),
    )


def _sums(total: str, parts: tuple[str, ...]) -> str:
    return _same(
        *(("+".join(f"{{plan_{part}.{case}}}" for part in parts), f"{{plan_{total}.{case}}}") for case in NAMES)
    )


def _with_the_plan() -> tuple[Check, ...]:
    band = (
        f"=IF(ISNUMBER({{given_share}}),{_equal('{plan_step_seconds.low}', '{plan_step_seconds.high}')},"
        f"AND({_equal('{plan_step_seconds.low}', '{step}*TRAIN_ERROR(10,{plan_run_family},{rates_file})')},"
        f"{_equal('{plan_step_seconds.high}', '{step}*TRAIN_ERROR(90,{plan_run_family},{rates_file})')}))"
    )
    market = f'=IF({{covered_share}}="",TRUE,{_equal("{co2e_market}", _middle("co2e_market_kg"))})'
    return (
        ("FLOPs are the plan's", _same(("{per_token}", "{plan_flops_per_token}")), "FLOPS_PER_TOKEN against Plan"),
        ("Memory is the plan's", _same(("{memory}", "{plan_total}")), "TRAIN_MEMORY_BYTES against Plan"),
        ("Step time is the plan's", _same(("{step}", _middle("step_seconds"))), "STEP_SECONDS against Cases"),
        (
            "Its band is that of measured runs",
            band,
            "TRAIN_ERROR of the plan's family against Cases; none at an MFU given",
        ),
        (
            "MFU and goodput are the plan's",
            _same(("{reached}", _middle("mfu")), ("{advancing}", _middle("goodput"))),
            "MFU and GOODPUT against Cases",
        ),
        (
            "Time follows from FLOPs",
            _same(("{days}", _middle("train_days")), ("{hours}", _middle("gpu_hours"))),
            "TRAIN_DAYS and GPU_HOURS against Cases",
        ),
        (
            "Cost is the plan's",
            _same(
                ("{cost}", _middle("cost_usd")),
                ("{cost_work}", _middle("productive_usd")),
                ("{cost_start}", _middle("start_usd")),
                ("{cost_other}", _middle("other_usd")),
            ),
            "TRAIN_COST_USD and its causes against Cases",
        ),
        (
            "The whole run is the plan's",
            _same(
                ("{whole_hours}", _middle("programme_gpu_hours")),
                ("{whole_days}", _middle("programme_days")),
                ("{whole_cost}", _middle("programme_cost_usd")),
            ),
            "GPU-hours x the factor of Plan, start-up once, against Cases",
        ),
        (
            "Energy and carbon are the plan's",
            _same(
                ("{energy}", _middle("energy_kwh")),
                ("{co2e}", _middle("co2e_kg")),
                ("{co2e_embodied}", _middle("embodied_kg")),
            ),
            "TRAIN_ENERGY_KWH, TRAIN_CO2E_KG, EMBODIED_CO2E_KG against Cases",
        ),
        ("Market-based carbon is the plan's", market, "MARKET_CO2E_KG against Cases; holds where it is not stated"),
    )


def _names(staged: Staged) -> Check:
    every = (staged.figures, staged.memory, staged.cases)
    return (
        "The plan's figures are those of this workbook",
        f"=AND({','.join(each.as_declared for each in every)})",
        "Names on Plan and Cases; another version of sizebook may give others",
    )
