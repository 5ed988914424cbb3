"""Expressions of Python as JavaScript; what differs between the two goes through functions of python.js.

Truth, division, powers, equality of tuples, formats of texts, dictionaries with tuples as keys: all mean what they mean
in Python.
"""

import ast
import dataclasses
import inspect
import json
import re
import types
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from sizebook.dashboard.translating.python_source import (
    ARRAY_ONLY,
    BUILT_IN,
    MATHS,
    METHODS,
    bound_names,
    cannot_translate,
)

_PLAIN = {ast.Sub: "-", ast.Mult: "*"}
_HELPED = {
    ast.Add: "plus",
    ast.Div: "divided",
    ast.FloorDiv: "whole",
    ast.Mod: "modulo",
    ast.Pow: "power",
    ast.BitOr: "merged",
    ast.LShift: "shifted",
}
_COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_OF_DATACLASSES: dict[Any, str] = {dataclasses.replace: "replaced", dataclasses.fields: "fields_of"}
# The formats of numbers that python.js knows.
_FORM = re.compile(r",?(\.\d+f)?|(\.\d+)?g")
_RESERVED = frozenset({"new", "function", "var", "let", "const", "default", "case", "switch", "this", "typeof", "void"})


class Program(Protocol):
    """What expressions ask of the program that they become part of."""

    def function(self, python: Callable[..., Any]) -> str:
        """Return the name of a translated function."""

    def kind(self, cls: type[Any]) -> str:
        """Return the name of a translated class."""

    def value(self, name: str, value: Any) -> str:
        """Return the name of a constant."""

    def asks(self, name: str) -> None:
        """Note that some class must have an attribute or method of this name."""


def local_name(name: str) -> str:
    """Return a Python name as JavaScript takes it."""
    return f"{name}_" if name in _RESERVED else name


