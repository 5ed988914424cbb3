"""A formula text becomes a tree, and the tree has a value; what breaks the grammar is refused."""

from fractions import Fraction
from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.core.expression import Expression, parse
from sizebook.core.expression_tree import Call, Name, Negative, Node, Number, Operation, Text
from tests.refused import message_of
from tests.row_lists import listed

A, B, C = Name("a"), Name("b"), Name("c")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("4 * a", Operation("*", Number("4"), A)),
        ("a - b - c", Operation("-", Operation("-", A, B), C)),
        ("a + b * c", Operation("+", A, Operation("*", B, C))),
        ("-a^b", Negative(Operation("^", A, B))),
        ("a^b^c", Operation("^", A, Operation("^", B, C))),
        ("a^-b^c", Operation("^", A, Negative(Operation("^", B, C)))),
        ("-a * b", Operation("*", Negative(A), B)),
        ("a + b >= c", Operation(">=", Operation("+", A, B), C)),
        ('if(a <> "b c", 1e6, 2.5E-3)', Call("if", (Operation("<>", A, Text("b c")), Number("1e6"), Number("2.5E-3")))),
        ("DTYPE_BITS(a)", Call("DTYPE_BITS", (A,))),
        ("max(a,(b))", Call("max", (A, B))),
    ],
)
def test_grammar(text: str, tree: Node) -> None:
    assert parse(text) == Expression(tree)


def test_names_come_once_each_in_order() -> None:
    assert parse('d_ff * if(convention = "x", d_model, d_ff) + CEIL(tp)').names == (
        "d_ff",
        "convention",
        "d_model",
        "tp",
    )


@pytest.mark.parametrize(*listed("core", "test_value"))
def test_value(text: str, value: float) -> None:
    assert parse(text).evaluate({}) == value


def test_values_by_name_and_calls_through_the_lookup() -> None:
    asked: list[Any] = []

    def lookup(function: str, *arguments: Any) -> float:
        asked.append((function, *arguments))
        return 4.8944

    formula = parse("ceil(parameters * DTYPE_BITS(dtype) / 8 + flag)")
    values = {"parameters": 5000, "dtype": "q4_k_m", "flag": True}
    # 5000 x 4.8944 = 24 472 bits = 3 059 bytes; a double of 4.8944 is a little more than that.
    assert formula.evaluate(values, lookup, read=Fraction) == 3060
    assert formula.text(values, lookup) == "ceil(5000 * 4.8944 / 8 + 1)"
    assert asked == [("DTYPE_BITS", "q4_k_m")] * 2
    assert formula.evaluate({**values, "flag": False}, lookup, read=Fraction) == 3059


def test_doubles_are_computed_in_the_order_written() -> None:
    assert parse("0.1 + 0.2 - 0.3").evaluate({}) == 0.1 + 0.2 - 0.3 != 0
    assert parse("0.1 + 0.2 - 0.3").evaluate({}, read=Fraction) == 0
    assert parse("a + (b - c)").text({"a": 0.1, "b": 0.2, "c": 0.3}) == "0.1 + (0.2 - 0.3)"


@pytest.mark.parametrize(*listed("core", "test_malformed_texts_are_refused_with_their_place"))
def test_malformed_texts_are_refused_with_their_place(text: str, message: str) -> None:
    assert message_of(SizebookError, parse, text) == message


@pytest.mark.parametrize(*listed("core", "test_what_has_no_value_is_refused"))
def test_what_has_no_value_is_refused(text: str, code: str, message: str) -> None:
    values = {"a": -2, "word": "full"}
    for worth in (parse(text).evaluate, parse(f"if(({text}) = 1, 1, 1)").text):
        with pytest.raises(SizebookError) as refused:
            worth(values)
        assert (refused.value.code, str(refused.value)) == (code, message)
