"""Inputs that quantities declare: name, label, unit, meaning, default, format and validation are the declaration's own.

`declare` adds one, `declare_all` every leaf of a section under headings, so that a new field of a section is an input
of the workbook without an edit of its description.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sizebook.core.sections import REQUIRED, Argument, Quantity, declared, hints_of, leaves, nested
from sizebook.workbooks import styles
from sizebook.workbooks.data_validations import FLAGS, accepted_values, sentence, validation_for
from sizebook.workbooks.input_sources import source_of_input
from sizebook.workbooks.line_sheet import InputLine, LineSheet

AS_DECLARED: Any = object()


def declare(
    page: LineSheet,
    argument: Argument,
    *,
    required: bool | None = None,
    default: Any = AS_DECLARED,
    label: str = "",
    per_case: tuple[Any, ...] = (),
) -> None:
    """Add the input of one quantity; ``required``, ``default`` and ``label`` replace what is declared.

    ``per_case`` gives each case a cell of its own, ``name_1`` and so on: the defaults of the cases after the first.
    """
    quantity, label = argument.quantity, label or argument.label
    wanted = argument.default if default is AS_DECLARED else default
    origin = source_of_input(argument, wanted, required=argument.required if required is None else required)
    page.input(
        InputLine(
            argument.name,
            label,
            _shown(wanted),
            unit=quantity.unit,
            origin=sentence(quantity.meaning),
            number_format=number_format(quantity),
            required=argument.required if required is None else required,
            per_case=tuple(map(_shown, per_case)),
            rule=validation_for(argument, label, page.book.choices),
            is_list=quantity.kind == "list",
            takes=accepted_values(quantity),
            source=origin.of_default,
            own_source=origin.of_others,
        )
    )


def declare_all(
    page: LineSheet,
    kind: type[Any],
    headings: Mapping[type[Any], str],
    *,
    left_out: Collection[str] = (),
    blank: Collection[str] = (),
    per_case: bool = False,
) -> None:
    """Add every leaf of a section but those left out, under the headings of the sections that hold them.

    A section without a heading of its own stands under that of the section around it. With ``per_case`` a leaf
    without a default is required of the first case only, and blank in the others. Those of ``blank`` are left open,
    for a plan takes what nobody states otherwise than their default.
    """
    for heading, arguments in grouped(kind, headings, left_out).items():
        page.section(heading)
        for argument in arguments:
            n_others = len(page.cases) - 1 if per_case else 0
            default = None if argument.name in blank else argument.default
            declare(page, argument, default=default, per_case=(default,) * n_others)


def grouped(
    kind: type[Any], headings: Mapping[type[Any], str], left_out: Collection[str] = ()
) -> dict[str, list[Argument]]:
    """Return the leaves of a section by the headings under which they stand, in the order in which they come."""
    found: dict[str, list[Argument]] = {}
    for heading, argument in _headed(kind, headings, ""):
        if argument.name not in left_out:
            found.setdefault(heading, []).append(argument)
    return found


def _headed(kind: type[Any], headings: Mapping[type[Any], str], around: str) -> Iterator[tuple[str, Argument]]:
    heading = headings.get(kind, around)
    own = {leaf.name: leaf for leaf in leaves(kind)}
    for each in declared(kind):
        within = nested(hints_of(kind)[each.name])
        if within is None:
            yield heading, own[each.name]
        elif not within.apart:
            yield from _headed(within.kind, headings, heading)


def _shown(value: Any) -> Any:
    """Return a default as a cell holds it: flags as yes or no, blank where a value must be given."""
    if isinstance(value, bool):
        return FLAGS[value]
    return None if value is REQUIRED else value


def number_format(quantity: Quantity) -> str:
    """Return the number format of a quantity: by its kind, and a share of a whole in per cent."""
    if quantity.kind == "number":
        if quantity.minimum is not None and quantity.minimum < 0:
            return styles.SIGNED
        is_share = quantity.unit == "ratio" and quantity.maximum is not None and quantity.maximum <= 1
        return styles.PERCENT if is_share else styles.RATE if "/" in quantity.unit else styles.NUMBER
    formats = {"integer": styles.WHOLE, "date": styles.DATE, "list": styles.TEXT, "text": styles.TEXT}
    return (
        styles.GENERAL if quantity.allowed and quantity.kind == "text" else formats.get(quantity.kind, styles.GENERAL)
    )
