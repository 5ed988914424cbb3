"""The values that a scenario writes into a workbook: inputs of a shipped one, anchors of a user's own."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizebook.batch.plan_kinds import PLAN_KINDS, plan_scenario, scenario_of, workbook_inputs_of
from sizebook.core.errors import InputError
from sizebook.scenarios.kinds import check_named
from sizebook.sources.bundled import bundled
from sizebook.workbooks.anchors.plan_values import PlanValues


@dataclass(frozen=True)
class WorkbookValues:
    """Values of inputs by name, or what a plan brings; and what was remarked about the scenario."""

    values: Mapping[str, Any] | PlanValues
    notes: tuple[str, ...] = ()


def workbook_values(values: Mapping[str, Any], where: str, folder: Path, *, workbook: str) -> WorkbookValues:
    """Return what a scenario gives a workbook of that name.

    The workbook made for its plan takes the plan's inputs. Another of ours, and a scenario without a plan, goes key by
    key. Somebody's own takes the plan itself. Errors: `InputError` for a workbook of ours that another plan is for.
    """
    if any(isinstance(value, dict) for value in values.values()):  # no input is a table: it is a scenario's
        check_named(values, where)
    job = PLAN_KINDS.get(str(values.get("plan")))
    if job is not None and job.workbook == workbook:
        return WorkbookValues(workbook_inputs_of(scenario_of(values, where, folder)))
    if job is not None and workbook in {each.workbook for each in PLAN_KINDS.values()}:
        raise InputError(
            f"another workbook: got plan = '{values['plan']}' for {workbook}, want {job.workbook}. Fill that one."
        )
    if job is None or (bundled("workbooks") / workbook).exists():
        return WorkbookValues({key: value for key, value in values.items() if key != "plan"})
    planned = plan_scenario(values, where, folder)
    return WorkbookValues(planned.supply, planned.notes)
