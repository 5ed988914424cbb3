"""The one coercion step: what a cell holds becomes an argument, or an error that says what to do."""

import pickle

import pytest

from sizebook.core.cells import call
from sizebook.core.coercion import coerce, list_text
from sizebook.core.errors import CellError, InputError, RangeError, SizebookError
from sizebook.core.sections import Argument, Quantity
from sizebook.functions import load
from tests.refused import message_of

load()
D_MODEL = "a whole number (hidden size: width of the residual stream)"


@pytest.mark.parametrize("cell", [512, 512.0, "512", " 512 ", [[512]], [512]])
def test_one_number_in_any_shape_is_that_number(cell: object) -> None:
    assert call("PARAMS_MHA", cell) == 1_050_624


@pytest.mark.parametrize(
    ("cell", "value"), [("70B", 70 * 10**9), ("15T", 15 * 10**12), ("1.5m", 1_500_000), ("2e3", 2000)]
)
def test_suffixes_are_powers_of_ten(cell: str, value: int) -> None:
    assert call("PARAMS_LN", cell, False) == value


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_blank_means_the_default(blank: object) -> None:
    assert call("PARAMS_MHA", 512, blank) == call("PARAMS_MHA", 512, True) == 1_050_624


@pytest.mark.parametrize(
    ("cell", "value"), [(False, 1_048_576), ("false", 1_048_576), (0, 1_048_576), (1.0, 1_050_624)]
)
def test_flags(cell: object, value: int) -> None:
    assert call("PARAMS_MHA", 512, cell) == value


@pytest.mark.parametrize(
    ("cells", "error", "message"),
    [
        (("x",), InputError, f"d_model is not a number: got 'x', want {D_MODEL}. "
         "Type digits, or a number with M, B or T for 10^6, 10^9 or 10^12."),
        (("4k",), InputError, "d_model is ambiguous: got '4k', want plain digits. Write 4000 or 4 x 1024 in full."),
        (("1.5k",), InputError, "d_model is ambiguous: got '1.5k', want plain digits. "
         "Write 1500 or 1.5 x 1024 in full."),
        ((None,), InputError, f"d_model is blank: got nothing, want {D_MODEL}. Fill it in."),
        ((True,), InputError, f"d_model is not a number: got True, want {D_MODEL}. Type a number."),
        ((512.5,), RangeError, f"d_model is not whole: got 512.5, want {D_MODEL}. Round it to a whole number."),
        ((0,), RangeError, "d_model is out of range: got 0, want at least 1 "
         "(hidden size: width of the residual stream). Correct the number."),
        ((float("inf"),), RangeError, f"d_model is not finite: got inf, want {D_MODEL}. Type a number."),
        ((512, "maybe"), InputError, "bias is not a flag: got 'maybe', want TRUE or FALSE "
         "(whether projections carry a bias). Type TRUE or FALSE."),
        ((512, True, 3), InputError, "too many arguments: got 3, want at most 2 for PARAMS_MHA. "
         "The arguments are d_model, bias."),
        (("#N/A",), CellError, "error in an argument: got #N/A, want a value. "
         "Mend the cell that this argument refers to."),
        (([[1, 2]], [[True], [False], [True]]), None, ""),
    ],
)  # fmt: skip
def test_refusals_say_what_to_do(cells: tuple[object, ...], error: type[SizebookError] | None, message: str) -> None:
    if error is None:  # a row against a column is a grid, as in a spreadsheet
        assert call("PARAMS_MHA", *cells) == [[8, 24], [4, 16], [8, 24]]
        return
    assert message_of(error, call, "PARAMS_MHA", *cells) == message


def test_one_bad_cell_spoils_only_its_own_result() -> None:
    rows = call("PARAMS_LN", [[1, "x"], [None, 4], [-1, "#REF!"]])
    assert rows[0][0] == 2 and rows[1][1] == 8
    assert [rows[0][1].code, rows[1][0].code, rows[2][0].code, rows[2][1].code] == [
        "#VALUE!", "#VALUE!", "#NUM!", "#REF!",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        (
            1e200,
            "d_model is too large: got 1e+200, want at most 1e+18 (hidden size: width of the residual stream). "
            "Correct the number.",
        ),
        ("9" * 5000, "d_model is too long: got 5000 characters, want at most 1000. Shorten the text."),
        (
            "9" * 999,
            "d_model is not finite: got inf, want a whole number (hidden size: width of the residual stream). "
            "Type a number.",
        ),
        (
            10**5000,
            "d_model is not finite: got a whole number of about 5000 digits, want a whole number (hidden size: width "
            "of the residual stream). Type a number.",
        ),
        (
            "4\x00",
            "d_model is no text: got the character '\\x00', want characters that a workbook may hold. Remove it.",
        ),
        ([[]], "d_model is blank: got nothing, want a whole number (hidden size: width of the residual stream). "
               "Fill it in."),
    ],
    ids=["too large", "too long", "infinite text", "infinite", "control character", "empty range"],
)  # fmt: skip
def test_what_no_cell_holds_is_refused_in_a_short_message(cell: object, problem: str) -> None:
    assert message_of(SizebookError, call, "PARAMS_MHA", cell) == problem


