"""The grammar of formula texts, and the tree that one of them becomes.

    comparison = sum [("=" | "<>" | "<" | "<=" | ">" | ">=") sum]
    sum        = product {("+" | "-") product}
    product    = signed {("*" | "/") signed}
    signed     = "-" signed | power
    power      = atom ["^" exponent]            exponent = "-" exponent | power
    atom       = number | "text" | name | function "(" comparison {"," comparison} ")" | "(" comparison ")"

As in mathematics: ``-a^b`` is ``-(a^b)``, ``a^b^c`` is ``a^(b^c)``. Numbers have no separators (``86400``, ``1e6``).
Functions are the built-in ones below, and any other function by its name in capitals: ``DTYPE_BITS(dtype)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from sizebook.core.errors import InputError
from sizebook.core.hints import unknown_key

# How many arguments each built-in function takes; 0 for any number of them from one on.
BUILT_IN = {"ceil": 1, "exp": 1, "floor": 1, "if": 3, "ln": 1, "max": 0, "min": 0, "round": 1, "sqrt": 1}
COMPARISONS = frozenset({"=", "<>", "<", "<=", ">", ">="})


@dataclass(frozen=True)
class Number:
    """A number as it is written, so that ``1e6`` stays ``1e6``; never negative."""

    digits: str


@dataclass(frozen=True)
class Text:
    """A text that an argument is compared with: ``"dashboard"``."""

    value: str


@dataclass(frozen=True)
class Name:
    """An argument of the function whose formula it is."""

    name: str


@dataclass(frozen=True)
class Negative:
    """Unary minus."""

    operand: Node


@dataclass(frozen=True)
class Operation:
    """Two operands and one of ``+ - * / ^`` or a comparison between them."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Call:
    """A built-in function in lower case, or a registered one in capitals, with its arguments."""

    function: str
    arguments: tuple[Node, ...]


Node: TypeAlias = Number | Text | Name | Negative | Operation | Call


def parse(text: str) -> Node:
    """Return the tree of a formula text, or raise with the place at which it breaks the grammar."""
    return _Parser(text).whole()


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and everything below it, from left to right."""
    yield node
    for child in _children(node):
        yield from walk(child)


def _children(node: Node) -> tuple[Node, ...]:
    match node:
        case Negative(operand):
            return (operand,)
        case Operation(_, left, right):
            return (left, right)
        case Call(_, arguments):
            return arguments
    return ()


def rebuilt(node: Node, change: Callable[[Node], Node | None]) -> Node:
    """Return the tree with what ``change`` puts in place of its nodes, asked from the top; None looks further down."""
    changed = change(node)
    if changed is not None:
        return changed
    match node:
        case Negative(operand):
            return Negative(rebuilt(operand, change))
        case Operation(sign, left, right):
            return Operation(sign, rebuilt(left, change), rebuilt(right, change))
        case Call(function, arguments):
            return Call(function, tuple(rebuilt(argument, change) for argument in arguments))
    return node


_TOKEN = re.compile(
    r"(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<word>[A-Za-z_][A-Za-z0-9_]*)"
    r'|(?P<text>"[^"]*")|(?P<sign><=|>=|<>|[-+*/^=<>(),])|(?P<other>\S)'
)


class _Parser:
    """Reads one formula from left to right, one method a rule of the grammar."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = [(match.lastgroup, match[0], match.start()) for match in _TOKEN.finditer(text)]
        self._next = 0

    def whole(self) -> Node:
        node = self._comparison()
        if self._next < len(self._tokens):
            raise self._unexpected("an operator or the end")
        return node

    def _comparison(self) -> Node:
        left = self._sum()
        sign = self._taken(*COMPARISONS)
        return Operation(sign, left, self._sum()) if sign else left

    def _sum(self) -> Node:
        return self._chain(self._product, "+", "-")

    def _product(self) -> Node:
        return self._chain(self._signed, "*", "/")

    def _chain(self, operand: Callable[[], Node], *signs: str) -> Node:
        node = operand()
        while sign := self._taken(*signs):
            node = Operation(sign, node, operand())
        return node

    def _signed(self) -> Node:
        return Negative(self._signed()) if self._taken("-") else self._power()

    def _power(self) -> Node:
        base = self._atom()
        # What follows ^ is signed too, and takes the powers to its right with it.
        return Operation("^", base, self._signed()) if self._taken("^") else base

    def _atom(self) -> Node:
        kind, word, _ = self._tokens[self._next] if self._next < len(self._tokens) else ("end", "", 0)
        if kind in ("number", "word", "text"):
            self._next += 1
        if kind == "number":
            return Number(word)
        if kind == "text":
            return Text(word[1:-1])
        if kind == "word":
            return self._call(word) if self._taken("(") else Name(word)
        if self._taken("("):
            node = self._comparison()
            self._closed("an operator or ')'")
            return node
        raise self._unexpected("a number, a name or '('")

    def _call(self, function: str) -> Node:
        arguments = [self._comparison()]
        while self._taken(","):
            arguments.append(self._comparison())
        self._closed("an operator, ',' or ')'")
        if not function.isupper():
            self._check(function, len(arguments))
        return Call(function, tuple(arguments))

    def _check(self, function: str, n_arguments: int) -> None:
        if function not in BUILT_IN:
            registered = ", or a registered function in capitals"
            raise unknown_key("function of a formula", function, BUILT_IN, also=registered)
        wanted = BUILT_IN[function]
        if wanted not in (0, n_arguments):
            raise InputError(
                f"wrong number of arguments: got {n_arguments} for {function} in '{self._text}', want {wanted}. "
                "Correct the formula."
            )

    def _taken(self, *signs: str) -> str:
        """Return the next token and step over it where it is one of the signs, otherwise an empty text."""
        if self._next < len(self._tokens) and self._tokens[self._next][1] in signs:
            self._next += 1
            return self._tokens[self._next - 1][1]
        return ""

    def _closed(self, wanted: str) -> None:
        if not self._taken(")"):
            raise self._unexpected(wanted)

    def _unexpected(self, wanted: str) -> InputError:
        got = "the end"
        if self._next < len(self._tokens):
            _, word, start = self._tokens[self._next]
            got = f"'{word}' at character {start + 1}"
        return InputError(f"malformed formula: got {got} of '{self._text}', want {wanted}. Correct the formula.")
