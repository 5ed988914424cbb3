"""Cases of `fine_tuning.xlsx` in a row each, of the way chosen, so that tornado and two-way table recalculate."""

from fine_tuning_inputs import DRIVERS

from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.scenario_inputs import Steps
from sizebook.workbooks.what_if import CaseColumn, all_cases, case_table, what_if_page

EXAMPLES = Steps("examples", "Examples", (0.25, 0.5, 1, 2, 4))
PRICES = Steps("price", "GPU prices", (0.8, 1, 1.2))
_WORKED = (
    CaseColumn(
        "run",
        "GPU-hours of a run",
        "={gpus}*({n_examples}*@examples*{hours_an_example}/@speed+{start_hours})",
    ),
    CaseColumn(
        "cost",
        f"Cost, {MONEY}",
        "=#run*{runs}*@runs*(1+{evaluation_share})*{price.full}*{gpu_rate.total}*@price"
        "+{n_examples}*@examples*{usd_per_example}*{currency_rate.1}+{other_usd}*{share_rate.total}",
    ),
)


def what_if(book: Book) -> None:
    """Add the sheet of cases: the drivers of each, the GPU-hours of a run, its cost. One formula a column."""
    page = what_if_page(book, "The way chosen on Inputs once a row: its drivers, the GPU-hours of a run and the cost.")
    page.section("The way chosen")
    way = "INDEX({{{}.all}},{{at.full}})".format
    page.constant(
        "hours_an_example",
        "Hours of an example",
        f"={{epochs}}*{way('example_tokens_in')}/({{batch}}*{{seq}}*(1-{way('padding')}))*{way('step_elapsed')}"
        "/{seconds_an_hour}",
        "hours",
        "Passes x tokens / tokens of a step x its time, at the predicted speed",
        styles.RATE,
    )
    in_use = "{{use_{}.full}}".format
    case_table(page, DRIVERS, all_cases(DRIVERS, EXAMPLES, PRICES, in_use), _WORKED, in_use)
    page.finish()
