"""Cases of `training_programme.xlsx` in a row each, so that tornado and two-way table recalculate by formulas."""

from training_programme_inputs import DRIVERS

from sizebook.workbooks import styles
from sizebook.workbooks.book import MONEY, Book
from sizebook.workbooks.scenario_inputs import Steps
from sizebook.workbooks.what_if import CaseColumn, all_cases, case_table, what_if_page

HOURS = Steps("hours", "GPU-hours", (0.75, 0.9, 1, 1.25, 1.5))
PRICES = Steps("price", "GPU prices", (0.8, 1, 1.2))
_DATA = "({data_cpu_hours}*{usd_per_cpu_hour}+{licences_usd})*{currency_rate.1}*@data"
_STORED = "({month_storage_usd.total}+{month_egress_usd.total})/{use_storage.1}*@storage"
_WORKED = (
    CaseColumn(
        "gpus",
        f"GPUs of the phases, {MONEY}",
        "=SUM({gpu_usd.all})/{use_hours.1}/{use_price.1}*@hours*@price*{mean_level}",
    ),
    CaseColumn(
        "cost",
        f"Cost, {MONEY}",
        f"=#gpus*(1+MAX(0,{{ablation_share}}+@ablation)+{{evaluation_share}})+{{month_other_usd.total}}+{_DATA}+{_STORED}",
    ),
)


def what_if(book: Book) -> None:
    """Add the sheet of cases: the drivers of each, what its GPUs cost and all of it. One formula a column."""
    page = what_if_page(book, "The whole programme in its middle case once a row: its drivers and cost.")
    page.section("Prices over time, in the currency")
    page.constant(
        "mean_level",
        "Mean level of GPU prices",
        "=IF(SUM({gpu_usd.all})=0,1,{month_gpu_usd.total}/SUM({gpu_usd.all}))",
        f"{MONEY} per USD",
        "Months over Phases: what dated prices and rates make of the whole",
        styles.NUMBER,
    )
    in_use = "{{use_{}.1}}".format
    case_table(page, DRIVERS, all_cases(DRIVERS, HOURS, PRICES, in_use), _WORKED, in_use)
    page.finish()
