"""The run of `training_budget.xlsx` in three cases: time, GPU-hours, money, energy and carbon by ordinary formulas."""

from collections.abc import Callable

from training_budget_plan import FIGURES, HEADS, LABELS, Staged

from sizebook.plans.training.case import NAMES
from sizebook.workbooks import styles
from sizebook.workbooks.addin_calls import NEEDS_ADDIN
from sizebook.workbooks.book import Book
from sizebook.workbooks.cost_ranges import case_price, price_share
from sizebook.workbooks.data_validations import sentence
from sizebook.workbooks.declared_inputs import number_format
from sizebook.workbooks.line_sheet import LineSheet, new_sheet
from sizebook.workbooks.staged_tables import StagedRows

_USD = "*{gpus}*{plan_case_usd_per_gpu_hour}/{seconds_an_hour}"
# A figure's formula from those above it, lines of Plan and inputs; @ is what functions gave of it in that case.
_FORMULAS = {
    "step_seconds": "=@/{use_speed}",
    "tokens_per_s_per_gpu": "={batch}*{seq}/{gpus}/{plan_step_seconds}",
    "mfu": "={plan_tokens_per_s_per_gpu}*{plan_flops_per_token}/{plan_peak_flop_per_s}",
    "hfu": "=@*{use_speed}",
    "goodput": "=@",
    "productive_seconds": "={tokens_now}/{tokens_a_step}*{plan_step_seconds}",
    "lost_seconds": "={plan_productive_seconds}/{plan_goodput}-{plan_productive_seconds}",
    "start_seconds": "={start_hours}*{seconds_an_hour}",
    "train_seconds": "={plan_productive_seconds}+{plan_lost_seconds}+{plan_start_seconds}",
    "train_days": "={plan_train_seconds}/{seconds_a_day}",
    "gpu_hours": "={gpus}*{plan_train_seconds}/{seconds_an_hour}",
    "productive_usd": "={plan_productive_seconds}" + _USD,
    "lost_usd": "={plan_lost_seconds}" + _USD,
    "start_usd": "={plan_start_seconds}" + _USD,
    "other_usd": "={other_usd}*{use_other}",
    "cost_usd": "={plan_gpu_hours}*{plan_case_usd_per_gpu_hour}+{plan_other_usd}",
    "whole_run_factor": '={factor_now}*IF({programme_factor}="",@/@middle,1)',
    "programme_gpu_hours": "=({plan_gpu_hours}-{gpus}*{start_hours})*{plan_whole_run_factor}+{gpus}*{start_hours}",
    "programme_days": "={plan_programme_gpu_hours}/{gpus}/{hours_a_day}",
    "programme_cost_usd": "={plan_programme_gpu_hours}*{plan_whole_run_usd_per_gpu_hour}+{plan_other_usd}",
    "energy_kwh": "={plan_programme_gpu_hours}*{power}*(1+{host_share})*{pue}/{thousand}",
    "co2e_kg": "={plan_energy_kwh}*{grams}/{thousand}",
    "co2e_market_kg": '=IF({covered_share}="","",{plan_energy_kwh}*(1-{covered_share})*{residual}/{thousand})',
    "embodied_kg": "={plan_programme_gpu_hours}/{life_hours}*{kg_per_gpu}",
}


def _price_of(hours: str) -> Callable[[str], str]:
    """Return what gives the formula of a case's price, which puts the cost of its hours where both spreads do."""

    def formula(case: str) -> str:
        if case == "middle":
            return "={price_now}"
        return "=" + case_price(case, f"{{plan_{hours}.{case}}}/{{plan_{hours}.middle}}")

    return formula


_PRICES = {
    "case_usd_per_gpu_hour": _price_of("gpu_hours"),
    "whole_run_usd_per_gpu_hour": _price_of("programme_gpu_hours"),
}


def cases(book: Book, staged: Staged) -> None:
    """Add the sheet of the three cases: a step as predicted, and at both ends of its band."""
    page = new_sheet(
        book, "Cases", "The run in the scenario of the cover: as predicted, and at both ends of time and price.", NAMES
    )
    page.heads("Figure", origin="What it is")
    page.section("Low, middle and high in time and price")
    for figure in FIGURES:
        given = [staged.steps.cell(2 + row, 1 + HEADS.index(figure.name)) for row in range(len(NAMES))]
        formulas = tuple(
            _PRICES[figure.name](case)
            if figure.name in _PRICES
            else _FORMULAS[figure.name].replace("@middle", given[1]).replace("@", cell)
            for case, cell in zip(NAMES, given, strict=True)
        )
        page.line(
            f"plan_{figure.name}",
            figure.label,
            formulas,
            figure.quantity.unit,
            sentence(figure.quantity.meaning),
            number_format(figure.quantity),
        )
    page.constant(
        "price_share",
        LABELS["price_share_of_range"],
        price_share(
            ("{plan_programme_gpu_hours.low}", "{plan_programme_gpu_hours.high}"), ("{price_low}", "{price_high}")
        ),
        "ratio",
        "Squared logarithms of both ranges",
        styles.PERCENT,
    )
    _as_the_plan_gives(page, staged.plan)
    page.section("Calendar of the middle case, the whole run")
    page.constant("month_days", "Days of a month", "={hours_a_month}/{hours_a_day}", "days", "Inputs", styles.NUMBER)
    page.constant("first_month", "First of its first month", "={start}-DAY({start})+1", "", "Inputs", styles.DATE)
    page.constant(
        "over_days",
        "Days of that month before the run",
        "={month_days}*({start}-{first_month})/DAY(EOMONTH({start},0))",
        "days",
        "Share of its month x days of a month",
        styles.NUMBER,
    )
    page.constant(
        "months",
        "Months",
        "=MAX(1,ROUNDUP(({over_days}+{plan_programme_days.middle})/{month_days}-{rounding},0))",
        "months",
        "Days to the end of the whole run / days of a month",
        styles.WHOLE,
    )
    page.constant(
        "running_mw",
        "Power while it runs",
        "={gpus}*{power}*(1+{host_share})*{pue}/{million}",
        "MW",
        "GPUs x power x (1 + host) x PUE",
        styles.NUMBER,
    )
    page.finish()


def _as_the_plan_gives(page: LineSheet, ledger: StagedRows) -> None:
    """Add every figure as the plan gives it, blank where it needs what nobody lists; only checks refer to it."""
    page.section("What the plan gives, to compare with")
    missing = ledger.block.missing
    for column, figure in enumerate(FIGURES, 2):
        cells = (ledger.cell(2 + row, column) for row in range(len(NAMES)))
        shown = tuple(f'=IF({missing}=1,"{NEEDS_ADDIN}",IF(ISERROR({cell}),"",{cell}))' for cell in cells)
        page.line(
            f"compared_{figure.name}", figure.label, shown, figure.quantity.unit, "TRAINING_LEDGER", styles.NUMBER
        )
