"""An array that SUMPRODUCT would have worked out several times is worked out once, and gives what it gave."""

from pathlib import Path

from sizebook.calculation.repeated_arrays import with_let
from tests.calculation.grids import calculate

EACH = "SIZEBOOK_OWN_EACH"


def test_equal_calls_are_one_those_within_them_too() -> None:
    inner = f'{EACH}(1,"INT",A1:A3)'
    outer = f'{EACH}(1,"INT",B1:B3-{inner})'
    assert with_let(f"{outer}*({outer}>0)+{inner}") == (
        f'LET(SIZEBOOK_OWN_ARRAY2,{inner},SIZEBOOK_OWN_ARRAY1,{EACH}(1,"INT",B1:B3-SIZEBOOK_OWN_ARRAY2),'
        "SIZEBOOK_OWN_ARRAY1*(SIZEBOOK_OWN_ARRAY1>0)+SIZEBOOK_OWN_ARRAY2)"
    )


def test_what_stands_once_or_may_hide_an_error_stays() -> None:
    one, other = f'{EACH}(1,"INT",A1:A3)', f'{EACH}(1,"INT",B1:B3)'
    for text in (f"{one}*{other}", "A1:A3*A1:A3", f"IFERROR({one},0)+{one}"):
        assert with_let(text) == text


def test_the_sum_is_that_of_the_formula(tmp_path: Path) -> None:
    """Of 1.5, -0.5 and 7.2 the whole numbers are 1, -1 and 7; those above 0 are 1 and 7."""
    cells = {
        "A1": 1.5, "A2": -0.5, "A3": 7.2, "C1": "=SUMPRODUCT(INT(A1:A3)*(INT(A1:A3)>0)*10+INT(A1:A3))",
        "C2": "=IF(A2>0,0,2*SUMPRODUCT((INT(A1:A3)>0)*INT(A1:A3)))",
    }  # fmt: skip
    found = calculate(tmp_path, cells)
    assert (found["Main", "C1"], found["Main", "C2"]) == (87, 16)
