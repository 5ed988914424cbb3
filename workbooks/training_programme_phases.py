"""The phases of `training_programme.xlsx`, a column each: what functions give, then hours, days, money and energy."""

from dataclasses import dataclass

from training_programme_inputs import DRIVERS, PHASES, WIDTHS

from sizebook.core.sections import leaves
from sizebook.plans.programme.figures import PhaseFigures
from sizebook.plans.programme.inputs import Phase, ProgrammeTerms
from sizebook.plans.programme.plan import Budget
from sizebook.plans.training.case import NAMES
from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.catalog_lookups import power_lines, price_lines, unlisted_statement
from sizebook.workbooks.cost_ranges import case_price
from sizebook.workbooks.line_sheet import LineSheet, new_sheet
from sizebook.workbooks.scenario_inputs import drivers_in_use
from sizebook.workbooks.shared_lines import CONFIG
from sizebook.workbooks.staged_tables import (
    Options,
    StagedFigures,
    StagedRows,
    stage_figures,
    stage_options,
    stage_rows,
    watch_lines,
)

# What the workbook's own formulas follow; functions are asked at a price of 1, so that what they cost is GPU-hours.
NATIVE = (
    "other_usd",
    "pue",
    "host_share",
    "grams_per_kwh",
    "gap_days",
    "kept_checkpoints",
    "provider",
    "region",
    "term",
    "price_book",
    "rented_gpus",
)
LOOKED_UP = ("provider", "region", "price_book", "rented_gpus")
_ONES = ("price_usd_per_gpu_hour", "watts")
BUDGET = tuple(leaf.name for leaf in leaves(Budget))
_GIVEN = {"model": f'=IF({{model}}="","",IF({{model}}="{CONFIG}",{{config_path}},{{model}}))'}


@dataclass(frozen=True)
class Staged:
    """What functions give: figures of the phases, and the plan's budget to compare with."""

    figures: StagedFigures
    budget: StagedRows

    def of_the_plan(self, name: str, case: str) -> str:
        """Return a reference to a figure of the plan's budget."""
        return self.budget.cell(2 + NAMES.index(case), 1 + BUDGET.index(name))


def phases(book: Book) -> Staged:
    """Add the sheet of what functions are asked and give of each phase, and of what follows from it."""
    page = new_sheet(
        book,
        "Phases",
        "A column a phase: what functions are asked and give, each once, then hours, money and energy.",
        PHASES,
        WIDTHS,
    )
    page.heads("Name", cases=[page.resolve(f"={{name.{number}}}") for number in PHASES])
    page.section("What functions are asked")
    given = dict.fromkeys(NATIVE, '=""') | _GIVEN | dict.fromkeys(_ONES, '=IF({model}="","",1)')
    asked = stage_options(page, leaves(Phase), **given)
    watch_lines(book, *LOOKED_UP)
    page.section("What they give")
    staged = stage_figures(
        page, f"PROGRAMME_FIGURES({asked.area()})", leaves(PhaseFigures), heads=1, blank_where='{model}=""'
    )
    drivers_in_use(page, DRIVERS)
    _hours(page)
    _money(page)
    _energy(page)
    budget = _compared(page)
    page.finish()
    return Staged(staged, budget)


def used(formula: str) -> str:
    """Return a formula that gives 0 in the column of a phase without a model."""
    return f'=IF({{model}}="",0,{formula})'


