"""Functions, methods and classes of Python as JavaScript."""

import ast
import dataclasses
import inspect
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from sizebook.dashboard.translating.expressions import Expressions, Program, local_name
from sizebook.dashboard.translating.python_source import (
    assigned_names,
    cannot_translate,
    names_in_scope,
    parsed_function,
)

_INDENT = "  "


def function_source(program: Program, name: str, python: Callable[..., Any]) -> str:
    """Return a function under a name, its defaults as they stand."""
    node = parsed_function(python)
    parameters = inspect.signature(inspect.unwrap(python)).parameters.values()
    if any(each.kind not in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY) for each in parameters):
        raise cannot_translate(node, python, "arguments of any number")
    records = {each.name for each in parameters if hasattr(each.annotation, "_fields")}
    if unpacked := next((each for each in ast.walk(node) if _unpacks(each, records)), None):
        raise cannot_translate(unpacked, python, "a record that is unpacked: read its fields by name")
    given = [_with_default(program, each.name, each.default) for each in parameters]
    own = [each.name for each in parameters]
    return f"function {name}({', '.join(given)}) {_body(program, python, node, own)}"


def _unpacks(node: ast.AST, records: set[str]) -> bool:
    """Return whether a statement takes one of these apart; on the page a record has names and no order."""
    match node:
        case ast.Assign([ast.Tuple()], ast.Name(name)):
            return name in records
        case _:
            return False


def _with_default(program: Program, name: str, default: Any) -> str:
    if default is inspect.Parameter.empty:
        return local_name(name)
    return f"{local_name(name)} = {program.value(name, default)}"


def _body(program: Program, of: Any, node: ast.FunctionDef, own: list[str]) -> str:
    names = [name for name in assigned_names(node) if name not in own]
    expressions = Expressions(program, of, known=names_in_scope(of), names={*own, *names})
    lines = [f"let {', '.join(map(local_name, names))};"] if names else []
    lines += Statements(expressions).of(node.body)
    return "\n".join(["{", *(_INDENT + line for line in lines), "}"])


class Statements:
    """The statements of one function, a line each."""

    def __init__(self, expressions: Expressions) -> None:
        self.expressions = expressions

    def of(self, nodes: list[ast.stmt]) -> list[str]:
        """Return the lines of some statements; what says nothing, such as a docstring, has none."""
        return [line for node in nodes for line in self._lines(node)]

    def _lines(self, node: ast.stmt) -> Iterator[str]:
        said = self.expressions.of_node
        match node:
            case ast.Expr(ast.Constant()) | ast.Pass() | ast.AnnAssign(value=None):
                return
            case ast.Expr(value):
                yield f"{said(value)};"
            case ast.Return(value):
                yield f"return {said(value) if value else 'null'};"
            case ast.Assign(targets, value):
                found = said(value)
                for target in targets:
                    yield self._set(target, found)
                    found = self._again(target, found)
            case ast.AnnAssign(target, _, ast.expr() as value):
                yield self._set(target, said(value))
            case ast.AugAssign(target, operator, value):
                loaded = ast.parse(ast.unparse(target), mode="eval").body
                yield self._set(target, said(ast.BinOp(loaded, operator, value)))
            case ast.Raise(ast.expr() as error):
                yield f"throw {said(error)};"
            case ast.Break() | ast.Continue():
                yield f"{type(node).__name__.lower()};"
            case ast.FunctionDef():
                yield from self._nested(node)
            case _:
                yield from self._block(node)

    def _block(self, node: ast.stmt) -> Iterator[str]:
        match node:
            case ast.If(test, body, orelse):
                yield from self._braced(f"if ({self.expressions.condition(test)})", body)
                if orelse:
                    yield from self._braced("else", orelse)
            case ast.While(test, body, []):
                yield from self._braced(f"while ({self.expressions.condition(test)})", body)
            case ast.For(target, rows, body, []):
                each = self.expressions.target(target)
                yield from self._braced(f"for ({each} of py_list({self.expressions.of_node(rows)}))", body)
            case ast.Try(body, [ast.ExceptHandler(ast.expr() as kind, None, handler)], [], []):
                yield from self._braced("try", body)
                self.expressions.of_node(kind)  # every refusal is one in the page
                checked = "if (!(problem instanceof Refused)) throw problem;"
                yield from self._braced("catch (problem)", handler, checked)
            case _:
                raise cannot_translate(node, self.expressions.of, f"the statement '{type(node).__name__}'")

    def _braced(self, head: str, body: list[ast.stmt], *first: str) -> Iterator[str]:
        yield f"{head} {{"
        yield from (_INDENT + line for line in first)
        yield from (_INDENT + line for line in self.of(body))
        yield "}"

    def _set(self, target: ast.expr, value: str) -> str:
        if isinstance(target, ast.Subscript):
            whole, key = (self.expressions.of_node(part) for part in (target.value, target.slice))
            return f"set_item({whole}, {key}, {value});"
        if isinstance(target, (ast.Tuple, ast.List)):
            return f"({self.expressions.target(target)} = py_list({value}));"
        return f"{self.expressions.target(target)} = {value};"

    def _again(self, target: ast.expr, value: str) -> str:
        """Return what stands for a value that was just assigned, so that it is not worked out twice."""
        return self.expressions.target(target) if isinstance(target, ast.Name) else value

    def _nested(self, node: ast.FunctionDef) -> Iterator[str]:
        outer, own = self.expressions, [each.arg for each in node.args.args]
        if node.args.defaults or node.args.kwonlyargs or node.args.vararg or node.args.kwarg:
            raise cannot_translate(node, outer.of, "a function inside another with defaults")
        names = [name for name in assigned_names(node) if name not in own]
        inner = Expressions(outer.program, outer.of, known=outer.known, names=outer.names | {*own, *names})
        yield f"{local_name(node.name)} = ({', '.join(map(local_name, own))}) => {{"
        if names:
            yield f"{_INDENT}let {', '.join(map(local_name, names))};"
        yield from (_INDENT + line for line in Statements(inner).of(node.body))
        yield "};"


