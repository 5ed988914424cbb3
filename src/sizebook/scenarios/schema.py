"""JSON Schema of scenario files, from the same declarations that read them: editors complete and check keys with it.

Draft 7, which editors of TOML and YAML know. It is stricter than the reader in three things, so that an editor proposes
one spelling: old names, choices in another case and blank texts are not in it. And it cannot say what contradicts what.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from sizebook.core.number_text import SCALES
from sizebook.core.scenario_keys import Keys, layout
from sizebook.core.sections import Argument, Quantity
from sizebook.plans.serving.traffic_by_month import WAYS
from sizebook.scenarios.kinds import KINDS, USUAL
from sizebook.scenarios.presentation import REPORT, Presentation

DRAFT = "http://json-schema.org/draft-07/schema#"
_WORDS = "|".join(sorted({form for word in SCALES if word for form in (word, word.lower(), word.capitalize())}))
_NUMBER_TEXT = rf"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)? ?({_WORDS})?$"
_FLAGS = ["TRUE", "FALSE", "true", "false", "yes", "no"]
_BOUNDS = {"minimum": "minimum", "maximum": "maximum", "above": "exclusiveMinimum", "below": "exclusiveMaximum"}


def schema() -> dict[str, Any]:
    """Return the schema of a scenario of any plan, or of a list of them."""
    kinds = {plan: {"if": _names(plan), "then": {"$ref": f"#/definitions/{plan}"}} for plan in KINDS}
    one = {"type": "object", "properties": {"plan": {"enum": list(KINDS)}}, "allOf": list(kinds.values())}
    several = {"type": "array", "minItems": 1, "items": {"$ref": "#/definitions/scenario"}}
    listed = {
        "type": "object",
        "properties": {"scenario": several},
        "required": ["scenario"],
        "additionalProperties": False,
    }
    return {
        "$schema": DRAFT,
        "title": "sizebook scenario",
        "description": "One scenario, or a batch of them: a list under 'scenario', in YAML the list alone.",
        "if": {"type": "array"},
        "then": several,
        "else": {
            "if": {"required": ["scenario"]},
            "then": listed,
            "else": {"$ref": "#/definitions/scenario"},
        },
        "definitions": {"scenario": one} | {plan: _table(layout(kind), is_top=True) for plan, kind in KINDS.items()},
    }


def _names(plan: str) -> dict[str, Any]:
    """Return the condition that a scenario is of a plan, which is the usual one where it names none."""
    named: dict[str, Any] = {"properties": {"plan": {"const": plan}}}
    return named if plan == USUAL else named | {"required": ["plan"]}


def _table(table: Keys, *, is_top: bool = False) -> dict[str, Any]:
    stretches = [inner for inner in table.tables if not inner.apart]
    properties = {key.name: _value(key) for stretch in stretches for key in stretch.keys}
    properties |= {key.name: _value(key) for key in table.keys}
    for inner in table.tables:
        own = _table(inner)
        properties[inner.name] = {"type": "array", "minItems": 1, "items": own} if inner.several else own
    if is_top:
        properties[REPORT] = _table(layout(Presentation))
        properties["name"] = {"type": "string", "description": "name of its files in a batch"}
    found = {
        "type": "object",
        "description": table.meaning,
        "properties": properties,
        "required": [key.name for key in table.keys if key.required]
        + [inner.name for inner in table.tables if inner.required and inner.apart],
        "additionalProperties": False,
    }
    homes = {key.name: stretch.name for stretch in stretches for key in stretch.keys}
    either = [_one_of([key.name], homes) for stretch in stretches for key in stretch.keys if key.required]
    if properties.keys() >= set(WAYS) and "replaced_by" not in properties:  # a service may live on requests that move
        either.append(_one_of(WAYS, homes))
    if not table.apart and not is_top:  # a stretch: what it lacks may stand at the level above
        found["required"] = []
    return found | ({"allOf": either} if either else {})


def _one_of(keys: Iterable[str], homes: Mapping[str, str]) -> dict[str, Any]:
    """Return that one of some keys must stand, at the top or in its table."""
    inside = [(homes[key], key) for key in keys if key in homes]
    tables = [{"required": [table], "properties": {table: {"required": [key]}}} for table, key in inside]
    return {"anyOf": [{"required": [key]} for key in keys] + tables}


def _value(argument: Argument) -> dict[str, Any]:
    quantity = argument.quantity
    unit = f" ({quantity.unit})" if quantity.unit else ""
    found: dict[str, Any] = {"description": f"{quantity.meaning}{unit}", **_kind(quantity)}
    if isinstance(argument.default, (bool, int, float, str)) and argument.default != "":
        found["default"] = argument.default
    elif isinstance(argument.default, tuple):
        found["default"] = list(argument.default)
    return found


def _kind(quantity: Quantity) -> dict[str, Any]:
    """Return what JSON values a quantity takes; numbers may be texts such as 2T, for their bounds the reader looks."""
    kind, allowed = quantity.kind, list(quantity.allowed)
    if kind in ("number", "integer"):
        bounds = {
            word: getattr(quantity, name) for name, word in _BOUNDS.items() if getattr(quantity, name) is not None
        }
        return {"anyOf": [{"type": kind, **bounds}, {"type": "string", "pattern": _NUMBER_TEXT}]}
    if kind == "flag":
        return {"anyOf": [{"type": "boolean"}, {"enum": _FLAGS}]}
    if kind == "choice":
        return {"enum": allowed}
    if kind == "date":
        return {"type": "string", "format": "date", "pattern": r"^\d{4}-\d{2}-\d{2}$"}
    if kind == "list":
        return _examples({"type": ["array", "string", "number"]}, allowed)
    return _examples({"type": ["string", "number"]}, allowed)


def _examples(found: dict[str, Any], allowed: Iterable[str]) -> dict[str, Any]:
    """Add what a text may be taken from: examples, as other spellings and files are taken too."""
    known = list(allowed)
    return found | ({"examples": known} if known else {})
