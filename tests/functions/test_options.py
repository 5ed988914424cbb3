"""A function with more than eight arguments takes its options as one text or as a range of two columns."""

from typing import Any

import pytest

from sizebook.core.cells import MOST_PLACES, call
from sizebook.core.errors import InputError, SizebookError, UnknownKeyError
from sizebook.functions import load
from tests.refused import message_of

FUNCTIONS = load()
PLACE = ("llama-3.1-70b", "h200-sxm", 2000, 400, 16)
# In places: cache_hit_ratio, tp, pp, dp, ep, weight_dtype.
IN_PLACES = call("TPOT_SECONDS", *PLACE, None, 8, None, None, None, "fp8")
TEXT = "tp=8; weight_dtype=fp8"
N_OTHERS = len(FUNCTIONS["TPOT_SECONDS"].arguments) - 1


@pytest.mark.parametrize(
    "options",
    [
        TEXT,
        " weight_dtype = fp8 ;tp=8; ",
        [[TEXT]],
        [["tp", 8], ["weight_dtype", "fp8"]],
        [["tp", "8"], [None, None], [" weight_dtype ", "fp8"], ["", ""]],
    ],
    ids=["text", "spaces", "1x1 range", "range", "range with blanks"],
)
def test_options_take_their_places(options: Any) -> None:
    assert call("TPOT_SECONDS", *PLACE, options) == IN_PLACES


def test_blanks_behind_options_are_no_places_taken() -> None:
    """Spreadsheets send every argument, blank ones too."""
    assert call("TPOT_SECONDS", *PLACE, TEXT, *[None] * 7) == IN_PLACES
    assert call("TPOT_SECONDS", *PLACE, TEXT, *[[[""]]] * 7) == IN_PLACES


def test_options_may_stand_for_a_blank_place_before_them() -> None:
    assert call("TPOT_SECONDS", "llama-3.1-70b", "h200-sxm", 2000, None, 16, f"output_tokens=400; {TEXT}") == IN_PLACES
    alone = f"model=llama-3.1-70b; gpu=h200-sxm; input_tokens=2000; output_tokens=400; concurrency=16; {TEXT}"
    assert call("TPOT_SECONDS", alone) == IN_PLACES


def test_a_value_broadcasts_beside_options() -> None:
    """One row of results for a row of loads."""
    found = call("TPOT_SECONDS", *PLACE[:4], [[16, 32]], TEXT)
    assert [len(row) for row in found] == [2]
    assert found[0][0] == IN_PLACES < found[0][1]


@pytest.mark.parametrize("words", ["remat_policy=save_qkv_proj", "remat_policy=custom; out_proj=device"])
def test_words_with_a_sign_of_equality_keep_their_place(words: str) -> None:
    """The last of a call's cells may be of words that are no options; beside options they are one of them."""
    step = FUNCTIONS["STEP_SECONDS"]
    run = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "batch": 128, "dp": 8, "stack": "fsdp", "zero_stage": 3}
    names = [argument.name for argument in step.arguments]
    places = [run.get(name) for name in names[: names.index("recompute_modules")]]
    found = call("STEP_SECONDS", *places, words)
    assert found > call("STEP_SECONDS", *places)
    assert found == call("STEP_SECONDS", *places, words, None, None)
    assert found == call(
        "STEP_SECONDS", *places[:3], [[*each] for each in (run | {"recompute_modules": words}).items()][3:]
    )


def test_a_range_that_only_broadcasts_is_not_taken_for_options() -> None:
    """Two columns without a name of an argument are loads, results beside each other."""
    loads, asked = [[1, 2], [4, 8]], ("llama-3.1-8b", *PLACE[1:4])
    found = call("TPOT_SECONDS", *asked, loads)
    assert found == [[call("TPOT_SECONDS", *asked, load_) for load_ in row] for row in loads]


@pytest.mark.parametrize(
    ("cells", "error", "message"),
    [
        ((*PLACE, None, 8, "tp=4"), InputError, "argument given twice: got tp again among the options of "
         "TPOT_SECONDS, want it once. Remove one."),
        ((*PLACE, "tp=8; tp=4"), InputError, "argument given twice: got tp again among the options of TPOT_SECONDS, "
         "want it once. Remove one."),
        ((*PLACE, [["tp", 8], ["tp", 4]]), InputError, "argument given twice: got tp in two rows, want it once. "
         "Remove one."),
        ((*PLACE, "weight_dtyp=fp8"), UnknownKeyError, "unknown argument: got 'weight_dtyp', want 'weight_dtype', or "
         f"one of {N_OTHERS} others. docs/functions.md lists them."),
        ((*PLACE, [["tp", 8], ["weight_dtyp", "fp8"]]), UnknownKeyError, "unknown argument: got 'weight_dtyp', want "
         f"'weight_dtype', or one of {N_OTHERS} others. docs/functions.md lists them."),
        ((*PLACE, "tp=many"), InputError, "tp is not a number: got 'many', want a whole number (tensor-parallel "
         "degree). Type digits, or a number with M, B or T for 10^6, 10^9 or 10^12."),
        ((*PLACE, "tp=8; fp8"), InputError, "cache_hit_ratio is not a number: got 'tp=8; fp8', want a number (share of "
         "a prompt's tokens that the prefix cache holds already). Type digits, or a number with M, B or T for 10^6, "
         "10^9 or 10^12."),
    ],
)  # fmt: skip
def test_refusals_say_what_to_do(cells: tuple[Any, ...], error: type[SizebookError], message: str) -> None:
    assert message_of(error, call, "TPOT_SECONDS", *cells) == message


def test_a_short_function_takes_no_options() -> None:
    assert len(FUNCTIONS["PARAMS_FFN"].arguments) <= MOST_PLACES
    assert message_of(InputError, call, "PARAMS_FFN", 512, "d_ff=2048") == (
        "d_ff is not a number: got 'd_ff=2048', want a whole number (inner width of the feed-forward block). Type "
        "digits, or a number with M, B or T for 10^6, 10^9 or 10^12."
    )


def test_why_takes_the_options_of_the_call_that_it_explains() -> None:
    asked = ("SIZEBOOK_WHY", "TPOT_SECONDS", *PLACE)
    assert call(*asked, TEXT) == "no error"
    assert call(*asked, None, 8, "tp=4") == (
        "argument given twice: got tp again among the options of TPOT_SECONDS, want it once. Remove one."
    )