# Classes -------------------------------------------------------------------------------------------------------------


def fields_of(cls: Any) -> dict[str, Any]:
    """Return the fields of a dataclass or a named tuple in order, with their defaults, `REQUIRED` for none."""
    if hasattr(cls, "_fields"):
        return {name: cls._field_defaults.get(name, dataclasses.MISSING) for name in cls._fields}
    return {
        field.name: field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        for field in dataclasses.fields(cls)
    }


def class_source(program: Program, name: str, cls: type[Any], members: list[str]) -> str:
    """Return a frozen dataclass or a named tuple as a class of the same fields, with some properties and methods."""
    fields, base = fields_of(cls), base_of(cls)
    known = {f: default for f, default in fields.items() if default is not dataclasses.MISSING}
    defaults = ", ".join(f"{f}: {program.value(f, default)}" for f, default in known.items())
    head = f"class {name} extends {program.kind(base)}" if base else f"class {name}"
    lines = [f"static fields = {list(fields)};", f"static defaults() {{ return {{ {defaults} }}; }}", *members]
    return "\n".join([f"{head} {{", *(_INDENT + line for line in lines), "}"])


def base_of(cls: type[Any]) -> type[Any] | None:
    """Return the dataclass that a dataclass extends, None where there is none."""
    return next((each for each in cls.__mro__[1:] if dataclasses.is_dataclass(each)), None)


def members_of(cls: type[Any]) -> dict[str, Any]:
    """Return the properties and methods that a class defines itself, those of dataclasses and tuples left out."""
    found = {name: _getter(member) or member for name, member in vars(cls).items()}
    return {name: each for name, each in found.items() if inspect.isfunction(each) and not name.startswith("_")}


def _getter(member: Any) -> Any:
    """Return the function behind a property, None for what is none."""
    return member.func if isinstance(member, cached_property) else getattr(member, "fget", None)


def member_source(program: Program, cls: type[Any], name: str) -> str:
    """Return one property or method of a class."""
    python = members_of(cls)[name]
    node = parsed_function(python)
    own = [each.arg for each in node.args.args]
    word = "get " if _getter(vars(cls)[name]) else ""
    given = ", ".join(map(local_name, own[1:]))
    return f"{word}{name}({given}) {{ const {own[0]} = this; return (() => {_body(program, python, node, own)})(); }}"
