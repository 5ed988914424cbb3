"""The inputs of `training_programme.xlsx`, a column a phase, and what phases share."""

from training_budget_inputs import HEADINGS as OF_A_RUN
from training_budget_inputs import LEFT_OPEN

from sizebook.core.sections import leaves
from sizebook.plans.programme.inputs import MOST_PHASES, Data, Experiments, Phase, ProgrammeTerms, Rollouts, Storage
from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.declared_inputs import declare, declare_all
from sizebook.workbooks.finance import CURRENCY, constant_lines
from sizebook.workbooks.line_sheet import new_sheet
from sizebook.workbooks.scenario_inputs import Driver
from sizebook.workbooks.shared_lines import copy_section, model_input

FIRST_DAY = "=DATE(2027,1,1)"
PHASES = tuple(str(number) for number in range(1, MOST_PHASES + 1))
HEADINGS = {
    **OF_A_RUN,
    Phase: "Phase",
    Rollouts: "Generated answers",
    ProgrammeTerms: "Programme",
    Experiments: "Experiments",
    Data: "Data",
    Storage: "Storage and egress",
}
WIDTHS = (32, *[17] * len(PHASES), 10, 35)  # eleven phases a page, the last and the rest on the next
DRIVERS = (
    Driver("hours", "GPU-hours", 1, 0.9, 1.25, "GPU-hours and days of every phase over the predicted ones"),
    Driver("price", "GPU prices", 1, 0.9, 1.15, "price of a GPU-hour over that of Inputs"),
    Driver("ablation", "Ablations, added", 0, -0.1, 0.5, "added to the share of ablations of Inputs"),
    Driver("data", "Cost of data", 1, 0.8, 1.5, "cost of data over that of Inputs"),
    Driver("storage", "Storage and egress", 1, 0.8, 1.5, "cost of storage and egress over that of Inputs"),
)


def inputs(book: Book) -> None:
    """Add the sheet of inputs."""
    page = new_sheet(
        book,
        "Inputs",
        "Change the pale yellow cells only. One column a phase, in the order in which they run; columns without a "
        "model are folded: the + above them unfolds.",
        PHASES,
        WIDTHS,
    )
    page.input_heads()
    page.section("Models")
    named = next(leaf for leaf in leaves(Phase) if leaf.name == "name")
    first, *others = (f"Phase {number}" for number in PHASES)
    declare(page, named, default=first, required=False, per_case=tuple(others))
    model_input(page, per_case=True)
    declare_all(page, Phase, HEADINGS, left_out={"name", "model"}, blank=LEFT_OPEN, per_case=True)
    declare_all(page, ProgrammeTerms, HEADINGS)
    declare(page, CURRENCY)
    constant_lines(
        page,
        "hours_a_month",
        "hours_a_day",
        "months_a_quarter",
        "months_a_year",
        "thousand",
        "million",
        "terabyte",
        "rounding",
    )
    page.constant("first_day", "First day where none is given", FIRST_DAY, "", "So that months have dates", styles.DATE)
    copy_section(page, "Training programme")
