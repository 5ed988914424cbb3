"""The formula of a registered function on every surface: its text with numbers, Excel and JavaScript.

Surfaces take money and physics from here instead of writing them a second time: a workbook's ordinary formulas, a
LAMBDA for a workbook without the add-in, a page that computes in the browser.
"""

from collections.abc import Collection, Mapping
from typing import Any

from sizebook.core.cells import call
from sizebook.core.errors import InputError
from sizebook.core.expression import Expression, node_of, parse
from sizebook.core.expression_tree import Name, Node, rebuilt
from sizebook.core.registry import Function, registered


def expression(function: Function, given: Collection[str] | None = None) -> Expression:
    """Return a function's formula over the arguments that are given, by default all of them.

    Those left out are replaced by their defaults, or by what a blank stands for; calls of functions that have a formula
    by that formula. What stays is plain arithmetic and calls of functions that look up a table (DTYPE_BITS).

    Errors: a function without a formula, a required argument left out.
    """
    if not function.formula:
        raise InputError(
            f"no formula: got {function.name}, want a function that is plain arithmetic. Call the function instead."
        )
    arguments = {a.name: a for a in function.arguments}
    kept = arguments if given is None else given

    def stands_for(node: Node) -> Node | None:
        if not isinstance(node, Name) or node.name in kept:
            return None
        if node.name in function.blanks:
            return rebuilt(parse(function.blanks[node.name]).tree, stands_for)
        argument = arguments[node.name]
        if argument.required or argument.default is None:
            raise InputError(
                f"{node.name} is left out: got nothing for it in {function.name}, want a cell or a number "
                f"({argument.quantity.meaning}). Give it."
            )
        return node_of(argument.default)

    return inlined(Expression(rebuilt(parse(function.formula).tree, stands_for)))


def inlined(formula: Expression) -> Expression:
    """Return an expression with the formulas of the functions that it calls in their place, where they have one."""
    return formula.inlined(_tree)


def _tree(name: str, arguments: tuple[Node, ...]) -> Node | None:
    """Return the formula of another function over these arguments, None for one that has no formula."""
    function = registered().get(name)
    if function is None or not function.formula:
        return None
    given = dict(zip((a.name for a in function.arguments), arguments, strict=False))
    inner = expression(function, given)
    return rebuilt(inner.tree, lambda node: given.get(node.name) if isinstance(node, Name) else None)


def filled(function: Function, bound: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments with those that were left blank replaced by what they stand for in the formula."""
    blank = {name: text for name, text in function.blanks.items() if bound[name] is None}
    return {**bound, **{name: parse(text).evaluate(bound, call) for name, text in blank.items()}}


def with_numbers(function: Function, bound: Mapping[str, Any]) -> str:
    """Return the formula with the numbers of one call put in; it is worth the call's result."""
    return expression(function).text(filled(function, bound), call)


def javascript(function: Function) -> str:
    """Return a function as a JavaScript arrow function over all its arguments; every one must be given a value.

    A test with a JavaScript engine can evaluate it over the points of ``tests/functions/test_formulas.py``.
    """
    return expression(function).javascript([a.name for a in function.arguments])
