"""Templates are whole scenarios that state every key; the schema takes what the reader takes, and names slips."""

import json
import re
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sizebook.batch.plan_kinds import plan_kind_of, plan_scenario, scenario_of
from sizebook.core.errors import SizebookError
from sizebook.core.reading import keys_of
from sizebook.core.scenario_keys import layout
from sizebook.core.sections import Argument, flat
from sizebook.scenarios.kinds import KINDS
from sizebook.scenarios.scenario_files import read_toml
from sizebook.scenarios.schema import DRAFT, schema
from sizebook.scenarios.template import EXAMPLES, template
from tests.commands import run
from tests.refused import message_of
from tests.row_lists import listed

ROOT = Path(__file__).resolve().parents[2]
# Those without a plan give the inputs of a workbook by name.
SAMPLES = sorted(
    path
    for folder in ("reports", "workbooks/scenarios")
    for path in (ROOT / folder).glob("*.toml")
    if "plan" in read_toml(path)
)


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft7Validator:
    found = schema()
    assert found["$schema"] == DRAFT
    jsonschema.Draft7Validator.check_schema(found)
    return jsonschema.Draft7Validator(found, format_checker=jsonschema.FormatChecker())


def as_json(value: Any) -> Any:
    """Return values of TOML as an editor hands them to a schema."""
    if isinstance(value, dict):
        return {key: as_json(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [as_json(inner) for inner in value]
    return value.isoformat() if isinstance(value, date) else value


def words(validator: jsonschema.Draft7Validator, value: Any) -> list[str]:
    return [error.message for error in validator.iter_errors(as_json(value))]


@pytest.mark.parametrize("plan", EXAMPLES)
def test_a_template_names_every_key_and_is_planned_as_it_is(plan: str, tmp_path: Path) -> None:
    text = template(plan)
    named = set(re.findall(r"^(?:# )?([a-z][a-z0-9_]*) =", text, re.MULTILINE))
    tables = set(re.findall(r"^(?:# )?\[+(?:\w+\.)*(\w+)\]+$", text, re.MULTILINE))
    assert named | tables == set(keys_of(KINDS[EXAMPLES[plan].get("plan", "sizing")]))
    scenario = scenario_of(tomllib.loads(text), "template", tmp_path)
    plan_kind_of(scenario).plan(scenario)


@pytest.mark.parametrize("plan", EXAMPLES)
def test_a_template_shows_the_usual_values(plan: str, tmp_path: Path) -> None:
    """With every comment that shows a value turned into a line the scenario is the same."""
    text = template(plan)
    missing = re.compile(r"^# \[\w[\w.]*\]$.*", re.MULTILINE | re.DOTALL)  # a table that may be missing ends the file
    full = re.sub(r"^# (?=[a-z][a-z0-9_]* = )", "", missing.sub("", text), flags=re.MULTILINE)
    assert full != text
    before, after = (scenario_of(tomllib.loads(each), "template", tmp_path) for each in (text, full))
    assert flat(before) == flat(after)


@pytest.mark.parametrize("plan", EXAMPLES)
def test_the_command_writes_the_template(plan: str, tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    assert run("scenario", "template", plan).output == template(plan)
    assert run("scenario", "template", plan, "-o", path).exit_code == 0
    assert path.read_text(encoding="utf-8") == template(plan)


def test_every_kind_of_report_of_a_scenario_has_a_template(tmp_path: Path) -> None:
    """The kinds that are said of themselves on the first page; 0.10.0 had no template of a fine-tuning plan."""
    said = set()
    for plan in EXAMPLES:
        said.add(plan_scenario(tomllib.loads(template(plan)), "template", tmp_path).report.kind)
    assert said == {
        "Model sizing report", "Training plan", "Fine-tuning plan", "Serving plan", "Fleet plan", "Programme",
    }  # fmt: skip


def test_without_a_kind_the_kinds_are_said() -> None:
    assert str(run("scenario", "template").exception) == (
        "no kind: got nothing, want sizing, training, fine_tuning, serving, fleet, programme. Name one, such as "
        "serving."
    )


def test_a_plan_that_there_is_not_has_no_template() -> None:
    assert message_of(SizebookError, template, "servingg") == (
        "unknown plan: got 'servingg', want 'serving', or one of sizing and 4 others. "
        "'sizebook scenario template --help' lists them."
    )


def test_the_command_prints_the_schema() -> None:
    assert json.loads(run("scenario", "schema").output) == schema()


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_samples_satisfy_the_schema(path: Path, validator: jsonschema.Draft7Validator) -> None:
    values = read_toml(path)
    assert words(validator, values) == []
    assert words(validator, {"scenario": [values | {"name": "a"}]}) == []
    assert words(validator, [values]) == []


@pytest.mark.parametrize("plan", EXAMPLES)
def test_templates_satisfy_the_schema(plan: str, validator: jsonschema.Draft7Validator) -> None:
    assert words(validator, tomllib.loads(template(plan))) == []


BAD = {
    "integer": (1.5, "2X"),
    "number": ("x", [1, 2]),
    "flag": ("maybe", 3),
    "choice": ("no-such",),
    "date": ("tomorrow",),
    "text": ([1, 2],),
    "list": ({"a": 1},),
}


@pytest.mark.parametrize("plan", KINDS)
def test_schema_and_reader_refuse_the_same_values(plan: str, validator: jsonschema.Draft7Validator) -> None:
    """Every key of a plan with values of the wrong kind and beyond its bounds, where it belongs."""
    base = tomllib.loads(template(plan))
    tried = 0
    for table in (layout(KINDS[plan]), *layout(KINDS[plan]).tables):
        if table.apart and not table.several:
            continue
        for key in table.keys:
            for value in bad_values(key):
                values = json.loads(json.dumps(as_json(base)))
                inner = values
                if table.name:
                    inner = values.setdefault(table.name, [{}] if table.several else {})
                    inner = inner[0] if table.several else inner
                inner[key.name] = value
                assert words(validator, values), (key.name, value)
                with pytest.raises(SizebookError):
                    scenario_of(values, "s", ROOT)
                tried += 1
    assert tried > 8


def bad_values(key: Argument) -> list[Any]:
    quantity = key.quantity
    found = list(BAD[quantity.kind])
    for bound, step in ((quantity.minimum, -1), (quantity.maximum, 2), (quantity.above, 0), (quantity.below, 0)):
        if bound is not None and quantity.kind in ("number", "integer"):
            found.append(bound + step * max(1, abs(bound)))
    return found


@pytest.mark.parametrize(*listed("scenarios", "test_slips_are_named"))
def test_slips_are_named(values: Any, message: str, validator: jsonschema.Draft7Validator) -> None:
    assert message in words(validator, values)


def test_traffic_may_stand_in_its_table_or_at_the_top_but_must_stand(validator: jsonschema.Draft7Validator) -> None:
    base = {"plan": "serving", "model": "gpt-2"}
    assert words(validator, base | {"requests_per_day": "2M"}) == []
    assert words(validator, base | {"traffic": {"requests_per_day": 2}}) == []
    assert words(validator, base | {"users": 10}) == words(validator, base | {"demand": {"users": 10}}) == []
    assert words(validator, base) != []
    service = {"name": "a", "model": "gpt-2", "gpu": "h100-sxm"}
    assert words(validator, {"plan": "fleet", "service": [service | {"monthly_tokens": [1e9]}]}) == []
    # A service may live on the requests of one that it replaces; the plan refuses it where it replaces none.
    assert words(validator, {"plan": "fleet", "service": [service]}) == []
