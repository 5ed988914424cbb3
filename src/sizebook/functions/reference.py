"""The function reference, written from the registry so that it cannot drift from the code."""

import re
from itertools import groupby
from typing import Any

from sizebook.core.registry import Function
from sizebook.core.sections import Argument
from sizebook.core.wizard import reference_page
from sizebook.functions import load

INTRODUCTION = """# Function reference

Every function by category. The same names work in Excel, LibreOffice, filled workbooks, `sizebook call NAME
ARGUMENT...`, requests of `sizebook web` and, in lower case, in Python. Arguments in brackets may be left blank. A range
in place of a single value spills; one bad cell spoils only its own result. `make generated` writes these pages.

A function with more than eight arguments also takes those after the first few as one text, in the place of the first
of them: `=TTFT_SECONDS("llama-3.1-8b", "h100-sxm", 2000, 400, 64, "tp=2; weight_dtype=fp8")`, or as a range of two
columns, names and values: `=SERVING_LEDGER("llama-3.1-8b", "h100-sxm", Options!A2:B20)`. Order: model, accelerator,
what is asked, layout, formats, options.

Each function shows one example four times: as a cell, as a command, in Python after `import sizebook as sb`, and as
the method, address and JSON body of a request to [the web service](web.md). All four give the same value.
"""


def pages() -> dict[str, str]:
    """Return the reference as Markdown by the name of its page: an index, and a page for each category."""
    functions = sorted(load().values(), key=lambda f: (f.category, f.name))
    found, listed = {}, [INTRODUCTION]
    for category, members in groupby(functions, key=lambda f: f.category):
        title, page, entries = category.capitalize(), reference_page(category), list(members)
        found[page] = "\n".join((f"# Functions: {category}\n", *map(entry, entries)))
        listed += [f"## {title}\n", "| function | what it does |", "|---|---|"]
        listed += [_listed(each, page) for each in entries]
        listed.append("")
    return {"functions.md": "\n".join(listed), **found}


def _listed(function: Function, page: str) -> str:
    """Return the line of a function in the index, which keeps the anchor that links of older versions name."""
    anchor = function.name.lower()
    return f'| <a id="{anchor}"></a>[`{function.name}`]({page}#{anchor}) | {function.summary} |'


def entry(function: Function) -> str:
    """Return the reference of one function as Markdown."""
    lines = [f"## {function.name}\n", f"`={_short(function.signature)}`\n", f"{function.summary}\n"]
    if function.description:
        lines.append(f"{function.description}\n")
    if function.formula:
        lines.append(f"**Formula** `{function.formula}`\n")
    lines += ["| argument | meaning | unit | default |", "|---|---|---|---|"]
    lines += [_row(list(alike)) for _, alike in groupby(function.arguments, key=_place)]
    result = function.result.meaning + (f", {function.result.unit}" if function.result.unit else "")
    lines.append(f"\n**Result** {result}. **Source** {function.source}\n")
    lines.append(f"{_example(function)}\n")
    return "\n".join(lines)


def _short(signature: str) -> str:
    """Return a signature with the first and the last of numbered places."""
    return re.sub(r"(\[arg_1\]), .*(?=\[arg_\d+\]\))", r"\1, ..., ", signature)


def _place(argument: Argument) -> str:
    """Return what arguments share that are numbered places (`arg_1`), of any other its name."""
    return re.sub(r"^arg_\d+$", "arg", argument.name)


def _row(alike: list[Argument]) -> str:
    """Return the line of an argument, or of places in a row that take anything alike."""
    argument, meaning = alike[0], alike[0].quantity.meaning
    # Long key lists (models, accelerators) belong to their table, not to every function that takes one.
    if argument.quantity.allowed and len(argument.quantity.allowed) <= 20:
        meaning += ": " + ", ".join(f"`{choice}`" for choice in argument.quantity.allowed)
    default = "required" if argument.required else _cell(argument.default)
    names = " … ".join(f"`{each.name}`" for each in dict.fromkeys((argument, alike[-1])))
    return f"| {names} | {meaning} | {argument.quantity.unit} | {default} |"


def _cell(value: Any) -> str:
    if value is None:
        return "blank"
    return str(value).upper() if isinstance(value, bool) else f"`{value}`"


def _example(function: Function) -> str:
    """Return the example as each surface asks it, and what it gives."""
    from sizebook.functions.examples import forms  # only a reader of the reference needs it, and every call would pay

    value = function.example[1]
    given = f"{len(value)} rows" if isinstance(value, list) else f"`{_plain(value)}`"
    return "\n".join((f"**Example** gives {given}:\n", *(f"- {at}: `{form}`" for at, form in forms(function).items())))


def _plain(value: Any) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)
