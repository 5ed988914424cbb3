"""What an assistant is answered: values with formula, range and source. This runs in a process of its own."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sizebook.api.counts import count
from sizebook.api.plans import Plan
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.core.hints import suggestion
from sizebook.core.tables import table
from sizebook.functions import find, load
from sizebook.functions.reference import entry
from sizebook.web.request_work import WHERE, confined

MOST_FOUND = 20
TABLES = ("models", "hardware", "prices")


def functions_for(words: str) -> list[dict[str, str]]:
    """Return the functions whose name or summary holds all of some words, at most twenty; the nearest name if none."""
    wanted = words.casefold().split()
    found = [
        {"signature": each.signature, "summary": each.summary}
        for each in load().values()
        if all(word in f"{each.name} {each.summary}".casefold() for word in wanted)
    ]
    if not found:
        return [{"signature": "", "summary": f"Nothing found.{suggestion(words.upper(), load())}"}]
    return found[:MOST_FOUND]


def function_described(name: str) -> str:
    """Return the reference of a function: arguments, units, defaults, formula, source, example."""
    load()
    return entry(find(name))


def model_count(asked: tuple[str, Mapping[str, Any] | None]) -> dict[str, Any]:
    """Return the exact parameters of a model of the catalog, or of the content of a config.json."""
    model, config = asked
    with confined():
        return asdict(count(config or model))


def plan_answer(scenario: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first figures of a plan, what to know before using them, and how each figure came about."""
    with confined() as folder:
        made = plan_scenario(scenario, WHERE, folder)
        written = json.loads(Plan(made).to_json())
        first = [{"name": f.name, "label": f.label, "value": f.value, "unit": f.unit} for f in made.contents.first]
        return {
            "plan": made.kind,
            "figures": first,
            "warnings": written["warnings"],
            "notes": written["notes"],
            "all_figures": {name: each["value"] for name, each in written["figures"].items()},
            "derivation": Plan(made).explain(),
        }


def rows_of(name: str) -> str:
    """Return a table of data as JSON lines: models, accelerators, prices."""
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in table(name))
