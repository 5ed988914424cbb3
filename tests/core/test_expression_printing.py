"""How each surface writes a parsed formula, and that it reads it as it was meant."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from sizebook.calculation import recalculate
from sizebook.core.errors import UnknownKeyError
from sizebook.core.expression import Expression, node_of, parse
from sizebook.core.expression_tree import Call, Negative, Node, Number, Operation
from tests.row_lists import listed

LETTERS = ("a", "b", "c")


def every_printing(text: str) -> tuple[str, str, str]:
    """Return a formula with numbers, in Excel and in JavaScript; in the last two the letters stand for themselves."""
    formula = parse(text)
    numbers = formula.text({"a": -2, "b": 3, "c": 4})
    excel = formula.excel({letter: letter for letter in LETTERS})
    return numbers, excel, formula.javascript(LETTERS).removeprefix("(a, b, c) => ")


# Excel takes a minus before a power and powers from the left; JavaScript refuses a minus before **.
@pytest.mark.parametrize(*listed("core", "test_printing"))
def test_printing(text: str, numbers: str, excel: str, javascript: str) -> None:
    assert every_printing(text) == (numbers, excel, javascript)
    # What is printed with numbers is worth what the formula is worth.
    assert parse(numbers).evaluate({}) == parse(text).evaluate({"a": -2, "b": 3, "c": 4})


NUMBERS = st.integers(0, 99).map(lambda n: Number(str(n)))
TREES = st.recursive(
    NUMBERS,
    lambda below: (
        st.builds(Negative, below)
        | st.builds(Operation, st.sampled_from("+-*/^"), below, below)
        | st.builds(Call, st.sampled_from(("min", "max")), st.lists(below, min_size=1, max_size=3).map(tuple))
    ),
)


@given(TREES)
def test_what_is_printed_is_parsed_as_it_was(tree: Node) -> None:
    assert parse(Expression(tree).text({})) == Expression(tree)


def test_excel_reads_signs_and_powers_as_they_are_meant(tmp_path: Path) -> None:
    texts = ("-2^2", "(-2)^2", "2^3^2", "(2^3)^2", "2^-2", "-2^-2 * 3", "10 - (4 - 3)", "8 / (4 / 2)", "-(1 + 2)^2")
    book = Workbook()
    for row, text in enumerate(texts, 1):
        book["Sheet"].cell(row, 1, parse(text).excel({}))
    book.save(tmp_path / "signs.xlsx")
    values = recalculate(tmp_path / "signs.xlsx").values
    assert [values["Sheet", f"A{row}"] for row in range(1, 10)] == [-4, 4, 512, 64, 0.25, -0.75, 9, 4, -9]


def test_an_arrow_function_over_parameters() -> None:
    formula = parse("4 * (d_model^2 + bias * d_model)")
    assert formula.javascript(("d_model", "bias")) == "(d_model, bias) => 4 * (d_model ** 2 + bias * d_model)"


def test_what_stands_for_a_name_in_excel_keeps_to_itself() -> None:
    formula = parse("a * b^c")
    assert formula.excel({"a": "B3+1", "b": "-2", "c": "=C4"}) == "=(B3+1)*(-2)^C4"
    assert formula.excel({"a": "'My sheet'!$A$1", "b": "{price}", "c": "SUM(C1:C3)"}) == (
        "='My sheet'!$A$1*{price}^(SUM(C1:C3))"
    )
    assert parse('if(a = "x", DTYPE_BITS(b), c)').excel({"a": '"x"', "b": "B2", "c": "rate"}) == (
        '=IF("x"="x",DTYPE_BITS(B2),rate)'
    )


@pytest.mark.parametrize(
    ("value", "digits"),
    [
        (True, "1"),
        (7, "7"),
        (-0.5, "-0.5"),
        (312e12, "312000000000000"),
        (1e22, "1e+22"),
        (2.0**53, "9007199254740992.0"),
    ],
)
def test_numbers_print_with_the_digits_that_they_have(value: float, digits: str) -> None:
    assert Expression(node_of(value)).text({}) == digits
    assert parse(digits).evaluate({}) == value


def test_a_name_without_a_place_is_refused() -> None:
    formula = parse("d_model * bias")
    message = "unknown name in a formula: got 'bias', want 'bia', or d_model. Correct it."
    for write, places in (
        (formula.excel, {"d_model": "B2", "bia": "B3"}),
        (formula.javascript, ("d_model", "bia")),
    ):
        with pytest.raises(UnknownKeyError) as refused:
            write(places)  # type: ignore[operator]
        assert str(refused.value) == message
