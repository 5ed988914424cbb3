"""A registered function as the LAMBDA of a defined name, which Excel 365 works out without the add-in.

The text is printed from the one parsed formula: what blanks stand for, which arguments are refused and with what error
value included. It is spelled as files spell it (US English, ``_xlfn.`` before what is newer than the format, ``_xlpm.``
before parameters, ``_xlop.`` where an optional one is declared).

What differs from the function: text that reads as a number ("70B"), "yes" for TRUE, and options in one text are refused
(``#VALUE!``); whole numbers are exact to 2^53.
"""

from collections.abc import Iterator
from typing import Any

from sizebook.core.cells import call
from sizebook.core.coercion import LARGEST_COUNT
from sizebook.core.expression import Expression, node_of, parse
from sizebook.core.expression_tree import Call, Name, Node, Operation, Text, rebuilt
from sizebook.core.formula_text import expression, inlined
from sizebook.core.registry import Function, find
from sizebook.core.sections import Argument

# Excel takes no longer formula.
_LONGEST = 8192


def is_table(function: Function) -> bool:
    """Return whether a function looks one value up by one name, as DTYPE_BITS does."""
    one = len(function.arguments) == 1 and function.arguments[0]
    return bool(one and one.required and one.quantity.kind == "choice" and function.result.kind != "range")


def table(function: Function) -> dict[str, Any]:
    """Return the value of a function that `is_table` for every choice of its argument."""
    (argument,) = function.arguments
    return {choice: call(function.name, choice) for choice in argument.quantity.allowed}


def named_lambda(function: Function) -> str | None:
    """Return what a defined name of the function's own name stands for; None where it is more than plain arithmetic."""
    if not function.formula and not is_table(function):
        return None
    text = _lambda(function)
    return text if len(text) <= _LONGEST else None


def _lambda(function: Function) -> str:
    arguments = function.arguments
    places = {argument.name: _place(argument) for argument in arguments}
    steps = [f"{places[a.name]},{_taken(a)}" for a in arguments if a.name not in function.blanks and _is_bound(a)]
    for name, text in function.blanks.items():
        stands_for = _excel(inlined(parse(text)), places)
        steps.append(f"{places[name]},{_or_blank(name, stands_for)}")
    value = f"IF({_VALUE}>=0,{_VALUE},#NUM!)" if function.result.never_negative else _VALUE
    body = f"_xlfn.LET({_VALUE},{_excel(_tables_within(_formula(function)), places)},{value})"
    if function.holds:
        body = f"IF({_excel(inlined(parse(function.holds)), places)},{body},#NUM!)"
    numbers = [places[a.name] for a in arguments if a.quantity.kind != "choice"]
    for conditions, code in (
        (list(_in_range(arguments, places)), "#NUM!"),
        ([_known(a, places[a.name]) for a in arguments if a.quantity.kind == "choice"], "#N/A"),
        # The error of an argument goes through the product; texts and blanks end as the error behind them.
        ([f"ISNUMBER({number})" for number in numbers], "*".join([*numbers, "#VALUE!"])),
    ):
        if conditions:
            # A product and not AND, which makes one value of all that a range holds.
            body = f"IF({'*'.join(conditions)},{body},{code})"
    parameters = ",".join(f"{'_xlpm.' if a.required else '_xlop.'}{a.name}" for a in arguments)
    return f"_xlfn.LAMBDA({parameters},{_let(steps, body)})"


_VALUE = "_xlpm.value_"


def _let(steps: list[str], body: str) -> str:
    return f"_xlfn.LET({','.join([*steps, body])})" if steps else body


def _is_bound(argument: Argument) -> bool:
    return not argument.required or argument.quantity.kind == "flag"


def _place(argument: Argument) -> str:
    """Return the variable that holds an argument once its default stands in."""
    return f"_xlpm.{argument.name}{'_' if _is_bound(argument) else ''}"


def _taken(argument: Argument) -> str:
    """Return an argument as the formula takes it: its default where it is blank, a flag as 1 or 0."""
    default = "" if argument.default is None or argument.required else _literal(argument.default)
    text = f"_xlpm.{argument.name}" if argument.required else _or_blank(argument.name, default)
    return f"1*{text}" if argument.quantity.kind == "flag" else text


def _or_blank(name: str, stands_for: str) -> str:
    given = f"_xlpm.{name}"
    return f'IF(_xlfn.ISOMITTED({given}),{stands_for},IF({given}="",{stands_for},{given}))'


def _excel(formula: Expression, places: dict[str, str]) -> str:
    return formula.excel(places).removeprefix("=")


def _formula(function: Function) -> Expression:
    if function.formula:
        return expression(function)
    return Expression(Call(function.name, (Name(function.arguments[0].name),)))


def _tables_within(formula: Expression) -> Expression:
    """Return a formula with a choice of values in place of each call that looks one up."""

    def change(node: Node) -> Node | None:
        if not isinstance(node, Call) or not node.function.isupper():
            return None
        (argument,) = node.arguments
        entries = [(choice, node_of(value)) for choice, value in table(find(node.function)).items()]
        found = entries[-1][1]  # the argument was checked before: it is one of them
        for choice, value in reversed(entries[:-1]):
            found = Call("if", (Operation("=", argument, Text(choice)), value, found))
        return found

    return Expression(rebuilt(formula.tree, change))


def _known(argument: Argument, place: str) -> str:
    return "(" + "+".join(f'({place}="{choice}")' for choice in argument.quantity.allowed) + ")"


def _in_range(arguments: tuple[Argument, ...], places: dict[str, str]) -> Iterator[str]:
    """Yield what must hold of numbers: their bounds, and that whole ones are whole."""
    for argument in arguments:
        quantity, place = argument.quantity, places[argument.name]
        if quantity.kind == "flag":
            yield f"(({place}=0)+({place}=1))"
        if quantity.kind == "integer":
            yield f"(INT({place})={place})*(ABS({place})<={LARGEST_COUNT:.0E})"
        bounds = {">=": quantity.minimum, ">": quantity.above, "<=": quantity.maximum, "<": quantity.below}
        yield from (f"({place}{sign}{_literal(bound)})" for sign, bound in bounds.items() if bound is not None)


def _literal(value: Any) -> str:
    return _excel(Expression(node_of(value)), {})
