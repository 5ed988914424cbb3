"""Lines that several planning workbooks have, with the same names, labels and formulas in each."""

from collections.abc import Callable, Sequence

from openpyxl.utils import get_column_letter

from sizebook.core.sections import leaves
from sizebook.functions import find
from sizebook.models import catalog
from sizebook.scenarios.scenario_files import Scenario
from sizebook.workbooks import styles
from sizebook.workbooks.book import FIRST_COLUMN, Book
from sizebook.workbooks.declared_inputs import declare
from sizebook.workbooks.input_sources import dated_table
from sizebook.workbooks.line_sheet import InputLine, LineSheet, new_sheet
from sizebook.workbooks.print_marks import fold_blank

CONFIG = "config.json"
INPUT_WIDTHS = (32, 22, 11, 40)


def model_choices() -> Sequence[str]:
    """Return what a model may be: a key of the catalog, or `CONFIG` for a file."""
    return [CONFIG, *(key for key in catalog.model_keys() if catalog.facts(key)["architecture"])]


def model_input(page: LineSheet, *, per_case: bool = False) -> None:
    """Add the inputs that name the model: a key of the catalog, or `CONFIG` and the path of a file.

    Of columns of their own, filling folds those without a model.
    """
    blank = (None,) * (len(page.cases) - 1) if per_case else ()
    page.input(
        InputLine(
            "model",
            "Model",
            "llama-3.1-8b",
            unit="",
            origin=f"Choose from the list; '{CONFIG}' takes the file below.",
            required=True,
            choices=page.book.choices("Models", model_choices()),
            per_case=blank,
            takes=f"{len(model_choices())} keys in the list",
            source=f"Your own; keys: {dated_table('models')}.",
        )
    )
    if per_case:
        last = get_column_letter(page.unit_column - 1)
        fold_blank(page.sheet, f"${get_column_letter(FIRST_COLUMN)}${page.row - 1}:${last}${page.row - 1}")
    page.input(
        InputLine(
            "config_path",
            "Path of a config.json",
            None,
            unit="",
            origin=f"A file of your own, for the choice '{CONFIG}'.",
            number_format=styles.TEXT,
            per_case=blank,
        )
    )


def input_page(book: Book, function: str) -> LineSheet:
    """Begin the sheet of inputs of one model on one accelerator, which is an argument of a function."""
    page = new_sheet(
        book,
        "Inputs",
        "Change the pale yellow cells only. Solid border: must be set. Dashed: may stay as it is.",
        widths=INPUT_WIDTHS,
    )
    page.input_heads()
    page.section("Model and accelerator")
    model_input(page)
    declare(page, next(each for each in find(function).arguments if each.name == "gpu"), default="h100-sxm")
    return page


def chosen_model_line(page: LineSheet) -> None:
    """Add the line `chosen`, which calls then take: a key or the path of a file; beside it the notes of its count."""
    formula = f'=IF({{model}}="{CONFIG}",{{config_path}},{{model}})'
    page.line("chosen", "Model", formula, "", "Inputs: the key, or the path of the file", styles.GENERAL)
    page.book.replace_argument("model", "chosen")
    page.statement("model_notes", "Notes on its count", "=MODEL_NOTES({chosen})", "MODEL_NOTES")


def gpu_name_line(page: LineSheet) -> None:
    """Add the line `gpu_name_line`: the accelerator of Inputs as its maker writes it, for results."""
    name = page.book.call("GPU_SPEC", field='"name"')
    page.line("gpu_name", "Accelerator", f"={name}", "", "GPU_SPEC: its maker's name", styles.GENERAL)


def node_lines(
    page: LineSheet, used: Callable[[str], str] = "={}".format, each: str = "{tp}*{pp}*{dp}", node: str = ""
) -> None:
    """Add the replicas of a node, the spare ones, and what is paid for together; ``used`` finishes a formula, ``each``
    gives the GPUs of a replica, ``node`` those of a node where they are known.
    """
    page.line("gpus_each", "GPUs of a replica", f"={each}", "GPUs", "Layout")
    own = page.book.call("GPU_SPEC", field='"gpus_per_node"')
    page.line(
        "node_gpus",
        "GPUs of a node",
        used(node or f'IF({{gpus_per_node}}="",{own},{{gpus_per_node}})'),
        "GPUs",
        "As given, else the accelerator's own",
    )
    page.line(
        "instances",
        "Replicas that a node holds",
        used("INT({node_gpus}/{gpus_each})"),
        "replicas",
        "0 where a replica is larger than a node",
    )
    page.line(
        "nodes_each",
        "Nodes of a replica",
        used("ROUNDUP({gpus_each}/{node_gpus},0)"),
        "nodes",
        "1 where it fits in one",
    )
    page.line(
        "spare_replicas",
        "Spare replicas",
        used('{spare}*IF({failure_domain}="node",MAX(1,{instances}),1)'),
        "replicas",
        "Failures covered x replicas lost with each",
    )
    page.line(
        "step",
        "Replicas paid for together",
        used('IF({whole_nodes}="yes",MAX(1,{instances}),1)'),
        "replicas",
        "One, or what a node holds",
    )
    page.line(
        "step_gpus",
        "GPUs paid for together",
        used('IF({whole_nodes}="yes",{nodes_each}*{node_gpus},{gpus_each})'),
        "GPUs",
        "Those of a replica, or of its nodes",
    )


def demand_lines(page: LineSheet, tokens: str, used: Callable[[str], str] = "={}".format) -> None:
    """Add what traffic starts from, requests a day, users or what a table counts of a request; and how prices change.

    ``tokens`` are those of a request.
    """
    page.line(
        "working_day",
        "Requests of a working day over the mean day",
        used('IF(OR({users}="",{working_days}=""),1,{hours_a_month}/{hours_a_day}/{working_days})'),
        "ratio",
        "Days of a month / working days",
        styles.NUMBER,
    )
    people, table = "{users}*{active_share}*{requests_per_user}/{working_day}", "{hours_a_day}/{hours_a_month}"
    page.line(
        "requests_base",
        "Requests a day, or what a table counts for one",
        used(
            f'IF({{monthly_requests}}<>"",{table},IF({{monthly_tokens}}<>"",{table}/({tokens}),'
            f'IF({{users}}<>"",{people},{{requests_per_day}})))'
        ),
        "requests",
        "Inputs: as given, else of users; with a table the day's part of what it counts",
        "0.000E+00",
    )
    page.line(
        "price_change",
        "Change of prices a month",
        used(
            'IF({price_change_per_year}="",{price_change_per_month},(1+{price_change_per_year})^(1/{months_a_year})-1)'
        ),
        "ratio",
        "Inputs: a month, or the twelfth root of a year's",
        styles.PERCENT,
    )


def or_blank(key: str) -> str:
    """Return the formula of an input that is passed on: a reference to a blank cell is 0."""
    return f'IF({{{key}}}="","",{{{key}}})'


def copy_section(page: LineSheet, title: str) -> None:
    """Add the title and date of a copy, and end the page of inputs."""
    page.section("This copy")
    named, dated = leaves(Scenario)
    declare(page, named, default=title)
    declare(page, dated)
    page.finish()
