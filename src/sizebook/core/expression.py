"""One formula text, parsed once: its value, its text with numbers, and the same formula in Excel and JavaScript.

The text is the formula of money or physics; every surface that computes or shows it takes it from here, so that it is
written once. Excel, LAMBDA and JavaScript compute with doubles: whole numbers are exact to 2^53 there, where `evaluate`
counts exactly beyond. Flags are 1 or 0 in arithmetic everywhere, but in Excel TRUE = 1 is false, and MIN and MAX pass
over a cell that holds TRUE: test a flag with ``if``. ``round`` takes a half to the even number here and upwards there,
and Excel refuses 0^0, which is 1 elsewhere.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, NamedTuple

from sizebook.core import expression_tree
from sizebook.core.errors import InputError, RangeError, UnknownFunctionError
from sizebook.core.expression_dialects import EXCEL, JAVASCRIPT, TEXT, operand_of_excel, spelled
from sizebook.core.expression_tree import (
    COMPARISONS,
    Call,
    Name,
    Negative,
    Node,
    Number,
    Operation,
    Text,
    rebuilt,
    walk,
)
from sizebook.core.hints import unknown_key

Lookup = Callable[..., Any]  # the value of a registered function: its name, then its arguments
Read = Callable[[str], Any]  # digits to a number


@dataclass(frozen=True)
class Expression:
    """A parsed formula. Two formulas that differ in spaces or needless parentheses are equal."""

    tree: Node

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments that the formula names, each once, from left to right."""
        return tuple(dict.fromkeys(node.name for node in walk(self.tree) if isinstance(node, Name)))

    @cached_property
    def _work(self) -> Work:
        return _work(self.tree)

    def __str__(self) -> str:
        return spelled(self.tree, TEXT)

    def evaluate(self, values: Mapping[str, Any], call: Lookup | None = None, read: Read | None = None) -> Any:
        """Return the value for values by name.

        Whole numbers stay exact under ``+ - * ^``; all else is a double, each operation in the order written, as in a
        spreadsheet and a browser. ``call`` gives the value of registered functions, `sizebook.core.cells.call` for one.
        ``read`` turns digits into numbers: `fractions.Fraction` computes as by hand, with every digit.

        Errors: a name without a value, text in arithmetic, no real value (the root of a negative number).
        """
        value = self._work(_Given(values, call or _no_lookup, read or _double))
        if read and isinstance(value, Fraction):
            return int(value) if value.denominator == 1 else float(value)
        return value

    def text(self, values: Mapping[str, Any], call: Lookup | None = None) -> str:
        """Return the formula with numbers for names, such that the text printed is worth the result.

        A flag or a comparison prints as 1 or 0, a call of a registered function as its value, an ``if`` as the branch
        that it takes.
        """
        given = _Given(values, call or _no_lookup, _double)
        return spelled(rebuilt(self.tree, given.shown), TEXT)

    def excel(self, names: Mapping[str, str]) -> str:
        """Return the Excel formula (US English) with a reference, a number or an expression for each name."""
        _require_names(self.names, names)
        return f"={spelled(self.tree, EXCEL, {name: operand_of_excel(cell) for name, cell in names.items()})}"

    def javascript(self, parameters: Sequence[str]) -> str:
        """Return the source of a JavaScript arrow function; registered functions must be in scope under their names."""
        _require_names(self.names, parameters)
        return f"({', '.join(parameters)}) => {spelled(self.tree, JAVASCRIPT)}"

    def inlined(self, tree_of: Callable[[str, tuple[Node, ...]], Node | None]) -> Expression:
        """Return the formula with trees for calls of registered functions, where ``tree_of`` has one for a call."""

        def change(node: Node) -> Node | None:
            if not isinstance(node, Call) or not node.function.isupper():
                return None
            return tree_of(node.function, tuple(rebuilt(argument, change) for argument in node.arguments))

        return Expression(rebuilt(self.tree, change))


@cache
def parse(text: str) -> Expression:
    """Return a formula text as an expression; see `sizebook.core.expression_tree` for what may be written."""
    return Expression(expression_tree.parse(text))


def node_of(value: Any) -> Node:
    """Return a value as it stands in a formula: digits of a number, 1 or 0 for a flag, text in quotation marks."""
    if isinstance(value, str):
        return Text(value)
    digits = _digits(value)
    return Negative(Number(digits[1:])) if digits.startswith("-") else Number(digits)


