"""Which cells of a workbook are inputs, whether a value may go into one, and what a scenario puts into them.

An input is a defined name of the whole workbook that refers to one cell with the cell style `Input` (a value must be
given each time) or `Optional input` (its default stands in). The names are what scenario files use, without an
underscore at the end: a name that a function bears too must differ from it (`mfu_`, as there is MFU). A default is the
comment of the name, ``default: 0.8``, ``default: "bf16"`` or ``default: "=D5"`` (JSON); without one, what the cell has.
``(list)`` behind it marks a cell that holds a list as text.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from sizebook.calculation.names import Names
from sizebook.calculation.package import DefinedName, Package, tag
from sizebook.calculation.tokens import Area, address, area, tokenize
from sizebook.core.coercion import LONGEST_CELL, coerce, is_blank, list_text
from sizebook.core.errors import InputError, SizebookError
from sizebook.core.hints import want_one_of
from sizebook.core.sections import TABLES, Quantity, declared, flat, hints_of, nested
from sizebook.scenarios.money import MOST_RATES, USD, Money
from sizebook.scenarios.scenario_files import workbook_model
from sizebook.workbooks.data_validations import FLAGS, SheetRules, ValidationRule, as_argument, bounds_text, read_rules
from sizebook.workbooks.sheet import Live, Sheet

REQUIRED, OPTIONAL = "Input", "Optional input"
KEEP_CELL_VALUE: Any = object()  # the default of an input whose name tells none
_DEFAULT, _LIST = "default: ", "(list)"
_SHOWN_WORDS = 12


@dataclass(frozen=True)
class Input:
    """One input: its name, its cell, whether a value must be given, what it takes, and its default.

    ``choices`` are the values of its dropdown, ``quantity`` what its data validation says of a number.
    """

    name: str
    at: Area
    required: bool
    choices: tuple[Any, ...] = ()
    default: Any = KEEP_CELL_VALUE
    quantity: Quantity | None = None
    is_list: bool = False

    @property
    def place(self) -> str:
        """Where the input stands, for messages: ``Inputs!C5``."""
        return f"{self.at.sheet}!{address(self.at.top, self.at.left)}"

    @property
    def takes(self) -> str:
        """What it takes, for people: ``one of bf16, fp32; bf16 where left out``."""
        bounds = bounds_text(self.quantity) if self.quantity else ""
        taken = f"one of {_listed(map(str, self.choices))}" if self.choices else bounds or "any value"
        if self.required:
            return f"{taken}; must be given"
        if self.default is KEEP_CELL_VALUE:
            return f"{taken}; as it stands where left out"
        return f"{taken}; {self.default if self.default not in (None, '') else 'blank'} where left out"


def find_inputs(package: Package, sheets: Mapping[str, Sheet]) -> dict[str, Input]:
    """Return the inputs of a workbook by name, in the order of their cells."""
    styles, lists = _style_names(package), _Lists(package, sheets)
    rules: dict[str, SheetRules] = {}
    found = []
    for defined in package.defined_names():
        at = area(defined.text, "")
        if defined.sheet is not None or at is None or not at.is_cell or at.sheet not in sheets:
            continue
        cell = sheets[at.sheet].cells.get((at.top, at.left))
        style = _style(styles, cell.get("s", "0"), package.path.name) if cell is not None else ""
        if style in (REQUIRED, OPTIONAL):
            if at.sheet not in rules:  # most sheets hold no input, and need not be read
                rules[at.sheet] = SheetRules(read_rules(sheets[at.sheet].root, at.sheet))
            own = rules[at.sheet].of(at)
            default, is_list = _default(defined, style)
            found.append(
                Input(
                    defined.name.rstrip("_"),
                    at,
                    style == REQUIRED,
                    lists.choices(at, own),
                    default,
                    next((rule.quantity for rule in own if rule.quantity), None),
                    is_list,
                )
            )
    order = list(sheets)
    found.sort(key=lambda entry: (order.index(entry.at.sheet), entry.at.top, entry.at.left))
    return {entry.name: entry for entry in found}


def default_comment(value: Any, *, is_list: bool = False) -> str:
    """Return the comment of a name that gives an input its default."""
    return _DEFAULT + json.dumps(value, ensure_ascii=False) + (f" {_LIST}" if is_list else "")


def _default(defined: DefinedName, style: str) -> tuple[Any, bool]:
    """Return the default of an input, and whether its cell holds a list."""
    comment = defined.comment
    is_list = comment.endswith(f" {_LIST}")
    if style == REQUIRED or not comment.startswith(_DEFAULT):
        return KEEP_CELL_VALUE, is_list
    try:
        value = json.loads(comment.removeprefix(_DEFAULT).removesuffix(_LIST))
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"unreadable default: got '{comment}' for the name {defined.name}, want '{_DEFAULT}' and a number, "
            "a text in quotation marks or null. Correct the comment in the Name Manager."
        ) from error
    return Live(value) if isinstance(value, str) and value.startswith("=") else value, is_list


def _style_names(package: Package) -> list[str]:
    """Return the name of the cell style behind each cell format."""
    styles = package.xml("xl/styles.xml")
    names = {style.get("xfId"): style.get("name", "") for style in styles.iterfind(f"{tag('cellStyles')}/*")}
    return [names.get(xf.get("xfId", "0"), "") for xf in styles.iterfind(f"{tag('cellXfs')}/{tag('xf')}")]


def _style(names: list[str], index: str, where: str) -> str:
    if not index.isdecimal() or int(index) >= len(names):
        raise InputError(
            f"damaged workbook: got cell format {index} in {where}, want one of the {len(names)} in xl/styles.xml. "
            "Open and save it in Excel."
        )
    return names[int(index)]


class _Lists:
    """The dropdown lists of a workbook, each read once: many cells offer the same one."""

    def __init__(self, package: Package, sheets: Mapping[str, Sheet]) -> None:
        self._package, self._sheets = package, sheets
        self._known: dict[tuple[str, str], tuple[Any, ...]] = {}

    def choices(self, at: Area, own: Iterable[ValidationRule]) -> tuple[Any, ...]:
        """Return the values of a cell's dropdown list, none where it has none or a function makes the list."""
        source = next((rule.source for rule in own if rule.source), "")
        if (at.sheet, source) not in self._known:
            self._known[at.sheet, source] = self._values(at.sheet, source)
        return self._known[at.sheet, source]

    def _values(self, sheet: str, formula: str) -> tuple[Any, ...]:
        if formula.startswith('"'):
            return tuple(word.strip() for word in formula.strip('"').split(","))
        tokens = tokenize(formula)
        if len(tokens) == 1 and tokens[0].kind == "name":
            formula = Names(self._package).text(formula, sheet) or formula
        source = area(formula, sheet)
        if source is None or source.sheet not in self._sheets:
            return ()
        values = (self._sheets[source.sheet].value(row, column) for row, column in source.cells())
        return tuple(value for value in values if value is not None)


