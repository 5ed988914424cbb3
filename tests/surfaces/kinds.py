"""One small scenario of each kind of plan, and what tests ask of all kinds."""

import io
from typing import Any

from openpyxl import Workbook, load_workbook

from sizebook.batch.plan_kinds import PlannedScenario

SERVED = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 1_000_000, "input_tokens": 1000,
          "output_tokens": 200}  # fmt: skip
TRAINED = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 64, "batch": 512, "tokens": 1e12, "tp": 1}


def scenarios(inputs: dict[str, Any], served: dict[str, Any], trained: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return a scenario of each kind: ``inputs`` of a service or run, other keys of what serves and of what trains."""
    service, run = {**SERVED, **inputs}, {**TRAINED, **inputs}
    return {
        "serving": {"plan": "serving", **service, **served},
        "training": {"plan": "training", **run, **trained},
        "fleet": {"plan": "fleet", "service": [{"name": "Chat", **service}], **served},
        "programme": {"plan": "programme", "phases": [{"name": "First", **run}], **trained},
    }


def workbook_that_holds(made: PlannedScenario) -> Workbook:
    """Return the filled workbook of a plan, all of whose checks hold."""
    book = load_workbook(io.BytesIO(made.workbook.content), data_only=True)
    checks = {row[1]: row[2] for row in book["Checks"].iter_rows(values_only=True) if row[1]}
    assert checks["All checks"] == "OK"
    return book