def test_rows_of_unequal_length_are_filled_with_blanks() -> None:
    [first, second] = call("PARAMS_LN", [[1024], [2048, 512]])
    assert [first[0], *second] == [2048, 4096, 1024]
    assert str(first[1]).startswith("d_model is blank: got nothing, want a whole number")


SHAPE = Argument("shape", Quantity("shape of a day", kind="list", choices=("flat", "office"), default="flat"), "flat")
LENGTHS = Argument("lengths", Quantity("lengths, or the name of a file", kind="list", default=None), None)


@pytest.mark.parametrize(
    ("argument", "cell", "value"),
    [
        (SHAPE, "Office", "office"),
        (SHAPE, "1, 1,2.5", (1.0, 1.0, 2.5)),
        (SHAPE, "1, 2,", (1.0, 2.0)),
        (LENGTHS, "100:0.5, 200:.5", ((100.0, 0.5), (200.0, 0.5))),
        (LENGTHS, "16:-2:3:1.9", ((16.0, -2.0, 3.0, 1.9),)),
        (LENGTHS, "lengths.csv", "lengths.csv"),
        (LENGTHS, "h100-sxm, h200-sxm", "h100-sxm, h200-sxm"),
    ],
)
def test_one_cell_may_hold_a_list(argument: Argument, cell: str, value: object) -> None:
    assert coerce(argument, cell) == value
    if isinstance(value, tuple):
        assert coerce(argument, list_text(value)) == value


@pytest.mark.parametrize(
    ("cell", "wrong"),
    [("1, x, 2", "x"), ("100:0.5, 7", "7"), ("1, 2:3", "2:3"), ("1:2:3:4:5", "1:2:3:4:5"), ("1,,2", "")],
)
def test_a_list_that_is_half_numbers_is_refused(cell: str, wrong: str) -> None:
    assert message_of(InputError, coerce, LENGTHS, cell) == (
        f"lengths is not a list: got '{wrong}' among '{cell}', want numbers such as 1, 1, 2, or pairs such as 100:0.5, "
        "200:0.5. Correct it."
    )


def _kinds(of: type[SizebookError]) -> list[type[SizebookError]]:
    return [of, *(kind for each in of.__subclasses__() for kind in _kinds(each))]


@pytest.mark.parametrize("kind", _kinds(SizebookError), ids=lambda kind: kind.__name__)
def test_a_refusal_with_a_place_or_from_another_process_is_the_same_refusal(kind: type[SizebookError]) -> None:
    """An error that came in from a cell is made of its code: what was put before its message became that code."""
    refusal = kind("#REF!") if kind is CellError else kind("no: got 1, want 2. Change it.")
    placed, sent = refusal.with_message(f"phase 1: {refusal}"), pickle.loads(pickle.dumps(refusal))
    assert (type(placed), placed.code, str(placed)) == (kind, refusal.code, f"phase 1: {refusal}")
    assert (type(sent), sent.code, str(sent)) == (kind, refusal.code, str(refusal))
    assert vars(sent) == vars(refusal)


def test_an_error_in_a_table_of_phases_names_its_phase() -> None:
    table = [["name", "DPO"], ["kind", "preference"], ["model", "#REF!"]]
    with pytest.raises(SizebookError) as caught:
        call("PROGRAMME_FIGURES", table)
    assert (caught.value.code, str(caught.value)) == (
        "#REF!",
        "DPO: error in an argument: got #REF!, want a value. Mend the cell that this argument refers to.",
    )


@pytest.mark.parametrize(
    ("counts", "sizes", "nodes"),
    [
        (3.0, 4.0, 2),  # three halves of a node of 8: one number in a cell, as a range of one cell arrives
        ([[3], [""], [5]], [[4], [None], [1]], 3),  # 3/2 + 5/8
        ([[3], [5], [""]], [[4], [1], [""]], 3),
    ],
)
def test_blanks_keep_the_places_of_a_line_of_numbers(counts: object, sizes: object, nodes: int) -> None:
    assert call("SHARED_NODES", counts, sizes, 8) == nodes


def test_blanks_between_names_say_nothing() -> None:
    asked = ("llama-3.1-8b", 100_000)
    with_gap = call("PLAN_SERVING", *asked, "gpus_compared=h100-sxm, b200-sxm")
    column = [["gpus_compared", [["h100-sxm"], [""], ["b200-sxm"]]]]
    assert call("PLAN_SERVING", *asked, column) == with_gap
