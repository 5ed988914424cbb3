"""The serving estimates as the page evaluates them: the functions of sizebook.serving themselves, in JavaScript.

What they read stands in tables: models summed up for serving, accelerators, kernels, engines, and the bands of what was
measured. Searches and simulations stay with Python.
"""

import inspect
from collections.abc import Sequence
from typing import Any

from sizebook.core.hints import unknown_key
from sizebook.core.quantities import dtype_keys
from sizebook.core.registry import Function
from sizebook.core.sections import ReadSection, hints_of, leaves, nested
from sizebook.core.tables import table
from sizebook.dashboard.translating.script import Script, call_result
from sizebook.formulas.weights import dtype_bits
from sizebook.functions import load
from sizebook.models import catalog
from sizebook.serving import encoding, formats, rates, releases, shape
from sizebook.serving.quantities import ENGINES
from sizebook.serving.stored import Stored
from sizebook.tables import hardware, own_rates

MODULE = "sizebook.serving.functions"


def page_estimates() -> list[Function]:
    """Return the functions that the page evaluates so: every estimate of serving that takes a formula's time."""
    return [
        function
        for function in load().values()
        if function.python.__module__ == MODULE
        and function.effort == "formula"
        and function.result.kind != "range"
        and not function.formula
    ]


def translate_estimates(models: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """Return the JavaScript of the estimates for some models of the page, and the tables that it reads."""
    # A page reads no file, and may hold no model that can be served; its functions ask for these all the same.
    classes = (
        own_rates.OwnRates,
        own_rates.Fitted,
        own_rates.Spread,
        Stored,
        shape.ServingShape,
        shape.AttentionKind,
    )
    program = Script(_tables(models), supplied=(unknown_key,), classes=classes)
    entries = [f'"{function.name}": {{ {_entry(program, function)} }}' for function in page_estimates()]
    return "\n".join([program.source(), "return {", ",\n".join(entries), "};"]), program.data


def estimates_constant(python: str, source: str) -> str:
    """Return the constant ``ESTIMATED`` of a page: the estimates, with what Python means around them."""
    return f"const ESTIMATED = (() => {{\nconst TABLES = DATA.serving;\n{python}\n{source}\n}})();"


def _tables(models: Sequence[str]) -> dict[Any, Sequence[str]]:
    """Return what is tabulated instead of translated, and the names that each of them is tabulated for."""
    of_models = (
        catalog.is_checkpoint,
        formats.native_weight_dtype,
        formats.quantised_formats,
        encoding.has_encoder,
        encoding.one_pass,
        shape.shape_of,
    )
    return {
        **dict.fromkeys(of_models, models),
        encoding.encoded_shapes: [model for model in models if call_result(encoding.has_encoder, model) is True],
        hardware.accelerator: tuple(hardware.accelerators()),
        dtype_bits: dtype_keys(),
        rates.scheduling: ENGINES,
        releases.release_of: releases.read_releases(),
        releases.newest_release: ENGINES,
        table: ("engines",),
        formats.checkpoint_weights: (),
        own_rates.own_rates: (),
    }


def _entry(program: Script, function: Function) -> str:
    """Return how the page calls a function, and asks for its band, with its arguments in their order."""
    names = ", ".join([*(argument.name for argument in function.arguments), "stated"])
    given = ", ".join(_given(program, function, name) for name in inspect.signature(function.python).parameters)
    parts = [f"value: ({names}) => {program.function(function.python)}({given})"]
    if band := getattr(function.python, "band", None):
        parts.append(f"band: ({names}) => {program.function(band)}({given})")
    return ", ".join(parts)


def _given(program: Script, function: Function, name: str) -> str:
    """Return an argument of a function: a value, or the section that its fields make."""
    within = nested(hints_of(function.python)[name])
    if within is None:
        return name
    fields = ", ".join(f'["{leaf.name}", {leaf.name}]' for leaf in leaves(within.kind))
    if issubclass(within.kind, ReadSection):
        fields = '["stated", stated]'
    return f"made({program.kind(within.kind)}, [{fields}])"
