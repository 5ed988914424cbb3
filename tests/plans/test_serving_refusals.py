"""What a serving plan refuses or points out: layouts, requests too long, scenarios of another plan, absurd traffic."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from sizebook.cli import app
from sizebook.errors import InputError, RangeError, TargetError
from sizebook.plans.serving import Prices, Setup, Target, plan_serving
from sizebook.plans.traffic import SHAPES, Traffic
from sizebook.scenarios import parse
from sizebook.serving_scenario import ServingScenario

PRICES = Prices(on_demand_usd=4.0, reserved_usd=2.0)
TRAFFIC = Traffic(2_000_000, SHAPES["office"], 1.5, 0.1, 3, input_tokens=1500, output_tokens=300)


@pytest.mark.parametrize(
    ("setup", "message"),
    [
        (Setup("h200-sxm", tp=3), "tensor parallelism does not divide the heads: got tp 3 and n_heads 64, want "
         "tp to divide n_heads. Use tp 2."),
        (Setup("h200-sxm", tp=8, pp=81), "more stages than layers: got pp 81 and 80 layers, want at least one "
         "layer a stage. Lower pp."),
    ],
)  # fmt: skip
def test_a_layout_that_no_engine_starts_is_refused(setup: Setup, message: str) -> None:
    with pytest.raises(RangeError) as refused:
        plan_serving("llama-3.1-70b", setup, TRAFFIC, Target(), PRICES)
    assert str(refused.value) == message


def test_a_prompt_that_no_cache_holds_says_by_how_much() -> None:
    """20 000 400 tokens x 80 layers x 2 x 4 of 8 heads x 128 x 2 bytes = 3 276.9 GB a GPU; 94.5 GB of it are free."""
    long = replace(TRAFFIC, input_tokens=20_000_000, output_tokens=400)
    with pytest.raises(TargetError) as refused:
        plan_serving("llama-3.1-70b", Setup("h200-sxm", "vllm", "fp8", tp=2), long, Target(), PRICES)
    assert str(refused.value) == (
        "memory binds: got 3182.4 GB too much on each h200-sxm for llama-3.1-70b at tp2, want room for one request. "
        "No tp up to 8 makes room: raise pp, shorten the requests or choose a narrower weight_dtype."
    )


def test_requests_longer_than_the_model_states_are_told() -> None:
    long = replace(TRAFFIC, input_tokens=150_000, output_tokens=400)
    plan = plan_serving("llama-3.1-70b", Setup("h200-sxm", "vllm", "fp8", tp=8), long, Target(), PRICES)
    assert plan.beyond_context == "150 400 tokens a request are more than the 131 072 that the model states"


def test_a_scenario_of_another_plan_is_one_problem(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text('plan = "training"\ngpus = 8\n', encoding="utf-8")
    result = CliRunner().invoke(app, ["plan", "serve", str(tmp_path / "s.toml")])
    assert str(result.exception) == (
        "s.toml: another plan: got plan = 'training', want 'serving'. Use the command of that plan, or "
        "'sizebook report', which takes every one."
    )


@pytest.mark.parametrize(("key", "value"), [("growth_per_month", 5), ("requests_per_day", 1e30)])
def test_traffic_beyond_any_fleet_is_refused(key: str, value: float) -> None:
    given = {"requests_per_day": 1e6, "input_tokens": 9, "output_tokens": 9} | {key: value}
    with pytest.raises(InputError) as refused:
        parse(ServingScenario, {"model": "llama-3.1-8b", "traffic": given}, "s.toml")
    assert str(refused.value).startswith(f"s.toml: traffic: bad value: got {key} = {value!r}, want ")
