"""Scenario files: TOML whose keys are checked before anything is computed, with messages that name key, value and fix.

A scenario's ``plan`` says which plan it feeds: ``sizing`` (the default), ``training``, ``serving``, ``fleet`` or
``programme``. Each plan has its own section of keys here or in a module beside it; `parse` turns any of them into an
object or one clear error.
"""

from collections.abc import Callable, Mapping
from datetime import date
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar

from sizebook.core.errors import InputError, named
from sizebook.core.hints import unknown_key
from sizebook.core.quantities import Dtype, Model
from sizebook.core.reading import read
from sizebook.core.sections import DEFAULT, Quantity, ReadSection, hints_of, quantity, quantity_of, section
from sizebook.intake.text_formats import toml_table
from sizebook.models import catalog
from sizebook.scenarios.presentation import REPORT, Presentation
from sizebook.tables.prices import valued_on

# The command that prints the plan of a scenario, by the name of the plan.
COMMANDS = {
    "sizing": "sizebook report",
    "training": "sizebook plan train",
    "serving": "sizebook plan serve",
    "fleet": "sizebook plan fleet",
    "programme": "sizebook plan programme",
}
Title = Annotated[
    str, Quantity("title of the report and the workbook", default="", label="Title", source="a name: type your own")
]


def kind_of_plan(kind: str) -> Any:
    """Declare the key that says which plan a scenario is for."""
    return quantity(kind, choices=(kind,), default=kind, source="a name: the kind of the plan")


@section
class Scenario(ReadSection):
    """What every scenario has: a title and a date; unknown keys are refused."""

    title: Title = DEFAULT
    as_of: date | None = quantity(
        "day for which the figures are given, today when left out", default=None, label="Date"
    )


@section
class ModelScenario(Scenario):
    """A scenario about one model."""

    model: Model


@section
class SizingScenario(ModelScenario):
    """A model to count and the number format to store it in."""

    plan: str = kind_of_plan("sizing")
    dtype: Dtype = DEFAULT
    published_total: int | None = quantity(
        "published parameters to compare with", "parameters", minimum=1, default=None, label="Published parameters"
    )
    published_source: str = quantity("where that figure is published", default="", label="Source of that figure")


Kind = TypeVar("Kind", bound=Scenario)
Plan = TypeVar("Plan")


def as_of_its_day(plan: Callable[[Kind], Plan]) -> Callable[[Kind], Plan]:
    """Return a function that plans a scenario with prices judged as of the scenario's own day."""

    @wraps(plan)
    def planned(scenario: Kind) -> Plan:
        with valued_on(scenario.as_of):
            return plan(scenario)

    return planned


def read_toml(path: Path) -> dict[str, Any]:
    """Return the keys of a scenario file."""
    return toml_table(path, "a scenario file")


def resolve_files(folder: Path, value: Any) -> Any:
    """Return a scenario's value with the files that it names taken relative to the scenario's folder.

    Names of tables (.csv, .toml), configs (.json) and checkpoints; a folder's end in /.
    """
    if isinstance(value, dict):
        return {key: resolve_files(folder, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [resolve_files(folder, inner) for inner in value]
    if isinstance(value, str) and (value.casefold().endswith((".csv", ".toml")) or catalog.is_file(value)):
        return str(folder.resolve() / value) + ("/" if value.endswith("/") else "")
    return value


RATES = "rates_file"
TABLES_OF = {"fleet": "service", "programme": "phases"}  # the plans of several tables, and what each table is called


def uses_rates(values: Mapping[str, Any], plan: str = "sizing") -> bool:
    """Return whether a scenario works out times, for which rates may be given; ``plan`` where it names none."""
    return bool(values.get("plan", plan) != "sizing")


def with_rates(values: Mapping[str, Any], rates: Path | None, plan: str = "sizing") -> dict[str, Any]:
    """Return a scenario's values with a file of own rates, in every service or phase; as they are without one.

    Errors: a plan without times, and rates that the scenario names already.
    """
    if rates is None:
        return dict(values)
    if not uses_rates(values, plan):
        raise InputError(
            f"nothing to rate: got --rates {rates.name} for a plan of sizing, want one of training, serving, "
            "fleet or programme. "
            "Leave --rates out."
        )
    table = TABLES_OF.get(str(values.get("plan", plan)), "")
    if isinstance(inner := values.get(table), list):
        return {**values, table: [_rated(each, rates) for each in inner]}
    return _rated(values, rates)


def _rated(values: Mapping[str, Any], rates: Path) -> dict[str, Any]:
    if values.get(RATES):
        raise InputError(
            f"rates given twice: got {RATES} {Path(str(values[RATES])).name} and --rates {rates.name}, want one of "
            "them. Remove the other."
        )
    return {**values, RATES: str(rates.resolve())}


def parse(kind: type[Kind], values: Mapping[str, Any], where: str) -> Kind:
    """Return the scenario that the values describe; raise one error that lists every problem by key.

    A scenario of another plan is that one problem.
    """
    own = quantity_of(hints_of(kind)["plan"]).default
    plan = str(values.get("plan", own)).strip().casefold()
    with named(where):
        if plan not in COMMANDS:
            raise unknown_key("plan", str(values["plan"]), COMMANDS)
        if plan != own:
            raise InputError(
                f"another plan: got plan = '{plan}', want '{own}' for this command. Use '{COMMANDS[plan]}' for it."
            )
    read(Presentation, values.get(REPORT) or {}, f"{where}: {REPORT}")
    keys = {key: value for key, value in values.items() if key != REPORT}
    return read(kind, keys, where, lists=f"'sizebook scenario template {own}'")


def workbook_model(model: str) -> dict[str, str]:
    """Return a model as the inputs of a workbook: a key of the catalog, or 'config.json' and the path of the file."""
    if catalog.is_file(model):
        return {
            "model": "config.json",
            "config_path": str(Path(model).resolve()) + ("/" if model.endswith("/") else ""),
        }
    return {"model": catalog.resolve(model)}
