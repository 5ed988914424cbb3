"""Scenario files: TOML whose keys are checked before anything is computed, with messages that name key, value and fix.

A scenario's ``plan`` says which plan it feeds: ``sizing`` (the default), ``training``, ``serving`` or ``fleet``. Each
plan has its own model of the file here or in a module beside it; `parse` turns any of them into an object or one clear
error.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic_core import PydanticCustomError

from sizebook.errors import InputError, suggestion, unknown_key
from sizebook.files import read_text
from sizebook.models import catalog
from sizebook.quantities import dtype_keys


class Scenario(BaseModel):
    """What every scenario has: a plan, a title and a date; unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    plan: str = "sizing"
    title: str = ""
    as_of: date | None = Field(default=None, description="date printed on the report, today when left out")


class ModelScenario(Scenario):
    """A scenario about one model."""

    model: str = Field(min_length=1, description="a model of the catalog, or the path of a config.json")


class SizingScenario(ModelScenario):
    """A model to count and the number format to store it in."""

    plan: Literal["sizing"] = "sizing"
    dtype: str = "bf16"
    published_total: int | None = Field(default=None, gt=0, description="published parameters to compare with")
    published_source: str = ""

    @field_validator("dtype")
    @classmethod
    def _known(cls, dtype: str) -> str:
        if dtype not in dtype_keys():
            message = str(unknown_key("dtype", dtype, dtype_keys(), f"one of {', '.join(dtype_keys())}"))
            raise PydanticCustomError("unknown_key", "{message}", {"message": message})
        return dtype


Kind = TypeVar("Kind", bound=BaseModel)


def read_toml(path: Path) -> dict[str, Any]:
    """Return the keys of a TOML file, or say what is wrong with it and where."""
    try:
        return tomllib.loads(read_text(path, "a scenario file"))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not TOML: got {error} in {path.name}, want key = value lines. Correct that line.") from error


def beside(folder: Path, value: Any) -> Any:
    """Return a scenario's value with the files that it names (.json, .csv) taken relative to the scenario's folder."""
    if isinstance(value, dict):
        return {key: beside(folder, inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [beside(folder, inner) for inner in value]
    if isinstance(value, str) and value.casefold().endswith((".json", ".csv")):
        return str(folder.resolve() / value)
    return value


def parse(kind: type[Kind], values: Mapping[str, Any], where: str, *, strict: bool = True) -> Kind:
    """Return the scenario that the values describe; raise one error that lists every problem by key.

    Not strict, a number may come as text, as it does from a CSV file. A scenario of another plan is that one problem.
    """
    own = kind.model_fields["plan"].default if "plan" in kind.model_fields else None
    if own is not None and values.get("plan", own) != own:
        raise InputError(
            f"{where}: another plan: got plan = '{values['plan']}', want '{own}'. Use the command of that plan, or "
            "'sizebook report', which takes every one."
        )
    try:
        return kind.model_validate(dict(values), strict=strict)
    except ValidationError as error:
        problems = [_problem(kind, values, problem) for problem in error.errors()]
        raise InputError("\n".join(f"{where}: {problem}" for problem in problems)) from None


def workbook_model(model: str) -> dict[str, str]:
    """Return a model as the inputs of a workbook: a key of the catalog, or 'config.json' and the path of the file."""
    if catalog.is_file(model):
        return {"model": "config.json", "config_path": str(Path(model).resolve())}
    return {"model": catalog.resolve(model)}


def _problem(kind: type[BaseModel], values: Mapping[str, Any], problem: Any) -> str:
    table, place, parts = _table(kind, list(problem["loc"]))
    key = ".".join(str(part) for part in parts)
    if problem["type"] == "extra_forbidden":
        known = list(table.model_fields)
        hint = suggestion(key, known) or " Remove it."
        return f"{place}unknown key: got '{key}', want one of {', '.join(known)}.{hint}"
    if problem["type"] == "unknown_key":  # a validator's own message, already whole
        return str(problem["msg"])
    if problem["type"] == "missing":
        return f"{place}missing key: got no '{key}', want {_wanted(table, parts)}. Add a line '{key} = ...'."
    wanted = _wanted(table, parts)
    return f"{place}bad value: got {key} = {problem['input']!r}, want {wanted} ({problem['msg']}). Correct it."


def _table(kind: type[BaseModel], parts: list[str | int]) -> tuple[type[BaseModel], str, list[str | int]]:
    """Return the table that a key stands in, its name for a message (``service 2: ``), and the key's own parts."""
    place = ""
    while len(parts) > 1 and parts[0] in kind.model_fields:
        annotation = kind.model_fields[str(parts[0])].annotation
        inner = next((each for each in (annotation, *get_args(annotation)) if _is_table(each)), None)
        if inner is None:
            break
        name, *parts = parts
        if isinstance(parts[0], int):
            number, *parts = parts
            name = f"{name} {int(number) + 1}"
        kind, place = inner, f"{place}{name}: "
    return kind, place, parts


def _is_table(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _wanted(kind: type[BaseModel], parts: list[str | int]) -> str:
    field = kind.model_fields.get(str(parts[0])) if parts else None
    if field is None:
        return "another value"
    return field.description or f"a value of kind {getattr(field.annotation, '__name__', field.annotation)}"