@dataclass
class CheckedValues:
    """Values of inputs by name, as cells hold them, and the problems of others."""

    values: dict[str, Any] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def check_values(inputs: Mapping[str, Input], given: Mapping[str, Any], names: set[str]) -> CheckedValues:
    """Return the given values as the cells take them, with one message for each that may not be written.

    A text with a number in a cell of numbers ("2T"), TRUE or FALSE in one of yes or no and a list in one of lists are
    turned into what the cell holds.

    Args:
        inputs: the inputs of the workbook.
        given: the values by name, in any case.
        names: every defined name of the workbook in lower case, to tell a name that is no input from an unknown one.
    """
    folded = {name.casefold(): entry for name, entry in inputs.items()}
    found = CheckedValues()
    for name, value in given.items():
        entry = folded.get(name.casefold())
        if entry is None:
            problem = "not an input" if name.casefold() in names else "unknown input"
            known = want_one_of(name, inputs, lists="'sizebook template check'")
            found.problems.append(f"{problem}: got '{name}', want {known}")
        elif entry.name in found.values:
            found.problems.append(f"input twice: got '{name}' again for '{entry.name}', want it once. Remove one.")
        else:
            _take(entry, value, found)
    found.problems += [
        f"missing input: got no '{e.name}', want a value for {e.place}. Add it to the scenario."
        for e in inputs.values()
        if e.required and e.name not in found.values
    ]
    return found if found.problems or "rate_per_usd_1" not in inputs else _with_checked_money(found)


