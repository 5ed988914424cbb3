"""The serving estimates of the page: JavaScript that is translated from the Python functions gives what they give."""

import math
import random
import re
from typing import Any

from playwright.sync_api import Page

from sizebook.core import cells
from sizebook.core.errors import SizebookError
from sizebook.core.registry import Function
from sizebook.core.sections import Argument
from sizebook.dashboard.estimates import page_estimates
from sizebook.models import catalog
from sizebook.tables.hardware import accelerators
from tests.dashboard.driving import check, opened
from tests.functions.points import drawn

N_POINTS, DRAWS = 10_000, 18_000  # some four of ten draws are layouts that no engine runs
DEGREES = {"tp", "pp", "dp", "ep"}
TOKENS = {"input_tokens", "output_tokens", "context_tokens", "encoder_tokens"}
DRAWN: dict[str, list[Any]] = {"version": [None], "rates_file": [None]}  # a page reads no file of rates


@check
def the_estimates_are_the_functions(page: Page, address: str) -> None:
    """Every example and 10,000 random calls beside those refused: figure, band and refusal of Python, within 1e-9."""
    opened(page, address)
    functions = page_estimates()
    each = math.ceil(DRAWS / len(functions))
    apart, n_values, n_refused = [], 0, 0
    for function in functions:
        rng = random.Random(function.name)
        asked = [dict(function.example[0]), *(drawn_call(function, rng) for _ in range(each))]
        wanted = [answer(function, given) for given in asked]
        found = page.evaluate("([name, asked]) => asked.map((given) => evaluated(name, given))", [function.name, asked])
        assert math.isclose(wanted[0]["value"], function.example[1], rel_tol=1e-9)
        n_refused += sum("problem" in python for python in wanted)
        n_values += sum("value" in python for python in wanted)
        apart += [
            (function.name, *both) for both in zip(asked, wanted, found, strict=True) if not same(both[1], both[2])
        ]
    print(f"  {n_values} values and {n_refused} refusals of {len(functions)} estimates")
    assert not apart, (len(apart), apart[:3])
    assert n_values >= N_POINTS


def drawn_call(function: Function, rng: random.Random) -> dict[str, Any]:
    """Return arguments such as a planner would try: layouts of powers of two, prompts of up to a million tokens."""
    return {argument.name: _drawn(argument, rng) for argument in function.arguments}


def _drawn(argument: Argument, rng: random.Random) -> Any:
    name = argument.name
    if name in DRAWN:
        return rng.choice(DRAWN[name])
    if name == "model" or (name == "measured_model" and rng.random() < 0.7):
        return rng.choice(list(catalog.model_keys()))
    if name == "gpu":
        return rng.choice(list(accelerators()))
    if argument.quantity.kind == "text" or (not argument.required and rng.random() < 0.5):
        return None
    if name in DEGREES:
        return rng.choice([1, 1, 2, 2, 4, 8, 16])
    if name in TOKENS:
        return round(math.exp(rng.uniform(0, math.log(1e6))))
    if name == "concurrency":
        return round(math.exp(rng.uniform(0, math.log(5000))))
    return drawn(argument, rng)


def answer(function: Function, given: dict[str, Any]) -> dict[str, Any]:
    """Return what Python says of a call: value and band, or the problem."""
    try:
        row = [given.get(argument.name) for argument in function.arguments]
        value = cells.evaluate(function, row)
        return {"value": value, "band": function.band_of(cells.bind(function, row))}
    except SizebookError as error:
        return {"problem": str(error)}


def same(python: dict[str, Any], browser: dict[str, Any]) -> bool:
    if "problem" in python:
        # Python writes 2.0 where a browser knows one kind of number.
        said, in_browser = (re.sub(r"\.0\b", "", each.get("problem", "")) for each in (python, browser))
        return said == in_browser
    if "problem" in browser or not math.isclose(python["value"], browser["value"], rel_tol=1e-9, abs_tol=0):
        return False
    if python["band"] is None or browser["band"] is None:
        return python["band"] is None and browser["band"] is None
    *limits, basis = python["band"]
    *others, its_basis = browser["band"]
    return basis == its_basis and all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(limits, others, strict=True))