def _hours(page: LineSheet) -> None:
    page.section("Days and GPU-hours, in the scenario of the cover")
    numbers = tuple(str(number) for number in range(1, len(PHASES) + 1))
    page.line("number", "Number", tuple(map(int, numbers)), "", "In the order in which they run")
    page.line("shown", "Phase", '=IF({model}="","",{name})', "", "Inputs", styles.GENERAL)
    for end, days, hours in (
        ("low", "days_low", "usd_low"),
        ("middle", "days", "gpu_hours"),
        ("high", "days_high", "usd_high"),
    ):
        page.line(
            f"days_{end}",
            f"Days, {end}",
            used(f"{{plan_{days}}}*{{use_hours}}"),
            "days",
            "PROGRAMME_FIGURES x the scenario's",
            styles.RATE,
        )
        page.line(
            f"hours_{end}",
            f"GPU-hours, {end}",
            used(f"{{plan_{hours}}}*{{use_hours}}"),
            "GPU-hours",
            "PROGRAMME_FIGURES at a price of 1 x the scenario's",
        )
    page.line(
        "elapsed", "Days with the gap before", used("{gap_days}+{days_middle}"), "days", "Inputs + days", styles.RATE
    )
    page.line(
        "ends_on",
        "Last day",
        used("SUMPRODUCT(({number.all}<={number})*{elapsed.all})"),
        "days",
        "Days of this phase and of those before",
        styles.RATE,
    )
    page.line("starts_on", "First day", used("{ends_on}-{days_middle}"), "days", "End - days", styles.RATE)


def _money(page: LineSheet) -> None:
    page.section("Money")
    price_lines(page, used)
    page.line("gpu_usd", "GPUs", used("{hours_middle}*{price_now}"), "USD", "GPU-hours x price")
    page.line("beside_usd", "Other costs", used("{other_usd}"), "USD", "Inputs")
    for end in ("low", "high"):
        page.line(
            f"case_price_{end}",
            f"GPU-hour of the {end} case",
            used(case_price(end, f"{{hours_{end}}}/{{hours_middle}}")),
            "USD/GPU-hour",
            "Puts the cost where hours and price together do",
            styles.RATE,
        )
    page.line(
        "case_price_middle", "GPU-hour of the middle case", used("{price_now}"), "USD/GPU-hour", "Scenario", styles.RATE
    )
    page.total("phase_usd", "Cost", "={gpu_usd}+{beside_usd}", "USD", "Sum")
    kept = "{kept_checkpoints}*{checkpoint_bytes_per_parameter}*{plan_trained_parameters}/{terabyte}"
    page.line(
        "kept_usd",
        "Kept checkpoints",
        used(f"{kept}*{{retention_months}}*{{usd_per_tb_month}}*{{use_storage}}"),
        "USD",
        "Checkpoints x bytes x months x price",
    )


def _energy(page: LineSheet) -> None:
    page.section("Energy and carbon")
    power_lines(page, used, limited=True)
    unlisted_statement(page)
    page.line(
        "kw_each",
        "Power of a GPU at the meter",
        used("{power}*(1+{host_share})*{pue}/{thousand}"),
        "kW",
        "Power at work; host and PUE on top",
        styles.NUMBER,
    )
    page.line("phase_kwh", "Energy at the meter", "={hours_middle}*{kw_each}", "kWh", "GPU-hours x power")
    page.line("phase_kg", "Greenhouse gases", "={phase_kwh}*{grams}/{thousand}", "kgCO2e", "Energy x grams")
    for end in NAMES:
        over = f"{{hours_{end}}}*{{kw_each}}/({{days_{end}}}*{{hours_a_day}})/{{thousand}}"
        page.line(
            f"mw_{end}",
            f"Power while it runs, {end}",
            f"=IF({{days_{end}}}=0,0,{over})",
            "MW",
            "Energy / time",
            styles.NUMBER,
        )


def _compared(page: LineSheet) -> StagedRows:
    """Stage the plan itself: nothing but checks refers to it."""
    page.part("Compared", "What the plan is asked, to compare the workbook with.")
    page.section("Phases")
    asked: Options = stage_options(page, leaves(Phase), compared=True, **_GIVEN)
    page.section("What they share")
    terms = stage_options(page, leaves(ProgrammeTerms), per_case=False, compared=True)
    return stage_rows(
        page.book,
        f"PROGRAMME_BUDGET({asked.area()},{terms.area()})",
        (1 + len(NAMES), len(BUDGET)),
        heads=BUDGET,
        kept="compared",
    )