def _with_checked_money(found: CheckedValues) -> CheckedValues:
    """Note what is wrong with the currency and its rates, as scenarios say it."""
    rates = [
        (found.values.get(f"rate_date_{number}"), found.values[name])
        for number, name in enumerate((f"rate_per_usd_{at}" for at in range(1, MOST_RATES + 1)), 1)
        if not is_blank(found.values.get(name))
    ]
    try:
        Money(currency=found.values.get("currency") or USD, rates=rates or None)
    except InputError as error:
        found.problems.append(str(error))
    return found


def _take(entry: Input, value: Any, found: CheckedValues) -> None:
    """Note the value of an input as its cell holds it, or what is wrong with it."""
    try:
        found.values[entry.name] = _as_cell(entry, value)
    except SizebookError as error:
        found.values[entry.name] = None
        found.problems.append(str(error))
        return
    found.problems += _value_problems(entry, found.values[entry.name])


def _as_cell(entry: Input, value: Any) -> Any:
    if isinstance(value, bool) and entry.choices == FLAGS:
        return FLAGS[value]
    if isinstance(value, (list, tuple)) and entry.is_list:
        return list_text(value)
    if entry.quantity is not None and isinstance(value, (bool, int, float, str)):
        return coerce(as_argument(entry.name, entry.quantity), value)
    return value


def _value_problems(entry: Input, value: Any) -> list[str]:
    if value is None and entry.required:
        return [f"blank input: got nothing for '{entry.name}', want a value for {entry.place}. Give one."]
    if not isinstance(value, (bool, int, float, str, date, type(None))):
        return [f"bad input: got {value!r} for '{entry.name}', want one value for {entry.place}. Give a single value."]
    if isinstance(value, str) and len(value) > LONGEST_CELL:
        return [
            f"too long: got {len(value)} characters for '{entry.name}', want at most {LONGEST_CELL}. "
            "Shorten the text: a cell holds no more."
        ]
    if isinstance(value, str) and any(ord(c) < 32 and c not in "\t\n\r" for c in value):
        return [f"bad input: got {value!r} for '{entry.name}', want text without control characters. Remove them."]
    if entry.choices and value is not None and value not in entry.choices:
        words = [str(choice) for choice in entry.choices]
        known = want_one_of(str(value), words, lists=f"The list at {entry.place}")
        return [f"not in the list: got '{value}' for '{entry.name}', want {known}"]
    return []


def _listed(words: Iterable[str]) -> str:
    """Return words for a message, a long list cut short with its length."""
    every = list(words)
    more = f" ... ({len(every)} in all)" if len(every) > _SHOWN_WORDS else ""
    return ", ".join(every[:_SHOWN_WORDS]) + more


def workbook_inputs(scenario: Any) -> dict[str, Any]:
    """Return what a scenario puts into the inputs of its workbook: its leaves by name, as cells hold them.

    What it leaves open is left out, so that the input's default stands. The tables of a section that stands several
    times are numbered: ``model_1``, ``model_2``. A model becomes a key of the catalog, or ``config.json`` and the path.
    """
    given = _cells({name: value for name, value in flat(scenario).items() if name not in ("plan", "rates")})
    if isinstance(money := getattr(scenario, "money", None), Money):
        for number, (day, rate) in enumerate(money.dated, 1):
            given |= {f"rate_date_{number}": day or _ANY_DAY, f"rate_per_usd_{number}": rate}
    for name, section in _several(scenario):
        for number, each in enumerate(getattr(section, name), 1):
            given |= {f"{leaf}_{number}": value for leaf, value in _cells(flat(each)).items()}
    return given


_ANY_DAY = date(2000, 1, 1)  # of a rate without a day: it holds in every month


def _cells(values: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in values.items():
        if name == "model":
            found |= workbook_model(value)
        elif value is not None and value != "":
            found[name] = _cell(value)
    return found


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return FLAGS[value]
    return list_text(value) if isinstance(value, (list, tuple)) else value


def _several(section: Any) -> Iterable[tuple[str, Any]]:
    """Yield the sections inside one that stand several times: name, and the section that holds them."""
    for each in declared(type(section)):
        within = nested(hints_of(type(section))[each.name])
        if within is not None and within.place == TABLES:
            yield each.name, section
        elif within is not None and not within.apart:
            yield from _several(getattr(section, each.name))
