"""Cases of `training_budget.xlsx` in a row each, so that tornado and two-way table recalculate by formulas."""

from training_budget_inputs import DRIVERS

from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.scenario_inputs import Steps
from sizebook.workbooks.what_if import CaseColumn, all_cases, case_table, what_if_page

TOKENS = Steps("tokens", "Tokens", (0.5, 0.75, 1, 1.5, 2))
PRICES = Steps("price", "GPU prices", (0.8, 1, 1.2))
_STEADY = "{tokens}*@tokens/{tokens_a_step}*{plan_step_seconds.middle}*{use_speed}/@speed/{plan_goodput.middle}"
_WORKED = (
    CaseColumn(
        "hours",
        "GPU-hours",
        f"={{gpus}}*({_STEADY}*MAX(1,{{factor}}+@whole)/{{seconds_an_hour}}+{{start_hours}})",
    ),
    CaseColumn(
        "cost", f"Cost, {MONEY}", "=#hours*{price}*@price*{mean_level}+{month_other_usd.total}/{use_other}*@other"
    ),
)


def what_if(book: Book) -> None:
    """Add the sheet of cases: the drivers of each, its GPU-hours, its cost. One formula a column."""
    page = what_if_page(book, "The whole run of the middle case once a row: its drivers, GPU-hours and cost.")
    page.section("Prices over time, in the currency")
    page.constant(
        "mean_level",
        "Mean level of GPU prices",
        "=SUMPRODUCT({share.all},{price_level_now.all},{currency_rate.all})",
        f"{MONEY} per USD",
        "Months, by share of the run",
        styles.NUMBER,
    )
    in_use = "{{use_{}}}".format
    case_table(page, DRIVERS, all_cases(DRIVERS, TOKENS, PRICES, in_use), _WORKED, in_use)
    page.finish()
