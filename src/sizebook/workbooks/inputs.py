"""Which cells of a workbook are inputs, and whether a value may go into one.

An input is a defined name of the whole workbook that refers to one cell with the cell style `Input` (a value must be
given each time) or `Optional input` (its default stands in). The names are what scenario files use, without an
underscore at the end: a name that a function bears too must differ from it (`mfu_`, as there is MFU). A default is the
comment of the name, ``default: 0.8``, ``default: "bf16"`` or ``default: "=D5"`` (JSON); without one, what the cell has.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from lxml import etree

from sizebook.calculation.package import DefinedName, Package, tag
from sizebook.calculation.preparing import Names
from sizebook.calculation.tokens import Area, address, area, tokenize
from sizebook.errors import InputError, suggestion
from sizebook.workbooks.sheet import Live, Sheet

REQUIRED, OPTIONAL = "Input", "Optional input"
AS_IT_STANDS: Any = object()  # the default of an input whose name tells none
_DEFAULT = "default: "
_X14 = "{http://schemas.microsoft.com/office/spreadsheetml/2009/9/main}"
_XM = "{http://schemas.microsoft.com/office/excel/2006/main}"
_SHOWN_WORDS = 12


@dataclass(frozen=True)
class Input:
    """One input: its name, its cell, whether a value must be given, its dropdown's values, and its default."""

    name: str
    at: Area
    required: bool
    choices: tuple[Any, ...] = ()
    default: Any = AS_IT_STANDS

    @property
    def place(self) -> str:
        """Where the input stands, for messages: ``Inputs!C5``."""
        return f"{self.at.sheet}!{address(self.at.top, self.at.left)}"


def find_inputs(package: Package) -> dict[str, Input]:
    """Return the inputs of a workbook by name, in the order of their cells."""
    styles = _style_names(package)
    sheets = {name: Sheet(package, name) for name in package.sheets()}
    found = []
    for defined in package.defined_names():
        at = area(defined.text, "")
        if defined.sheet is not None or at is None or not at.is_cell or at.sheet not in sheets:
            continue
        cell = sheets[at.sheet].cells.get((at.top, at.left))
        style = styles[int(cell.get("s", "0"))] if cell is not None else ""
        if style in (REQUIRED, OPTIONAL):
            choices = _choices(package, sheets, at)
            default = _default(defined, style)
            found.append(Input(defined.name.rstrip("_"), at, style == REQUIRED, choices, default))
    order = list(sheets)
    found.sort(key=lambda entry: (order.index(entry.at.sheet), entry.at.top, entry.at.left))
    return {entry.name: entry for entry in found}


def default_comment(value: Any) -> str:
    """Return the comment of a name that gives an input its default."""
    return _DEFAULT + json.dumps(value, ensure_ascii=False)


def _default(defined: DefinedName, style: str) -> Any:
    if style == REQUIRED or not defined.comment.startswith(_DEFAULT):
        return AS_IT_STANDS
    try:
        value = json.loads(defined.comment.removeprefix(_DEFAULT))
    except json.JSONDecodeError as error:
        raise InputError(
            f"unreadable default: got '{defined.comment}' for the name {defined.name}, want '{_DEFAULT}' and a number, "
            "a text in quotation marks or null. Correct the comment in the Name Manager."
        ) from error
    return Live(value) if isinstance(value, str) and value.startswith("=") else value


def _style_names(package: Package) -> list[str]:
    """Return the name of the cell style behind each cell format."""
    styles = package.xml("xl/styles.xml")
    names = {style.get("xfId"): style.get("name", "") for style in styles.iterfind(f"{tag('cellStyles')}/*")}
    return [names.get(xf.get("xfId", "0"), "") for xf in styles.iterfind(f"{tag('cellXfs')}/{tag('xf')}")]


