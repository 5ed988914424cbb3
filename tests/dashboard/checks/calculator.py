"""The calculator of the page: its values and refusals are those of Python."""

import math
import random
from typing import Any

from playwright.sync_api import Page

from sizebook.core import cells
from sizebook.core.errors import SizebookError
from sizebook.core.registry import Function
from sizebook.functions import load
from tests.dashboard.driving import check, opened
from tests.functions.points import drawn
from tests.refused import message_of

N_POINTS = 10_000


@check
def the_calculator_is_the_function(page: Page, address: str) -> None:
    """Every example and 10,000 random points: the value of Python, and a refusal where Python refuses."""
    opened(page, address)
    closed = [function for function in load().values() if function.formula]
    each = math.ceil(N_POINTS / len(closed))
    apart, n_values, n_refused, n_exact = [], 0, 0, 0
    for function in closed:
        rng = random.Random(function.name)
        asked = [dict(function.example[0]), *({a.name: drawn(a, rng) for a in function.arguments} for _ in range(each))]
        wanted = [_value(function, given) for given in asked]
        found = page.evaluate("([name, asked]) => asked.map((given) => evaluated(name, given))", [function.name, asked])
        assert same(wanted[0], function.example[1]), (function.name, wanted[0])
        for given, python, browser in zip(asked, wanted, found, strict=True):
            n_values, n_refused = n_values + (python is not None), n_refused + (python is None)
            n_exact += python is not None and browser.get("value") == python
            if ("problem" in browser) != (python is None) or not (python is None or same(browser["value"], python)):
                apart.append((function.name, given, python, browser))
    print(f"  {n_values} values ({n_exact} to the last bit) and {n_refused} refusals of {len(closed)} functions")
    assert not apart, (len(apart), apart[:5])


def _value(function: Function, given: dict[str, Any]) -> Any:
    try:
        return cells.evaluate(function, [given.get(argument.name) for argument in function.arguments])
    except SizebookError:
        return None


def same(found: float, wanted: float) -> bool:
    """Browsers count in doubles: of a count the digits beyond 2^53 differ, of other numbers the 16th."""
    return math.isclose(found, wanted, rel_tol=1e-12, abs_tol=0)


@check
def a_call_is_built_and_explained(page: Page, address: str) -> None:
    opened(page, address, "view=calculator")
    page.fill('[name="find"]', "attention bias")
    page.click('#function-list button:has-text("PARAMS_ATTENTION")')
    assert page.inner_text("#call") == "=PARAMS_ATTENTION(12288,96,128,,FALSE)"
    assert page.inner_text(".answer strong").replace("\u2009", "") == "603979776"
    assert "2 * 12288 * 128 * (96 + 96) + 0 * (128 * (96 + 2 * 96) + 12288)" in page.inner_text(".explained")
    page.fill('#arguments [name="n_kv_heads"]', "7")
    assert page.inner_text(".problem") == (
        "condition not met: got 96 = 7 * floor(96 / 7), want n_heads = n_kv_heads * floor(n_heads / n_kv_heads). "
        "Correct the arguments."
    )
    page.fill('#arguments [name="d_model"]', "-3")
    with_python = page.inner_text(".problem")
    assert with_python == message_of(SizebookError, cells.call, "PARAMS_ATTENTION", -3, 96, 128)
    opened(page, address, "view=calculator&fn=TPOT_SECONDS&args=model%3Dllama-3.1-8b%26gpu%3Dh100-sxm%26tp%3D2")
    assert page.inner_text("#call") == '=TPOT_SECONDS("llama-3.1-8b","h100-sxm","tp=2")'
    assert page.inner_text("#band") == _band_of_tpot()
    page.fill('#arguments [name="tp"]', "5")
    assert page.inner_text(".problem") == (
        "tensor parallelism does not divide the heads: got tp 5 and n_heads 32, want tp to divide n_heads. Use tp 4."
    )
    opened(page, address, "view=calculator&fn=MFU&separator=%3B")
    page.fill("#arguments input >> nth=0", "0.5")
    assert page.inner_text("#call").startswith("=MFU(0,5")


def _band_of_tpot() -> str:
    function, given = load()["TPOT_SECONDS"], {"model": "llama-3.1-8b", "gpu": "h100-sxm", "tp": 2}
    row = [given.get(argument.name) for argument in function.arguments]
    value, band = cells.evaluate(function, row), function.band_of(cells.bind(function, row))
    assert band is not None
    low, high, basis = (f"{value * band[0]:.4g}", f"{value * band[1]:.4g}", band[2])
    return f"{low} to {high} seconds for eight of ten measurements: {basis}"