def _digits(value: Any) -> str:
    if isinstance(value, bool):
        return str(int(value))
    # 312000000000000.0 reads worse than it should; from 2^53 on the digits of a double would say more than it knows.
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else str(value)


def _double(digits: str) -> int | float:
    return int(digits) if digits.lstrip("-").isdigit() else float(digits)


def _no_lookup(function: str, *_: Any) -> Any:
    raise UnknownFunctionError(
        f"unknown function: got '{function}' in a formula, want a lookup that knows it. Pass one as call."
    )


def _require_names(used: Sequence[str], known: Mapping[str, str] | Sequence[str]) -> None:
    for name in used:
        if name not in known:
            raise unknown_key("name in a formula", name, known)


# Evaluating ----------------------------------------------------------------------------------------------------------


def _power(base: Any, exponent: Any) -> Any:
    if base < 0 and exponent != int(exponent):
        raise ValueError
    return base**exponent


_OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": _power,
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "ceil": math.ceil,
    "exp": math.exp,
    "floor": math.floor,
    "ln": math.log,
    "max": max,
    "min": min,
    "round": round,
    "sqrt": math.sqrt,
}


Work = Callable[["_Given"], Any]


class _Given(NamedTuple):
    """What a formula is evaluated with."""

    values: Mapping[str, Any]
    call: Lookup
    read: Read

    def value(self, name: str) -> Any:
        value = self.values.get(name)
        if value is None:
            raise InputError(
                f"no value for a name: got nothing for '{name}', want a number. Give the names {', '.join(self.values)}"
                " and this one."
            )
        return self.number(value)

    def number(self, value: Any) -> Any:
        if value.__class__ is int and self.read is _double:  # nearly always
            return value
        return value if isinstance(value, str) else self.read(str(int(value) if isinstance(value, bool) else value))

    def shown(self, node: Node) -> Node | None:
        """Return what stands for a node where numbers are put in, None for one that keeps its shape."""
        match node:
            case Call("if", (condition, yes, no)):
                return rebuilt(yes if _work(condition)(self) else no, self.shown)
            case Name(name):
                return node_of(self.value(name))
            case Operation(sign, _, _) if sign in COMPARISONS:
                return node_of(_work(node)(self))
            case Call(function, _) if function.isupper():
                return node_of(_work(node)(self))
        return None


def _work(node: Node) -> Work:
    """Return what evaluates a node: its shape is looked at once, however many numbers it is given."""
    match node:
        case Number(digits):
            double = _double(digits)
            return lambda given: double if given.read is _double else given.read(digits)
        case Text(value):
            return lambda _: value
        case Name(name):
            return lambda given: given.value(name)
        case Negative(operand):
            inner = _work(operand)
            return lambda given: -inner(given)
        case Operation(sign, left, right):
            before, after = _work(left), _work(right)
            return lambda given: _operated(sign, before(given), after(given))
        case Call("if", (condition, yes, no)):
            asked, then, otherwise = _work(condition), _work(yes), _work(no)
            return lambda given: then(given) if asked(given) else otherwise(given)
        case Call(function, arguments):
            works = tuple(map(_work, arguments))
            return lambda given: _called(given, function, [work(given) for work in works])


def _operated(sign: str, left: Any, right: Any) -> Any:
    if left.__class__ is str or right.__class__ is str:
        texts = [side for side in (left, right) if isinstance(side, str)]
        if len(texts) == 1 or sign not in COMPARISONS:
            raise InputError(f"text in arithmetic: got '{texts[0]}', want a number. Compare it with a text.")
    try:
        return _OPERATIONS[sign](left, right)
    except ValueError as error:
        raise _not_real(f"{left} {sign} {right}") from error


def _called(given: _Given, function: str, arguments: list[Any]) -> Any:
    if function not in _FUNCTIONS:
        return given.number(given.call(function, *arguments))
    try:
        return _FUNCTIONS[function](*arguments)
    except ValueError as error:
        raise _not_real(f"{function}({', '.join(map(str, arguments))})") from error


def _not_real(got: str) -> RangeError:
    return RangeError(f"no real value: got {got}, want numbers for which it has one. Correct the numbers.")
