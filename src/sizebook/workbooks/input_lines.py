"""Inputs that several planning workbooks have, with the same names, labels and defaults in each."""

from __future__ import annotations

from collections.abc import Sequence

from sizebook.formulas.prices import TERMS
from sizebook.models import catalog
from sizebook.workbooks import look
from sizebook.workbooks.page import Page

CONFIG = "config.json"
# Degrees of a serving replica: name, label and what it divides.
REPLICA_DEGREES = (
    ("tp", "Tensor parallel", "GPUs that share every matrix."),
    ("pp", "Pipeline stages", "Groups of layers."),
    ("dp", "Attention data parallel", "Inside one replica."),
    ("ep", "Expert parallel", "GPUs that share the experts."),
)


def model_choices() -> Sequence[str]:
    """Return what a model may be: a key of the catalog, or `CONFIG` for a file."""
    return [CONFIG, *(key for key in catalog.model_keys() if catalog.facts(key)["architecture"])]


def model_input(page: Page) -> None:
    """Add the inputs that name the model: a key of the catalog, or `CONFIG` and the path of a file."""
    page.input(
        "model",
        "Model",
        "llama-3.1-8b",
        "",
        f"Choose from the list; '{CONFIG}' takes the file below.",
        required=True,
        choices=page.book.choices("Models", model_choices()),
    )
    page.input(
        "config_path", "Path of a config.json", None, "", f"A file of your own, for the choice '{CONFIG}'.", look.TEXT
    )


def chosen_model(page: Page) -> None:
    """Add the line `chosen`: the model as functions take it, a key or the path of a file."""
    formula = f'=IF({{model}}="{CONFIG}",{{config_path}},{{model}})'
    page.line("chosen", "Model", formula, "", "Inputs: the key, or the path of the file", look.GENERAL)


def price_inputs(page: Page) -> None:
    """Add the price of a GPU-hour in each case, and the term of the catalog's median that stands in for it."""
    page.input(
        "price_usd", "Price of a GPU-hour", None, "USD", "Blank: median of data/prices.csv.", look.DECIMAL,
        per_case=True,
    )  # fmt: skip
    terms = page.book.choices("Terms", TERMS)
    page.input("term", "Term of that median", "on_demand", "", "Choose from the list.", choices=terms)


def this_copy(page: Page, title: str) -> None:
    """Add the title and date of a copy, and end the page of inputs."""
    page.section("This copy")
    page.input("title", "Title", title, "", "Stands on the cover.", look.TEXT)
    page.input("as_of", "Date", None, "", "The day for which the figures are given. Blank: not stated.", look.DATE)
    page.finish()
