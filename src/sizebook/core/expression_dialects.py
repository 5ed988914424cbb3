"""How a formula is written as text, in Excel and in JavaScript: signs, functions, and where parentheses stand."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sizebook.core.expression_tree import COMPARISONS, Call, Name, Negative, Node, Number, Operation, Text

# How tightly a node binds. Both operands of ^ and the operand of a minus must be atoms: in Excel -2^2 is 4 and 2^3^2 is
# 64, in mathematics -4 and 512, and JavaScript refuses -2 ** 2, so what is meant is always in parentheses.
_BINDS = {**dict.fromkeys(COMPARISONS, 1), "+": 2, "-": 2, "*": 3, "/": 3, "^": 5}
_SIGNED, _ATOM = 4, 6


@dataclass(frozen=True)
class Dialect:
    """How a surface writes operators and functions; what it does not name stays as it is in the formula."""

    signs: Mapping[str, str]
    functions: Mapping[str, str]
    separator: str


TEXT = Dialect({sign: f" {sign} " for sign in _BINDS} | {"^": "^"}, {}, ", ")
EXCEL = Dialect(
    {},
    {
        "ceil": "CEILING({0},1)",
        "exp": "EXP({0})",
        "floor": "INT({0})",
        "if": "IF({all})",
        "ln": "LN({0})",
        "max": "MAX({all})",
        "min": "MIN({all})",
        "round": "ROUND({0},0)",
        "sqrt": "SQRT({0})",
    },
    ",",
)
JAVASCRIPT = Dialect(
    {sign: f" {sign} " for sign in _BINDS} | {"^": " ** ", "=": " === ", "<>": " !== "},
    {
        "ceil": "Math.ceil({0})",
        "exp": "Math.exp({0})",
        "floor": "Math.floor({0})",
        "if": "({0} ? {1} : {2})",
        "ln": "Math.log({0})",
        "max": "Math.max({all})",
        "min": "Math.min({all})",
        "round": "Math.round({0})",
        "sqrt": "Math.sqrt({0})",
    },
    ", ",
)


def _binding(node: Node) -> int:
    match node:
        case Operation(sign, _, _):
            return _BINDS[sign]
        case Negative(_):
            return _SIGNED
    return _ATOM


def spelled(node: Node, dialect: Dialect, names: Mapping[str, str] | None = None) -> str:
    """Return a node in a dialect, with what stands for each name."""

    def inside(child: Node, at_least: int) -> str:
        text = spelled(child, dialect, names)
        return text if _binding(child) >= at_least else f"({text})"

    match node:
        case Number(digits):
            return digits.upper() if dialect is EXCEL else digits
        case Text(value):
            return f'"{value}"'
        case Name(name):
            return (names or {}).get(name, name)
        case Negative(operand):
            return f"-{inside(operand, _ATOM)}"
        case Operation(sign, left, right):
            tighter = _BINDS[sign] + 1
            # Doubles round in the order written, so that a + (b + c) keeps its parentheses.
            left_text = inside(left, _BINDS[sign] if sign in "+-*/" else tighter)
            return f"{left_text}{dialect.signs.get(sign, sign)}{inside(right, tighter)}"
        case Call(function, arguments):
            words = [spelled(argument, dialect, names) for argument in arguments]
            template = dialect.functions.get(function, f"{function}({{all}})")
            return template.format(*words, all=dialect.separator.join(words))


_ATOM_OF_EXCEL = re.compile(r"""(?:'[^']+'!)?[\w.$!:]+|\{[^{}]+\}|"[^"]*\"""")


def operand_of_excel(cell: str) -> str:
    """Return what stands for a name in Excel, in parentheses unless it is one reference, number, text or {place}."""
    formula = cell.removeprefix("=")
    return formula if _ATOM_OF_EXCEL.fullmatch(formula) else f"({formula})"
