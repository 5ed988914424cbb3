"""Fills a workbook losslessly: inputs in, every formula live, the computed value beside each."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from lxml import etree

from sizebook.calculation import Calculated
from sizebook.calculation.package import PACKAGE_RELATIONS, WORKBOOK, Package, tag
from sizebook.calculation.recalculation import recalculated_when_asked
from sizebook.calculation.sheet_formulas import array_formula, formulas
from sizebook.calculation.tokens import address
from sizebook.core.errors import InputError
from sizebook.core.garbage import collected_later
from sizebook.core.targets import Target
from sizebook.functions import load
from sizebook.tables.prices import valued_on
from sizebook.workbooks.anchors.placement import FilledAnchors, fill_anchors, find_anchors
from sizebook.workbooks.anchors.plan_values import PlanValues
from sizebook.workbooks.chart_caches import CellValue, Drawn, drawn_cells, refresh_charts
from sizebook.workbooks.embedded_record import put_record
from sizebook.workbooks.held_values import empty_held_cells, held_areas, hold_values
from sizebook.workbooks.input_cells import KEEP_CELL_VALUE, Input, check_values, find_inputs
from sizebook.workbooks.print_ranges import apply_print_range, print_marks
from sizebook.workbooks.protection import protect
from sizebook.workbooks.sheet import Sheet
from sizebook.workbooks.target_formats import convert_for

_CALC_CHAIN = "xl/calcChain.xml"
# Excel 2019 and later: it takes the stored values as they are instead of calculating all on opening.
_CALC_ID = "191029"
_KEPT = "; not calculated, it keeps the value stored before"


@dataclass(frozen=True)
class Filled:
    """A filled workbook: where it is, what its cells show, and what was remarked, such as old names of inputs.

    ``problems`` says what is wrong with cells in error, ``placed`` what a plan put into which anchor.
    """

    path: Path
    calculated: Calculated
    notes: tuple[str, ...] = ()
    placed: tuple[str, ...] = ()

    @property
    def problems(self) -> list[str]:
        """One line for each cell where an error begins, and how many cells follow from those.

        A cell that cannot be calculated, and one that follows from it, keeps what the template holds beside it.
        """
        kept = set(self.calculated.not_calculated)
        lines = [
            f"{sheet}!{at}: {problem}{_KEPT if (sheet, at) in kept else ''}"
            for (sheet, at), problem in self.calculated.problems.items()
        ]
        following = self.calculated.n_errors - len(lines)
        return [*lines, f"{following} more cells show an error because of these"] if following else lines


@dataclass(frozen=True)
class SaveOptions:
    """How a filled file is saved."""

    namespace: str = ""  # that of the manifest, where the add-in is one of xlwings Server (`office-js`)
    protected: bool = False  # the sheets are protected, without a password; inputs stay open
    record: str = ""  # of what the file was made of, for `embedded_record.read_record`


def read_inputs(template: Path) -> dict[str, Input]:
    """Return the inputs of a workbook by name, in the order of their cells."""
    package = Package.read(template)
    return find_inputs(package, Sheet.all_of(package))


@collected_later()
def fill(
    template: Path,
    inputs: Mapping[str, Any],
    output: Path,
    *,
    target: Target | None = None,
    strict: bool = False,
    options: SaveOptions = SaveOptions(),
) -> Filled:
    """Write inputs into a workbook by defined name, recalculate it and save it under another name.

    Everything else stays as it is: parts without a changed cell are byte-identical, formulas are kept, and each holds
    its computed value, so that a reader without Excel or the add-in sees the numbers.

    Args:
        template: an .xlsx or .xlsm workbook with inputs (see `sizebook.workbooks.input_cells`).
        inputs: the values by input name; None empties an optional input.
        output: the file to write; it appears whole or not at all.
        target: what the file is made for (`target_formats`): the add-in that will compute it (`classic`,
            `office-js`, `libreoffice`), Excel 365 without one (`lambda`), or readers of plain values (`values`). Left
            out: functions are spelled as in the template.
        strict: refuse a workbook with formulas that cannot be calculated, which otherwise keep what the template holds
            beside them (#N/A where it holds nothing) and are named in ``problems``.
        options: how the file is saved: the namespace of its calls, and whether its sheets are protected.

    Errors: `InputError` with one line for each wrong, unknown or missing input, for formulas in a circle and for a
    calculation beyond its limits; nothing is written then.
    """
    package = _opened(template, output)
    sheets = Sheet.all_of(package)
    drawn = drawn_cells(package, sheets)
    write_inputs(package, sheets, inputs)
    day = inputs.get("as_of")
    # Prices are judged on the day of the plan, as the plan itself judges them.
    with valued_on(day) if isinstance(day, date) else nullcontext():
        calculated = _calculated(package, sheets, drawn, strict=strict)
    return _saved(package, calculated, output, target=target, options=options)


@collected_later()
def fill_from(
    template: Path,
    plan_values: PlanValues,
    output: Path,
    *,
    target: Target | None = None,
    strict: bool = False,
    options: SaveOptions = SaveOptions(),
) -> Filled:
    """Put a plan into the anchors and inputs of somebody's workbook, recalculate it and save it under another name.

    Anchors are defined names, Excel tables, names in braces inside texts, and named ranges for pictures
    (`sizebook.workbooks.anchors`). Rows that come or go with a table are followed by all that refers to them. Else as
    `fill`; ``strict`` also refuses names and headers that mean nothing of the plan.

    Errors: `InputError` as of `fill`, and for what stands in the way of a table.
    """
    package = _opened(template, output)
    drawn = drawn_cells(package, Sheet.all_of(package))
    placed = write_plan(package, plan_values)
    left = (*placed.left, *placed.kept)
    if strict and left:
        raise InputError(
            f"anchors left: got {len(left)} in {template.name} that the plan does not fill, want none. Correct "
            "them, or fill without --strict:\n" + "\n".join(left)
        )
    sheets = Sheet.all_of(package)  # anew: cells may have moved
    calculated = _calculated(package, sheets, drawn, strict=strict)
    filled = _saved(package, calculated, output, target=target, options=options)
    said = tuple(f"{template.name}: {line}" for line in left)
    return replace(filled, notes=said + filled.notes, placed=placed.done)


def write_plan(package: Package, plan_values: PlanValues) -> FilledAnchors:
    """Write a plan into the inputs and anchors of a package; return what was written where.

    Errors: `InputError` for a workbook without either, for a missing required input, and for cells in the way of a
    table.
    """
    sheets = Sheet.all_of(package)
    inputs = find_inputs(package, sheets)
    if not inputs and not find_anchors(package, plan_values):
        raise InputError(
            f"no anchors: got {package.path.name}, want a defined name or an Excel table that bears a name of the "
            "plan, {{ name }} in a text, or an input. 'sizebook template check' lists the names."
        )
    known = {name.casefold() for name in inputs}
    given = {name: value for name, value in plan_values.inputs.items() if name.casefold() in known}
    if inputs:
        write_inputs(package, sheets, given)
    return fill_anchors(package, plan_values, tuple(inputs))


def _opened(template: Path, output: Path) -> Package:
    """Return the parts of a template that may be filled into an output of that name."""
    if template.suffix.lower() != output.suffix.lower():
        raise InputError(
            f"another kind of file: got '{output.suffix}' for the output, want '{template.suffix}' as the template. "
            "Rename the output: Excel refuses a file whose name and content differ."
        )
    package = Package.read(template)
    refuse_signed(package)
    return package


def _calculated(package: Package, sheets: Mapping[str, Sheet], drawn: Drawn, *, strict: bool) -> Calculated:
    """Calculate a package whose values are in, and write what it shows; charts draw what ``drawn`` says from before."""
    _drop_calculation_chain(package)
    _keep_stored_values(package)
    empty_held_cells(package, sheets)
    calculated = recalculated_when_asked(package)
    if strict:
        _refuse_uncalculated(package.path, calculated)
    shown = _shown(sheets, calculated)
    held, marks = list(held_areas(package)), print_marks(package)
    for sheet in sheets.values():  # one after the other: the elements of all take more memory than all else
        _write_computed(sheet, calculated)
        for to, source in held:
            if to.sheet == sheet.name:
                hold_values(sheet, to, source, shown=shown)
        for mark, at in marks.get(sheet.name, ()):
            apply_print_range(package, (sheet.name, at), mark=mark, shown=shown)
        sheet.settle()
    refresh_charts(package, shown, drawn)  # of the cells that are shown now
    return calculated


def _saved(
    package: Package, calculated: Calculated, output: Path, *, target: Target | None, options: SaveOptions
) -> Filled:
    remarks = () if target is None else convert_for(package, target, load(), namespace=options.namespace)
    if options.protected:
        protect(package)
    if options.record:
        put_record(package, options.record)
    package.save(output)
    return Filled(output, calculated, remarks)


def refuse_signed(package: Package) -> None:
    """Raise for a workbook that somebody signed: any change would make the signature void."""
    if any(name.startswith("_xmlsignatures/") for name in package.names()):
        raise InputError(
            f"signed workbook: got {package.path.name} with a digital signature, which filling would break, want one "
            "without. Remove the signature in Excel (File > Info), and sign what was filled."
        )


def write_inputs(package: Package, sheets: Mapping[str, Sheet], given: Mapping[str, Any]) -> None:
    """Write the values of inputs into their cells."""
    inputs = find_inputs(package, sheets)
    if not inputs:
        raise InputError(
            f"no inputs: got {package.path.name}, want a defined name on a cell with the style 'Input' or "
            "'Optional input'. Name the input cells and give them that style."
        )
    checked = check_values(inputs, given, {name.name.casefold() for name in package.defined_names()})
    if checked.problems:
        raise InputError("\n".join(f"{package.path.name}: {problem}" for problem in checked.problems))
    values = {entry.name: entry.default for entry in inputs.values() if entry.default is not KEEP_CELL_VALUE}
    for name, value in (values | checked.values).items():
        at = inputs[name].at
        sheets[at.sheet].write_input(at.top, at.left, value)


def _drop_calculation_chain(package: Package) -> None:
    """Leave out the order of calculation, with all that refers to it: Excel makes it anew.

    It must not name a cell whose formula an input has replaced.
    """
    if _CALC_CHAIN not in package.names():
        return
    package.remove(_CALC_CHAIN)
    types = package.xml("[Content_Types].xml", change=True)
    relations = package.xml("xl/_rels/workbook.xml.rels", change=True)
    for entry in [entry for entry in types if entry.get("PartName") == f"/{_CALC_CHAIN}"]:
        types.remove(entry)
    for entry in [
        e for e in relations.iter(f"{{{PACKAGE_RELATIONS}}}Relationship") if "calcChain" in e.get("Type", "")
    ]:
        relations.remove(entry)


def _keep_stored_values(package: Package) -> None:
    """Ask readers to show stored values: without the add-in, calculating on opening would give #NAME?."""
    settings = package.xml(WORKBOOK).find(tag("calcPr"))
    if settings is None:
        root = package.xml(WORKBOOK, change=True)
        settings = etree.Element(tag("calcPr"))
        # The schema wants it behind the defined names, before whatever may follow them.
        root.insert(1 + max(root.index(e) for e in root if e.tag in (tag("sheets"), tag("definedNames"))), settings)
    before = sorted(settings.attrib.items())
    for attribute in ("fullCalcOnLoad", "forceFullCalc", "calcCompleted"):
        settings.attrib.pop(attribute, "")
    settings.set("calcId", _CALC_ID)
    if sorted(settings.attrib.items()) != before:
        package.xml(WORKBOOK, change=True)


def _refuse_uncalculated(template: Path, calculated: Calculated) -> None:
    places = calculated.not_calculated
    if places:
        lines = [
            f"{template.name}: {sheet}!{at}: {calculated.problems.get((sheet, at), '')}" for sheet, at in places[:10]
        ]
        more = f"\nand {len(places) - 10} more" if len(places) > 10 else ""
        raise InputError(
            f"cannot calculate: got {len(places)} formulas beyond what is calculated here, want none. "
            "Correct these cells, or fill without --strict:\n" + "\n".join(lines) + more
        )


def _shown(sheets: Mapping[str, Sheet], calculated: Calculated) -> CellValue:
    """Return what a cell of the written workbook shows; what is not calculated keeps what is stored beside it."""
    kept = set(calculated.not_calculated)
    for name in {sheet for sheet, _ in kept}:
        for cell, formula in formulas(sheets[name].root):
            if (name, cell.get("r", "")) in kept and formula.get("t") != "dataTable":
                sheets[name].keep(cell)

    def shown(sheet: str, row: int, column: int) -> Any:
        at = sheet, address(row, column)
        return sheets[sheet].value(row, column) if at in kept else calculated[at]

    return shown


def _write_computed(sheet: Sheet, calculated: Calculated) -> None:
    """Store what each formula of a sheet gives."""
    kept = set(calculated.not_calculated)
    for cell, formula in formulas(sheet.root):
        place, kind = (sheet.name, cell.get("r", "")), formula.get("t")
        if place in kept or kind == "dataTable":
            continue
        if kind != "array":
            sheet.store(cell, calculated[place])
            continue
        array = array_formula(sheet.name, cell, formula)
        filled = calculated.spilled.get(place, array.filled)
        if array.dynamic:
            sheet.set_array(formula, filled)
        for row, column in filled.cells():
            sheet.write_computed(row, column, calculated[sheet.name, address(row, column)])
