"""The function reference, written from the registry so that it cannot drift from the code."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from sizebook.core.registry import Function
from sizebook.core.sections import Argument
from sizebook.functions import load

INTRODUCTION = """# Function reference

Written from the registry by `make generated`; do not edit. The same names work in Excel, LibreOffice, filled
workbooks, `sizebook call NAME ARGUMENT...` and, in lower case, in Python. Arguments in brackets may be left blank. A
range in place of a single value spills; one bad cell spoils only its own result.

A function with more than eight arguments also takes those after the first few as one text, in the place of the first
of them: `=TTFT_SECONDS("llama-3.1-8b", "h100-sxm", 2000, 400, 64, "tp=2; weight_dtype=fp8")`, or as a range of two
columns, names and values: `=SERVING_LEDGER("llama-3.1-8b", "h100-sxm", Options!A2:B20)`. Order: model, accelerator,
what is asked, layout, formats, options.
"""


def markdown() -> str:
    """Return the reference of every registered function as one Markdown page."""
    functions = sorted(load().values(), key=lambda f: (f.category, f.name))
    sections = [INTRODUCTION]
    for category, members in groupby(functions, key=lambda f: f.category):
        sections.append(f"## {category.capitalize()}\n")
        sections += [entry(function) for function in members]
    return "\n".join(sections)


def entry(function: Function) -> str:
    """Return the reference of one function as Markdown."""
    lines = [f"### {function.name}\n", f"`={function.signature}`\n", f"{function.summary}\n"]
    if function.description:
        lines.append(f"{function.description}\n")
    if function.formula:
        lines.append(f"**Formula** `{function.formula}`\n")
    lines += ["| argument | meaning | unit | default |", "|---|---|---|---|"]
    lines += [_row(argument) for argument in function.arguments]
    result = function.result.meaning + (f", {function.result.unit}" if function.result.unit else "")
    lines.append(f"\n**Result** {result}. **Example** {_example(function)}\n")
    lines.append(f"**Source** {function.source}\n")
    return "\n".join(lines)


def _row(argument: Argument) -> str:
    meaning = argument.quantity.meaning
    # Long key lists (models, accelerators) belong to their table, not to every function that takes one.
    if argument.quantity.allowed and len(argument.quantity.allowed) <= 20:
        meaning += ": " + ", ".join(f"`{choice}`" for choice in argument.quantity.allowed)
    default = "required" if argument.required else _cell(argument.default)
    return f"| `{argument.name}` | {meaning} | {argument.quantity.unit} | {default} |"


def _cell(value: Any) -> str:
    if value is None:
        return "blank"
    return str(value).upper() if isinstance(value, bool) else f"`{value}`"


def _example(function: Function) -> str:
    arguments, value = function.example
    words = [_literal(arguments.get(a.name)) for a in function.arguments]
    while words and not words[-1]:
        words.pop()
    shown = f"{len(value)} rows" if isinstance(value, list) else f"`{_plain(value)}`"
    return f"`={function.name}({', '.join(words)})` gives {shown}."


def _literal(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, list):
        rows = value if all(isinstance(row, list) for row in value) else [value]
        return "{" + ";".join(",".join(map(_literal, row)) for row in rows) + "}"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _plain(value: Any) -> str:
    return str(value).upper() if isinstance(value, bool) else str(value)
