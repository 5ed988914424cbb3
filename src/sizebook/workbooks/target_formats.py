"""What a written workbook is made for: an add-in, Excel 365 by itself, or readers of plain values."""

import re
from collections.abc import Iterator, Mapping

from lxml import etree

from sizebook.calculation.package import WORKBOOK, Package, tag
from sizebook.calculation.sheet_formulas import formulas
from sizebook.calculation.spellings import check_namespace, plain_name, respelled
from sizebook.calculation.tokens import tokenize
from sizebook.core.errors import InputError
from sizebook.core.named_lambda import named_lambda
from sizebook.core.registry import Function
from sizebook.core.targets import AddIn, Target
from sizebook.workbooks.all_formulas import all_formulas
from sizebook.workbooks.held_values import CODE_CELL

_ASKS_WHICH = re.compile(rf"ERROR\.TYPE\((\$?[A-Z]+\$?\d+)\)={re.escape(CODE_CELL)}(?!\d)")
_TABLE_FORMULAS = (tag("calculatedColumnFormula"), tag("totalsRowFormula"))


def convert_for(
    package: Package, target: Target, known: Mapping[str, Function], namespace: str = ""
) -> tuple[str, ...]:
    """Make a calculated package one for a target; return what is to be remarked.

    For an add-in functions are spelled as it stores them. ``lambda`` gives each function that is plain arithmetic as a
    LAMBDA under its own name; the others are remarked upon, for they need the add-in still. ``values`` leaves no
    formula of a cell behind; what rules and names call is remarked upon.
    """
    check_namespace(namespace, target)
    if target == "values":
        _freeze(package)
        return tuple(_still_live(package, known))
    if target == "lambda":
        _respell(package, "classic", known)
        _hold_without_lambda(package)
        return _name_closed_forms(package, {name: known[name] for name in _called(package, known)})
    _respell(package, target, known, namespace)
    return ()


def _hold_without_lambda(package: Package) -> None:
    """Let held values stand in where a program reads no LAMBDA, as they do where an add-in is missing."""
    for found in all_formulas(package):
        before = found.element.text or ""
        text = _with_any_error_as_missing(before)
        if text != before:
            package.xml(found.part, change=True)
            found.element.text = text


def _with_any_error_as_missing(formula: str) -> str:
    """Return a formula that takes an error without a number for that of a missing function, too.

    LibreOffice reads no LAMBDA: a call of one is Err:509, of which ERROR.TYPE gives #N/A. With an add-in such an error
    may be a function's own, so that this is for workbooks that hold LAMBDAs alone.
    """
    return _ASKS_WHICH.sub(rf"IFERROR(ERROR.TYPE(\1),{CODE_CELL})={CODE_CELL}", formula)


def _still_live(package: Package, known: Mapping[str, Function]) -> Iterator[str]:
    """Yield the rules and names that call functions of ours, which no value can stand for."""
    for found in all_formulas(package):
        for token in tokenize(found.element.text or ""):
            name = plain_name(token.text[:-1], known) if token.kind == "call" else None
            if name is not None:
                yield f"{package.path.name}: {found.place} calls {name}, which needs the add-in still"


def _respell(package: Package, add_in: AddIn, known: Mapping[str, Function], namespace: str = "") -> None:
    for found in all_formulas(package):
        before = found.element.text or ""
        text = respelled(before, add_in, known, namespace=namespace)
        if text != before:
            package.xml(found.part, change=True)
            found.element.text = text


def _called(package: Package, known: Mapping[str, Function]) -> list[str]:
    """Return the functions of ours that are called, in cells, rules, tables or names, in alphabetical order."""
    texts = {found.element.text or "" for found in all_formulas(package)}
    calls = (token.text[:-1] for text in texts for token in tokenize(text) if token.kind == "call")
    return sorted({name for call in calls if (name := plain_name(call, known)) is not None})


def _name_closed_forms(package: Package, called: Mapping[str, Function]) -> tuple[str, ...]:
    """Define a name for each function that is plain arithmetic; return a remark on the others."""
    texts = {name: named_lambda(function) for name, function in called.items()}
    taken = {defined.name.casefold(): defined for defined in package.defined_names()}
    for name, text in texts.items():
        defined = taken.get(name.casefold())
        if text is None or (defined is not None and defined.text == text):
            continue
        if defined is not None:
            raise InputError(
                f"name in use: got the defined name {defined.name} in {package.path.name}, want none that a function "
                "bears. Rename it in the Name Manager."
            )
        etree.SubElement(_names(package), tag("definedName"), name=name).text = text
    left = [name for name, text in texts.items() if text is None]
    if not left:
        return ()
    return (
        f"{package.path.name}: {len(texts) - len(left)} functions are LAMBDAs; {', '.join(left)} "
        f"{'needs' if len(left) == 1 else 'need'} the add-in still, being more than plain arithmetic",
    )


def _names(package: Package) -> etree._Element:
    """Return the element of defined names, made in its place where the workbook has none."""
    root = package.xml(WORKBOOK, change=True)
    found = root.find(tag("definedNames"))
    if found is None:
        found = etree.Element(tag("definedNames"))
        before = [e for e in root if e.tag in (tag("sheets"), tag("functionGroups"), tag("externalReferences"))]
        root.insert(1 + root.index(before[-1]), found)
    return found


def _freeze(package: Package) -> None:
    """Leave the values of cells and no formula, those that tables would put into new rows included."""
    for part in package.sheets().values():
        for cell, formula in formulas(package.xml(part)):
            package.xml(part, change=True)
            cell.remove(formula)
            cell.attrib.pop("cm", "")  # no dynamic array begins here any more
    for part in [name for name in package.names() if name.startswith("xl/tables/")]:
        for column in package.xml(part).findall(f"{tag('tableColumns')}/{tag('tableColumn')}"):
            for element in [each for each in column if each.tag in _TABLE_FORMULAS]:
                package.xml(part, change=True)
                column.remove(element)
