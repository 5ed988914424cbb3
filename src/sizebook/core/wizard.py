"""What a spreadsheet's function wizard shows: short texts for a function and its arguments, and where to read more."""

import re
import textwrap

from sizebook.core.errors import InputError, shown
from sizebook.core.registry import Function
from sizebook.core.sections import Argument, Quantity

# Excel cuts longer texts off.
LONGEST = 255
DOCS = "https://github.com/sizebook/sizebook/blob/main/docs/"


def category(function: Function) -> str:
    """Return the heading in the wizard, apart from the headings of other add-ins."""
    return f"sizebook {function.category}"


def argument_help(argument: Argument) -> str:
    """Return what an argument means, its unit, its default and its keys, as far as they fit."""
    quantity = argument.quantity
    # "number of parameters, in parameters" says nothing twice, and a ratio has no unit to convert.
    unit = "" if quantity.unit in quantity.meaning or quantity.unit == "ratio" else f", in {quantity.unit}"
    text = quantity.meaning + unit
    if not argument.required and argument.default is not None:
        text += f"; blank: {_shown(argument.default)}"
    if quantity.allowed:
        whole = f"{text}; one of {', '.join(quantity.allowed)}"
        text = whole if len(whole) <= LONGEST else f"{text}; one of {', '.join(_from_example(quantity))}"
    return textwrap.shorten(text, LONGEST, placeholder=" ...")


def _from_example(quantity: Quantity) -> tuple[str, ...]:
    """Return the keys from the one that the meaning names on, the others last: the list is cut off after a few."""
    words = quantity.meaning.replace(",", " ").split()
    at = next((at for at, key in enumerate(quantity.allowed) if key in words), 0)
    return quantity.allowed[at:] + quantity.allowed[:at]


def _shown(default: object) -> str:
    return str(default).upper() if isinstance(default, bool) else str(default)


def help_url(function: Function) -> str:
    """Return where the reference page describes the function."""
    return f"{DOCS}{reference_page(function.category)}#{function.name.lower()}"


def reference_page(category: str) -> str:
    """Return the page of the reference, in the folder of the documentation, that describes a category."""
    return f"functions/{category.replace(' ', '_')}.md"


_NAMESPACE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")


def checked_namespace(namespace: str) -> str:
    """Return the namespace of an Office.js add-in as Excel shows it before its functions: in capitals."""
    if not _NAMESPACE.fullmatch(namespace):
        raise InputError(
            f"not a namespace: got {shown(namespace)}, want a letter, then up to 31 letters, digits and underscores. "
            "Rename it."
        )
    return namespace.upper()
