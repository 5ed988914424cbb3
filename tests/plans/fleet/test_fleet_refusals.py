"""What is wrong in a service of a fleet is refused under the name or the number of that service."""

import tomllib

import pytest

from sizebook.core.errors import SizebookError
from sizebook.scenarios.fleet import FleetScenario, plan_fleet_scenario
from sizebook.scenarios.scenario_files import parse

FLEET = """plan = "fleet"
[[service]]
name = "Large"
model = "llama-3.1-70b"
gpu = "h100-sxm"
tp = 8
requests_per_day = 900_000
input_tokens = 3000
output_tokens = 500
tpot_target_seconds = 0.03
[[service]]
name = "Small"
model = "qwen3-32b"
gpu = "h100-sxm"
tp = 2
requests_per_day = 300_000
input_tokens = 1000
output_tokens = 300
concurrency = 40
peak_factor = 3
"""


def refusal(text: str) -> str:
    with pytest.raises(SizebookError) as refused:
        values = tomllib.loads(text)
        plan_fleet_scenario(parse(FleetScenario, values, "f.toml"))
    return str(refused.value)


def test_what_is_wrong_in_a_service_is_named() -> None:
    assert refusal(FLEET.replace('model = "qwen3-32b"', 'model = "qwen3-32"')).startswith(
        "Small: unknown model: got 'qwen3-32', want "
    )
    assert refusal(FLEET.replace("tpot_target_seconds = 0.03", "tpot_target_seconds = 0.001")).startswith(
        "Large: tpot_target_seconds binds: got "
    )
    assert refusal(FLEET.replace("peak_factor = 3", "peak_factr = 3")).startswith(
        "f.toml: service 2: unknown key: got 'peak_factr', want 'peak_factor', or one of "
    )
    assert refusal(FLEET.replace("peak_factor = 3", "peak_factor = 0.5")) == (
        "f.toml: service 2: peak_factor is out of range: got 0.5, want at least 1 and at most 1000 (busiest hour over "
        "the mean of the day). Correct the number."
    )
    assert refusal(FLEET.replace("output_tokens = 300\n", "")) == (
        "Small: no lengths: got no output_tokens, want mean tokens of an answer. Add a line 'output_tokens = ...'."
    )
    assert refusal(FLEET.replace("peak_factor = 3", "start_month = 61")) == (
        "f.toml: service 2: start_month is out of range: got 61, want at least 1 and at most 60 (month of the plan in "
        "which the service begins; its traffic is that of this month, and grows from it on). Correct the number."
    )
