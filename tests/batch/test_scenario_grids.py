"""A grid over one scenario: every combination of the values of its keys, each with a name, a title and a place."""

from pathlib import Path

import pytest

from sizebook.batch.plan_kinds import scenario_of
from sizebook.batch.scenario_grid import parse_axis
from sizebook.batch.scenario_list import read_batch
from sizebook.core.errors import InputError
from sizebook.scenarios.serving import ServingScenario
from tests.refused import message_of
from tests.row_lists import listed

BASE = """plan = "serving"
title = "Assistant"
model = "llama-3.1-8b"
gpu = "h100-sxm"
requests_per_day = 1e6
[traffic]
input_tokens = 1000
output_tokens = 200
"""


def test_a_grid_makes_every_combination_of_one_scenario(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(BASE)
    given = read_batch(path, [parse_axis("gpu=h100-sxm,h200-sxm"), parse_axis("traffic.requests_per_day=1e6:1e7:10")])
    found = [(row.values["gpu"], row.values["traffic"]["requests_per_day"]) for row in given.rows]
    assert found == [(gpu, 10**6 * n) for gpu in ("h100-sxm", "h200-sxm") for n in range(1, 11)]
    assert {"requests_per_day" in row.values for row in given.rows} == {False}  # replaced, not said twice
    assert given.rows[0].name == "Assistant-gpu-h100-sxm-requests_per_day-1000000"
    assert given.rows[0].values["title"] == "Assistant: gpu h100-sxm, requests_per_day 1000000"
    last = scenario_of(given.rows[-1].values, given.rows[-1].where, tmp_path)
    assert isinstance(last, ServingScenario)
    assert (last.gpu, last.inputs.traffic.requests_per_day) == ("h200-sxm", 1e7)
    flat = read_batch(path, [parse_axis("input_tokens=500,2T")]).rows
    assert [row.values["traffic"]["input_tokens"] for row in flat] == ["500", "2T"]
    assert given.rows[3].where == "s.toml, point 4"


def test_a_value_of_a_grid_in_quotation_marks_may_hold_commas(tmp_path: Path) -> None:
    path = tmp_path / "s.toml"
    path.write_text(BASE)
    rows = read_batch(path, [parse_axis('title="Paris, one zone", Oslo')]).rows
    assert [row.values["title"].partition(": title ")[0] for row in rows] == ["Paris, one zone", "Oslo"]


def test_a_grid_reaches_into_one_service(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text("plan: fleet\nservice:\n  - {name: A, tp: 1}\n  - {name: B, tp: 1}\n")
    rows = read_batch(path, [parse_axis("service.2.tp=2,4")]).rows
    assert [[each["tp"] for each in row.values["service"]] for row in rows] == [[1, "2"], [1, "4"]]


@pytest.mark.parametrize(*listed("batch", "test_a_grid_that_says_nothing_is_refused"))
def test_a_grid_that_says_nothing_is_refused(tmp_path: Path, grid: str, message: str) -> None:
    path = tmp_path / "s.toml"
    path.write_text(BASE)
    assert message_of(InputError, lambda: read_batch(path, [parse_axis(grid)])) == message


def test_a_grid_over_a_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("model\ngpt-2\ngpt-2\n")
    assert message_of(InputError, lambda: read_batch(tmp_path / "s.csv", [parse_axis("dtype=fp8,int8")])) == (
        "grid over a table: got 2 scenarios in s.csv and --grid, want one scenario to vary. Leave one row, or --grid "
        "out."
    )
