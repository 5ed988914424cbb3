"""Formulas of registered functions, put to use by a workbook or a page."""

import pytest

from sizebook.core.cells import bind
from sizebook.core.errors import InputError
from sizebook.core.formula_text import expression, filled, javascript, with_numbers
from sizebook.core.registry import find
from sizebook.functions import load
from tests.refused import message_of

load()


def numbers(name: str, *cells: object) -> str:
    function = find(name)
    return with_numbers(function, bind(function, [*cells, *[None] * (len(function.arguments) - len(cells))]))


def over_cells(name: str, **cells: str) -> str:
    return expression(find(name), cells).excel(cells)


def test_numbers_are_those_of_the_convention() -> None:
    assert (
        numbers("PARAMS_FFN", 512, 2048, None, None, "dashboard") == "(2 + 0) * 512 * 2048 + 1 * ((1 + 0) * 512 + 512)"
    )
    assert numbers("PARAMS_FFN", 512, 2048) == "(2 + 0) * 512 * 2048 + 1 * ((1 + 0) * 2048 + 512)"
    assert numbers("MODEL_BYTES", 3, "int4") == "ceil(3 * 4 / 8)"
    assert numbers("OPTIMAL_TOKENS", 70_000_000_000) == "20 * 70000000000"


def test_a_blank_argument_counts_as_what_it_stands_for() -> None:
    assert numbers("PARAMS_ATTENTION", 8, 4, 2, None, False) == "2 * 8 * 2 * (4 + 4) + 0 * (2 * (4 + 2 * 4) + 8)"
    goodput = find("GOODPUT")
    bound = bind(goodput, [3.1, 60, 600, None])
    # Daly's interval for M = 3.1 h and c = 60 s, the example of CHECKPOINT_INTERVAL_SECONDS.
    assert filled(goodput, bound) == {**bound, "interval_seconds": pytest.approx(1117.5837418840647)}
    assert filled(goodput, bind(goodput, [3.1, 60, 600, 900]))["interval_seconds"] == 900


def test_a_function_over_another_prints_the_arithmetic_of_both() -> None:
    assert numbers("PARAMS_FOR_BUDGET", 1e6, 2.5, 1e15, 0.4) == (
        "round(120^(-0.5) * (1000000 / 2.5 * 3600 * 1000000000000000 * 0.4)^0.5)"
    )


def test_an_ordinary_excel_formula_over_cells() -> None:
    assert over_cells("TRAIN_COST_USD", gpu_hours="C4", price_usd_per_gpu_hour="{price}", other_usd="C6+C7") == (
        "=C4*{price}+(C6+C7)"
    )
    assert over_cells("TRAIN_DAYS", n_flops="B1", gpus="1024", peak_flop_per_s="B3", utilization="0.5") == (
        "=B1/(1024*B3*0.5*1)/86400"
    )
    assert over_cells("PARAMS_FFN", d_model="B1", d_ff="B2", bias="FALSE", convention='"dashboard"') == (
        '=(2+0)*B1*B2+FALSE*((1+0)*IF("dashboard"="dashboard",B1,B2)+B1)'
    )
    assert over_cells("MODEL_BYTES", parameters="B1", dtype="B2") == "=CEILING(B1*DTYPE_BITS(B2)/8,1)"
    assert over_cells("PARAMS_ATTENTION", d_model="d", n_heads="h", d_head="w", bias="b") == (
        "=2*d*w*(h+h)+b*(w*(h+2*h)+d)"
    )


def test_an_arrow_function_takes_every_argument() -> None:
    assert javascript(find("MODEL_STATE_BYTES")) == (
        "(n_parameters, dp, zero_stage, weight_bytes_each, gradient_bytes_each, optimizer_bytes_each) => "
        "n_parameters * weight_bytes_each / (zero_stage >= 3 ? dp : 1) "
        "+ n_parameters * gradient_bytes_each / (zero_stage >= 2 ? dp : 1) "
        "+ n_parameters * optimizer_bytes_each / (zero_stage >= 1 ? dp : 1)"
    )


def test_what_has_no_formula_is_refused() -> None:
    assert message_of(InputError, over_cells, "GRID_G_PER_KWH", grid="B1") == (
        "no formula: got GRID_G_PER_KWH, want a function that is plain arithmetic. Call the function instead."
    )


def test_an_argument_without_a_default_is_asked_for() -> None:
    assert message_of(InputError, over_cells, "GPU_HOURS", gpus="B1") == (
        "seconds is left out: got nothing for it in GPU_HOURS, want a cell or a number (duration). Give it."
    )
