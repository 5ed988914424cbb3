"""The inputs of `fine_tuning.xlsx`: a model, a data set, a machine, and what money and energy cost."""

from sizebook.core.sections import Argument, Quantity, leaves
from sizebook.plans.ledgers import LONGEST_PLAN
from sizebook.plans.training.inputs import TrainingInputs
from sizebook.training.tuning import TUNINGS
from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.declared_inputs import declare
from sizebook.workbooks.finance import CURRENCY, START, constant_lines
from sizebook.workbooks.scenario_inputs import Driver
from sizebook.workbooks.shared_lines import copy_section, input_page

_LEAVES = {leaf.name: leaf for leaf in leaves(TrainingInputs)}
CHOSEN = Argument(
    "tuning",
    Quantity(
        "the way that Result shows; all are worked out side by side",
        kind="choice",
        choices=TUNINGS,
        default="lora",
        label="Fine-tuning",
        source="neutral: it chooses what is shown",
    ),
    "lora",
)
EXAMPLES = Argument(
    "n_examples",
    Quantity(
        "examples of the data set",
        unit="examples",
        kind="integer",
        minimum=1,
        maximum=1e12,
        label="Examples",
        source="assumption: type your own",
    ),
    20_000,
)
EPOCHS = Argument(
    "epochs",
    Quantity(
        "passes over the data set",
        above=0,
        maximum=1000,
        label="Passes over the examples",
        source="assumption: type your own",
    ),
    3,
)
RUNS = Argument(
    "runs",
    Quantity(
        "runs that are paid for: tries of settings, and the one that is kept",
        kind="integer",
        minimum=1,
        maximum=10_000,
        label="Runs",
        source="neutral: one run",
    ),
    1,
)
EVALUATION = Argument(
    "evaluation_share",
    Quantity("GPU-hours of evaluation over those of a run", unit="ratio", minimum=0, maximum=100, label="Evaluation"),
    0,
)
LABELLING = Argument(
    "usd_per_example",
    Quantity(
        "what an example costs to write or to label",
        unit="USD/example",
        minimum=0,
        maximum=1e6,
        label="Price of an example",
    ),
    0,
)
MONTHS = Argument(
    "months",
    Quantity(
        "months over which the runs are spread evenly; blank: as many as they take one after another",
        unit="months",
        kind="integer",
        minimum=1,
        maximum=LONGEST_PLAN,
        default=None,
        label="Months",
    ),
    None,
)
# Under each heading inputs of this workbook, and those of a training plan by name.
_GROUPS: tuple[tuple[str, tuple[Argument | str, ...]], ...] = (
    ("Data set", (EXAMPLES, EPOCHS, "example_tokens", "packed")),
    ("Way", (CHOSEN, "lora_rank", "lora_on")),
    ("Run", ("gpus", "stack", "batch", "seq", "micro_batch", "tp", "zero_stage", "start_hours", "rates_file")),
    (
        "Money",
        (
            *("price_usd_per_gpu_hour", "provider", "region", "term", "price_book", "rented_gpus"),
            *(RUNS, EVALUATION, LABELLING, "other_usd", CURRENCY),
        ),
    ),
    ("Calendar", (START, MONTHS)),
    ("Energy and carbon", ("watts", "pue", "host_share", "grid", "grams_per_kwh")),
)
OF_A_PLAN = tuple(_LEAVES[each] for _, group in _GROUPS for each in group if isinstance(each, str))
# What the table of runs is not asked: the workbook's own formulas follow it, or look it up by itself.
NATIVE = {
    "start_hours",
    "price_usd_per_gpu_hour",
    "provider",
    "region",
    "term",
    "price_book",
    "rented_gpus",
    "other_usd",
    "watts",
    "pue",
    "host_share",
    "grid",
    "grams_per_kwh",
}
LOOKED_UP = ("provider", "region", "price_book", "rented_gpus", "grid")
DRIVERS = (
    Driver("examples", "Examples", 1, 0.5, 2, "examples over those of Inputs"),
    Driver("runs", "Runs", 1, 1, 3, "runs over those of Inputs"),
    Driver("speed", "Speed of a step", 1, 1.1, 0.8, "rate of a step over the predicted one"),
    Driver("price", "GPU price", 1, 0.9, 1.15, "price of a GPU-hour over that of Inputs"),
)


def inputs(book: Book) -> None:
    """Add the sheet of inputs."""
    page = input_page(book, "TRAINING_LEDGER")
    for title, group in _GROUPS:
        page.section(title)
        for each in group:
            declare(page, _LEAVES[each] if isinstance(each, str) else each)
    constant_lines(
        page,
        "hours_a_month",
        "hours_a_day",
        "seconds_a_day",
        "seconds_an_hour",
        "months_a_quarter",
        "months_a_year",
        "thousand",
        "million",
        "usable_share",
        "rounding",
    )
    page.constant("longest_plan", "Longest plan", LONGEST_PLAN, "months", "Columns of Months", styles.GENERAL)
    copy_section(page, "Fine-tuning")
