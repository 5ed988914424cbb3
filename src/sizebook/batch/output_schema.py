"""JSON Schema of what `--formats json` writes, from the same outlines that name the figures and tables of plans."""

from typing import Any

from sizebook.batch.formats import JSON_VERSION, RECORD
from sizebook.batch.plan_contents import declared_figures, outlines
from sizebook.core.sections import Argument
from sizebook.plans.contents import Contents
from sizebook.scenarios.money import AMOUNT_FIGURES
from sizebook.scenarios.statement import STATEMENT_FIGURES

_VALUE = {"type": ["number", "string", "boolean", "null"]}
_TYPES = {"integer": "number", "number": "number", "flag": "boolean"}
_TEXTS = {"type": "array", "items": {"type": "string"}}


def schema() -> dict[str, Any]:
    """Return the schema: the figures and tables of each kind of plan, by its name in the record's scenario."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": f"sizebook plan, version {JSON_VERSION}",
        "description": "A plan as JSON: what it was made of, what to know, figures, tables.",
        "type": "object",
        "properties": {
            "version": {"const": JSON_VERSION},
            "plan": {"enum": list(outlines())},
            RECORD: {"type": "object", "required": ["sizebook", "scenario", "as_of", "hash", "data", "formulas"]},
            "notes": _TEXTS | {"description": "what to know of the counts, and of a workbook of one's own"},
            "warnings": _TEXTS | {"description": "what to know before using the figures"},
        },
        "required": ["version", "plan", RECORD, "notes", "warnings", "figures", "tables"],
        "additionalProperties": True,
        "oneOf": [_of(plan, outline) for plan, outline in outlines().items()],
    }


def _of(plan: str, outline: Contents) -> dict[str, Any]:
    figures = {
        leaf.name: _object({"value": _value(leaf), "unit": {"const": leaf.quantity.unit}, "label": {"type": "string"}})
        for leaf in declared_figures()[plan]
    }
    tables = {
        table.name: {"type": "array", "items": _object({column.name: _value(column) for column in table.columns})}
        for table in outline.tables
    }
    shown = _object(figures)
    shown["properties"] |= {
        name: {"type": "object"} for name in (*AMOUNT_FIGURES, *STATEMENT_FIGURES)
    }  # where a scenario has [money]
    return {"properties": {"plan": {"const": plan}, "figures": shown, "tables": _object(tables)}}


def _value(leaf: Argument) -> dict[str, Any]:
    """Return the schema of a value: what it means, its unit, and null where it is blank."""
    meaning = ", ".join(filter(None, (leaf.quantity.meaning, leaf.quantity.unit)))
    kind = _TYPES.get(leaf.quantity.kind)
    return (_VALUE if kind is None else {"type": [kind, "null"]}) | {"description": meaning}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    """Return an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