def _choices(package: Package, sheets: Mapping[str, Sheet], at: Area) -> tuple[Any, ...]:
    """Return the values of a cell's dropdown list, none where it has none or a function makes the list."""
    for where, formula in _lists(sheets[at.sheet].root):
        covered = [area(part, at.sheet) for part in where.split()]
        if any(a and a.top <= at.top <= a.bottom and a.left <= at.left <= a.right for a in covered):
            return _list_values(package, sheets, at.sheet, formula)
    return ()


def _lists(root: etree._Element) -> list[tuple[str, str]]:
    """Return the cells and source of each dropdown list, those of Excel 2010's extension included."""
    plain = [
        (rule.get("sqref", ""), rule.findtext(tag("formula1"), ""))
        for rule in root.iter(tag("dataValidation"))
        if rule.get("type") == "list"
    ]
    extended = [
        (rule.findtext(f"{_XM}sqref", ""), rule.findtext(f"{_X14}formula1/{_XM}f", ""))
        for rule in root.iter(f"{_X14}dataValidation")
        if rule.get("type") == "list"
    ]
    return plain + extended


def _list_values(package: Package, sheets: Mapping[str, Sheet], sheet: str, formula: str) -> tuple[Any, ...]:
    if formula.startswith('"'):
        return tuple(word.strip() for word in formula.strip('"').split(","))
    tokens = tokenize(formula)
    if len(tokens) == 1 and tokens[0].kind == "name":
        formula = Names(package).expanded(formula, sheet)
    source = area(formula, sheet)
    if source is None or source.sheet not in sheets:
        return ()
    values = (sheets[source.sheet].value(row, column) for row, column in source.cells())
    return tuple(value for value in values if value is not None)


def check(inputs: Mapping[str, Input], given: Mapping[str, Any], names: set[str]) -> list[str]:
    """Return what is wrong with the given values: one message for each, none when all may be written.

    Args:
        inputs: the inputs of the workbook.
        given: the values by name, in any case.
        names: every defined name of the workbook in lower case, to tell a name that is no input from an unknown one.
    """
    folded = {name.casefold(): entry for name, entry in inputs.items()}
    problems = []
    for name, value in given.items():
        entry = folded.get(name.casefold())
        if entry is None:
            problem = "not an input" if name.casefold() in names else "unknown input"
            problems.append(f"{problem}: got '{name}', want one of {_listed(inputs)}.{_fix(name, inputs)}")
        else:
            problems += _value_problems(entry, value)
    missing = [e for n, e in folded.items() if e.required and n not in {g.casefold() for g in given}]
    problems += [
        f"missing input: got no '{e.name}', want a value for {e.place}. Add it to the scenario." for e in missing
    ]
    return problems


def _fix(name: str, inputs: Mapping[str, Input]) -> str:
    return suggestion(name, inputs) or " Remove it, or name an input cell so."


def _value_problems(entry: Input, value: Any) -> list[str]:
    if value is None and entry.required:
        return [f"blank input: got nothing for '{entry.name}', want a value for {entry.place}. Give one."]
    if not isinstance(value, (bool, int, float, str, date, type(None))):
        return [f"bad input: got {value!r} for '{entry.name}', want one value for {entry.place}. Give a single value."]
    if isinstance(value, str) and any(ord(c) < 32 and c not in "\t\n\r" for c in value):
        return [f"bad input: got {value!r} for '{entry.name}', want text without control characters. Remove them."]
    if entry.choices and value is not None and value not in entry.choices:
        words = [str(choice) for choice in entry.choices]
        hint = suggestion(str(value), words) or " Choose one of them."
        return [f"not in the list: got '{value}' for '{entry.name}', want one of {_listed(words)}.{hint}"]
    return []


def _listed(words: Iterable[str]) -> str:
    """Return words for a message, a long list cut short with its length."""
    every = list(words)
    more = f" ... ({len(every)} in all)" if len(every) > _SHOWN_WORDS else ""
    return ", ".join(every[:_SHOWN_WORDS]) + more
