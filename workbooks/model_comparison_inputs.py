"""The inputs of `model_comparison.xlsx`: twelve models, and what is compared of them."""

from sizebook.core.sections import Argument, Quantity
from sizebook.functions import find
from sizebook.workbooks import styles
from sizebook.workbooks.book import Book
from sizebook.workbooks.declared_inputs import AS_DECLARED, declare
from sizebook.workbooks.finance import constant_lines
from sizebook.workbooks.input_sources import dated_table
from sizebook.workbooks.line_sheet import InputLine, new_sheet
from sizebook.workbooks.shared_lines import CONFIG, copy_section, model_choices

MOST_MODELS = 12
MODELS = tuple(str(number) for number in range(1, MOST_MODELS + 1))


def _argument(function: str, name: str) -> Argument:
    return next(argument for argument in find(function).arguments if argument.name == name)


# What is asked of every model: argument, label in this workbook, and the value that it opens with.
ASKED = (
    (_argument("MODEL_BYTES", "dtype"), "", None),
    (_argument("KV_CACHE_BYTES", "context_tokens"), "Tokens of a sequence", 8192),
    (_argument("KV_CACHE_BYTES", "sequences"), "Sequences in flight", None),
    (_argument("KV_CACHE_BYTES", "kv_dtype"), "", None),
    (_argument("GPU_SPEC", "gpu"), "", "h100-sxm"),
)
PRICE = Argument(
    "usd_per_gpu_hour",
    Quantity(
        "price of a GPU-hour, blank for the catalog's median on demand",
        unit="USD/GPU-hour",
        minimum=0,
        maximum=1e6,
        label="GPU-hour",
        source="data/prices.csv",
    ),
    None,
)


def inputs(book: Book) -> None:
    """Add the sheet of inputs: a row a model, then what all are asked."""
    page = new_sheet(
        book,
        "Inputs",
        "Change the pale yellow cells only. A row that is blank stays out of the comparison.",
        widths=(32, 22, 11, 40),
    )
    page.input_heads()
    page.section("Models")
    choices = book.choices("Models", model_choices())
    for number in MODELS:
        page.input(
            InputLine(
                f"model_{number}",
                f"Model {number}",
                None,
                unit="",
                choices=choices,
                required=number == MODELS[0],
                takes=f"{len(model_choices())} keys in the list",
                source=f"Your own; keys: {dated_table('models')}.",
                origin=f"Choose from the list; '{CONFIG}' takes the file below.",
            )
        )
    page.section("What is compared")
    for argument, label, opening in ASKED:
        default = AS_DECLARED if opening is None else opening
        declare(page, argument, required=False, label=label, default=default)
    declare(page, PRICE)
    page.section("Files of your own")
    for number in MODELS:
        page.input(
            InputLine(
                f"config_path_{number}",
                f"Path of a config.json {number}",
                None,
                unit="",
                number_format=styles.TEXT,
                origin=f"Where model {number} is '{CONFIG}'.",
            )
        )
    constant_lines(page, "hours_a_month", "billion", "byte_bits", "rounding")
    copy_section(page, "Model comparison")
