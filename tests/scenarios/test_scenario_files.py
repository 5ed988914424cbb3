"""Files that a scenario names lie beside it, wherever the command is run."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from openpyxl import load_workbook

from sizebook.core.errors import InputError
from sizebook.scenarios.fleet import FleetScenario
from sizebook.scenarios.scenario_files import Scenario, parse, resolve_files
from sizebook.scenarios.serving import ServingScenario
from sizebook.scenarios.training import TrainingScenario
from tests.commands import run
from tests.models.made_checkpoints import TINY, TINY_PARAMETERS
from tests.refused import message_of

ROOT = Path(__file__).resolve().parents[2]


def test_only_names_of_files_are_taken_relative(tmp_path: Path) -> None:
    given = {
        "model": "a.json",
        "title": "a",
        "traffic": {"hours_csv": "h.csv", "days": 3},
        "x": ["x.csv", "/y.json"],
    }
    assert resolve_files(tmp_path, given) == {
        "model": str(tmp_path / "a.json"),
        "title": "a",
        "traffic": {"hours_csv": str(tmp_path / "h.csv"), "days": 3},
        "x": [str(tmp_path / "x.csv"), "/y.json"],
    }


@pytest.mark.parametrize(
    ("kind", "key", "value", "wanted"),
    [
        (TrainingScenario, "tokens", 1e40, "above 0 and at most 1e+18 (tokens trained on)"),
        (FleetScenario, "burst_hours", 100.0, "at least 0 and at most 24 (busy hours a day, in which GPUs of the "
         "busiest hour run; those of the mean run in the others)"),
    ],
)  # fmt: skip
def test_a_number_beyond_any_plan_is_refused(kind: type[Scenario], key: str, value: float, wanted: str) -> None:
    with pytest.raises(InputError) as refused:
        parse(kind, {key: value}, "s.toml")
    shown = int(value) if value < 2**53 else value
    said = f"s.toml: {key} is out of range: got {shown}, want {wanted}. Correct the number."
    assert said in str(refused.value).splitlines()


def test_a_config_beside_its_scenario_is_filled_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "tiny").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "tiny" / "config.json").write_text(json.dumps(TINY))
    scenario = tmp_path / "tiny" / "scenario.toml"
    scenario.write_text('plan = "sizing"\nmodel = "config.json"\n')
    words = [sys.executable, "-m", "sizebook", "fill", "model_sizing.xlsx", str(scenario), "-o", "filled.xlsx"]
    done = subprocess.run(words, cwd=tmp_path / "elsewhere", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown = load_workbook(tmp_path / "elsewhere" / "filled.xlsx", data_only=True)["Result"]
    assert TINY_PARAMETERS in [cell.value for row in shown.iter_rows() for cell in row]


@pytest.mark.parametrize(("page", "kind"), [("serving", ServingScenario), ("fleet", FleetScenario)])
def test_the_scenario_of_a_page_is_taken(page: str, kind: type[Scenario]) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8").split("```toml\n")[1].partition("```")[0]
    assert isinstance(parse(kind, tomllib.loads(text), f"{page}.md"), kind)


def test_a_config_beside_a_serving_scenario_is_found_from_another_folder(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(TINY))
    scenario = tmp_path / "scenario.toml"
    scenario.write_text(
        'plan = "serving"\nmodel = "config.json"\ngpu = "h100-sxm"\nrequests_per_day = 1000\ninput_tokens = 100\n'
        "output_tokens = 10\nmonths = 1\n"
    )
    done = run("plan", "serve", scenario, "--json")
    assert json.loads(done.stdout)["model"] == str(tmp_path / "config.json")


def test_the_share_that_was_reserved_says_what_to_write_instead() -> None:
    assert [
        line
        for line in message_of(
            InputError, parse, FleetScenario, {"plan": "fleet", "reserve_share": 1, "term_months": 12}, "f.toml"
        ).splitlines()
        if "unknown key" in line
    ] == [
        f"f.toml: unknown key: got '{key}', want 'sign_terms' under [[service]]. 'sizebook scenario template fleet' "
        "lists all keys."
        for key in ("reserve_share", "term_months")
    ]