class Expressions:
    """The expressions of one function; ``names`` are those that it sets itself."""

    def __init__(self, program: Program, of: Any, known: dict[str, Any], names: set[str]) -> None:
        self.program, self.of, self.known, self.names = program, of, known, set(names)

    def of_node(self, node: ast.AST) -> str:
        """Return the JavaScript of an expression."""
        translate = getattr(self, f"_{type(node).__name__.lower()}", None)
        if translate is None:
            raise cannot_translate(node, self.of, f"'{type(node).__name__}'")
        return str(translate(node))

    def condition(self, node: ast.AST) -> str:
        """Return an expression of which only the truth is wanted."""
        if isinstance(node, ast.BoolOp):
            sign = " && " if isinstance(node.op, ast.And) else " || "
            return f"({sign.join(map(self.condition, node.values))})"
        if isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            return self.of_node(node)
        return f"truth({self.of_node(node)})"

    def all_of(self, nodes: Sequence[ast.AST]) -> str:
        return ", ".join(map(self.of_node, nodes))

    # Names and constants ----------------------------------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> str:
        return "null" if node.value is None else json.dumps(node.value)

    def _name(self, node: ast.Name) -> str:
        return local_name(node.id) if node.id in self.names else self._global(node, node.id, self.meant(node))

    def meant(self, node: ast.AST) -> Any:
        """Return what a name of a module stands for; None where an expression is no such name."""
        if isinstance(node, ast.Name) and node.id not in self.names:
            if node.id not in self.known:
                raise cannot_translate(node, self.of, "a name that is not known")
            return self.known[node.id]
        if isinstance(node, ast.Attribute) and isinstance(module := self.meant(node.value), types.ModuleType):
            return getattr(module, node.attr)
        return None

    def _global(self, node: ast.AST, name: str, value: Any) -> str:
        if callable(value) and value in _OF_DATACLASSES:
            return _OF_DATACLASSES[value]
        if isinstance(value, type) and issubclass(value, BaseException):
            return self.program.kind(value)
        if inspect.isbuiltin(value) or (isinstance(value, type) and value.__module__ == "builtins"):
            if value.__module__ == "math" and name in MATHS:
                return f"math_{name}"
            if value.__module__ == "builtins" and name in BUILT_IN:
                return f"py_{name}"
            raise cannot_translate(node, self.of, f"the function '{name}'")
        if isinstance(value, type):
            return self.program.kind(value)
        return self.program.function(value) if callable(value) else self.program.value(name, value)

    # Operators --------------------------------------------------------------------------------------------------------

    def _binop(self, node: ast.BinOp) -> str:
        left, right, kind = self.of_node(node.left), self.of_node(node.right), type(node.op)
        if kind is ast.Mult and isinstance(node.left, (ast.List, ast.Tuple)):
            return f"repeated({left}, {right})"
        if kind in _PLAIN:
            return f"({left} {_PLAIN[kind]} {right})"
        if kind not in _HELPED:
            raise cannot_translate(node, self.of, f"the operator '{kind.__name__}'")
        return f"{_HELPED[kind]}({left}, {right})"

    def _unaryop(self, node: ast.UnaryOp) -> str:
        if isinstance(node.op, ast.Not):
            return f"!{self.condition(node.operand)}"
        if isinstance(node.op, ast.USub):
            return f"(-{self.of_node(node.operand)})"
        raise cannot_translate(node, self.of, "this operator")

    def _boolop(self, node: ast.BoolOp) -> str:
        *first, last = map(self.of_node, node.values)
        helper = "both" if isinstance(node.op, ast.And) else "either"
        for value in reversed(first):
            last = f"{helper}({value}, () => {last})"
        return last

    def _compare(self, node: ast.Compare) -> str:
        sides = [node.left, *node.comparators]
        pairs = zip(sides, node.ops, sides[1:], strict=False)
        return f"({' && '.join(self._pair(node, left, sign, right) for left, sign, right in pairs)})"

    def _pair(self, node: ast.Compare, left: ast.expr, sign: ast.cmpop, right: ast.expr) -> str:
        one, other = self.of_node(left), self.of_node(right)
        if type(sign) in _COMPARED:
            return f"{one} {_COMPARED[type(sign)]} {other}"
        if isinstance(sign, (ast.Is, ast.IsNot)) and isinstance(right, ast.Constant) and right.value is None:
            return f"{one} {'===' if isinstance(sign, ast.Is) else '!=='} null"
        if isinstance(sign, (ast.Eq, ast.NotEq)):
            return f"{'' if isinstance(sign, ast.Eq) else '!'}equal({one}, {other})"
        if isinstance(sign, (ast.In, ast.NotIn)):
            return f"{'' if isinstance(sign, ast.In) else '!'}contains({other}, {one})"
        raise cannot_translate(node, self.of, "this comparison")

    def _ifexp(self, node: ast.IfExp) -> str:
        return f"({self.condition(node.test)} ? {self.of_node(node.body)} : {self.of_node(node.orelse)})"

    def _namedexpr(self, node: ast.NamedExpr) -> str:
        return f"({local_name(node.target.id)} = {self.of_node(node.value)})"

    # Texts, lists and dictionaries ------------------------------------------------------------------------------------

    def _joinedstr(self, node: ast.JoinedStr) -> str:
        return f"({' + '.join(map(self._piece, node.values)) or json.dumps('')})"

    def _piece(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return json.dumps(node.value)
        if not isinstance(node, ast.FormattedValue) or node.conversion != -1:
            raise cannot_translate(node, self.of, "this part of a text")
        parts = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
        form = "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)
        if not _FORM.fullmatch(form):
            raise cannot_translate(node, self.of, "this format of a number")
        return f"formatted({self.of_node(node.value)}, {json.dumps(form)})"

    def _list(self, node: ast.List | ast.Tuple) -> str:
        return f"[{self.all_of(node.elts)}]"

    _tuple = _list

    def _starred(self, node: ast.Starred) -> str:
        return f"...py_list({self.of_node(node.value)})"

    def _set(self, node: ast.Set) -> str:
        return f"py_set([{self.all_of(node.elts)}])"

    def _dict(self, node: ast.Dict) -> str:
        parts = (
            f"...method_items({self.of_node(value)})" if key is None else f"[{self.all_of((key, value))}]"
            for key, value in zip(node.keys, node.values, strict=True)
        )
        return f"py_dict([{', '.join(parts)}])"

    def _listcomp(self, node: ast.ListComp | ast.GeneratorExp) -> str:
        return self._over(node.generators, lambda: self.of_node(node.elt))

    _generatorexp = _listcomp

    def _setcomp(self, node: ast.SetComp) -> str:
        return f"py_set({self._over(node.generators, lambda: self.of_node(node.elt))})"

    def _dictcomp(self, node: ast.DictComp) -> str:
        pair = ast.Tuple([node.key, node.value], ast.Load())
        return f"py_dict({self._over(node.generators, lambda: self.of_node(pair))})"

    def _over(self, generators: Sequence[ast.comprehension], element: Callable[[], str]) -> str:
        """Return the list that loops give, the first of them outermost; what they set is theirs."""
        first, *rest = generators
        rows, outside = self.of_node(first.iter), set(self.names)
        self.names |= set(bound_names(first.target))
        inner = self._over(rest, element) if rest else f"[{element()}]"
        for test in reversed(first.ifs):
            inner = f"{self.condition(test)} ? {inner} : []"
        found = f"py_list({rows}).flatMap(({self.target(first.target)}) => {inner})"
        self.names = outside
        return found

    def target(self, node: ast.expr) -> str:
        """Return what an assignment or a loop sets: a name, or several taken apart."""
        if isinstance(node, ast.Name):
            return local_name(node.id)
        if isinstance(node, (ast.Tuple, ast.List)) and not any(isinstance(each, ast.Starred) for each in node.elts):
            return f"[{', '.join(map(self.target, node.elts))}]"
        raise cannot_translate(node, self.of, "this target")

    def _subscript(self, node: ast.Subscript) -> str:
        whole, at = self.of_node(node.value), node.slice
        if not isinstance(at, ast.Slice):
            return f"item({whole}, {self.of_node(at)})"
        if at.step is not None:
            raise cannot_translate(node, self.of, "a slice with a step")
        ends = (self.of_node(end) if end else "undefined" for end in (at.lower, at.upper))
        return f"{whole}.slice({', '.join(ends)})"

    def _lambda(self, node: ast.Lambda) -> str:
        outside, own = set(self.names), [each.arg for each in node.args.args]
        self.names |= set(own)
        found = f"(({', '.join(map(local_name, own))}) => {self.of_node(node.body)})"
        self.names = outside
        return found

    def _attribute(self, node: ast.Attribute) -> str:
        value = self.meant(node)
        if value is not None:
            return self._global(node, node.attr, value)
        self.program.asks(node.attr)
        return f"{self.of_node(node.value)}.{local_name(node.attr)}"

    # Calls ------------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> str:
        called = self.meant(node.func)
        if isinstance(called, type) and (dataclasses.is_dataclass(called) or hasattr(called, "_fields")):
            return self._made(node, called)
        if called is dataclasses.replace:
            return f"replaced({self.of_node(node.args[0])}, {self._by_name(node)})"
        if callable(called) and inspect.isfunction(inspect.unwrap(called)):
            return f"{self.of_node(node.func)}({self._bound(node, called)})"
        words = [f"{each.arg}: {self.of_node(each.value)}" for each in node.keywords]
        if any(each.arg is None for each in node.keywords):
            raise cannot_translate(node, self.of, "names handed on to this function")
        given = [*map(self.of_node, node.args), *([f"{{ {', '.join(words)} }}"] if words else [])]
        if isinstance(node.func, ast.Attribute) and called is None:
            return self._method(node, node.func, given)
        return f"{self.of_node(node.func)}({', '.join(given)})"

    def _method(self, node: ast.Call, function: ast.Attribute, given: list[str]) -> str:
        if function.attr in METHODS:
            return f"method_{function.attr}({', '.join([self.of_node(function.value), *given])})"
        if node.keywords:
            raise cannot_translate(node, self.of, "a method with arguments by name")
        if function.attr not in ARRAY_ONLY:
            self.program.asks(function.attr)
        return f"{self.of_node(function.value)}.{function.attr}({', '.join(given)})"

    def _made(self, node: ast.Call, cls: Any) -> str:
        """Return the making of an instance, its fields by place and by name."""
        name = self.program.kind(cls)
        fields = cls._fields if hasattr(cls, "_fields") else [field.name for field in dataclasses.fields(cls)]
        if words := _RESERVED.intersection(fields):
            raise cannot_translate(node, self.of, f"fields that are words of JavaScript ({', '.join(sorted(words))})")
        if any(isinstance(each, ast.Starred) for each in node.args):
            return f"placed({name}, [{self.all_of(node.args)}])"
        pairs = zip(fields, node.args, strict=False)
        placed = [f"[{json.dumps(field)}, {self.of_node(value)}]" for field, value in pairs]
        return f"made({name}, {self._by_name(node, placed)})"

    def _by_name(self, node: ast.Call, first: Sequence[str] = ()) -> str:
        parts = [
            f"...method_items({self.of_node(each.value)})"
            if each.arg is None
            else f"[{json.dumps(each.arg)}, {self.of_node(each.value)}]"
            for each in node.keywords
        ]
        return f"[{', '.join([*first, *parts])}]"

    def _bound(self, node: ast.Call, called: Callable[..., Any]) -> str:
        """Return the arguments of a call in the order of the function, `undefined` where it takes its default."""
        if not node.keywords:
            return self.all_of(node.args)
        parameters = list(inspect.signature(called).parameters)
        by_name = {each.arg: self.of_node(each.value) for each in node.keywords}
        if None in by_name or any(isinstance(each, ast.Starred) for each in node.args):
            raise cannot_translate(node, self.of, "arguments handed on by name to this function")
        rest = [by_name.get(name, "undefined") for name in parameters[len(node.args) :]]
        while rest[-1] == "undefined":
            rest.pop()
        return ", ".join([*map(self.of_node, node.args), *rest])
