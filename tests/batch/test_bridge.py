"""A bridge between two plans: bars add up to the difference, ten at most, and what data moved has a bar of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from sizebook.batch.bridge import Bridge, Step, bridge, side_of
from sizebook.cli import app
from tests.batch.test_store import written


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def cost(path: Path) -> float:
    figures: dict[str, Any] = json.loads(run("plan", "serve", path, "--json").output)
    return sum(month["usd"] for month in figures["months"])


def test_bars_add_up_to_the_difference(tmp_path: Path) -> None:
    one = written(tmp_path, "one")
    other = written(tmp_path, "other", requests_per_day=2e6, gpu="h200-sxm", title="other", months=6)
    found = bridge(side_of(one), side_of(other))
    assert [name for name, _ in found.bars] == ["gpu", "requests_per_day", "months"]
    assert found.start == pytest.approx(cost(one))
    assert found.start + sum(value for _, value in found.bars) == pytest.approx(cost(other))
    said = run("bridge", one, other).output.splitlines()
    assert said[0] == f"usd: {cost(one):,.0f}" and said[-1].split()[-1] == f"{cost(other):,.0f}"


def test_a_price_that_moved_alone_takes_its_share(tmp_path: Path) -> None:
    """A price 5 % up, on demand and reserved alike: the bars of both are 5 % of the cost."""
    prices = {"on_demand_usd_per_gpu_hour": 2.0, "reserved_usd_per_gpu_hour": 1.0}
    one = written(tmp_path, "one", **prices)
    other = written(tmp_path, "other", **{name: 1.05 * price for name, price in prices.items()})
    found = bridge(side_of(one), side_of(other))
    assert sum(value for _, value in found.bars) == pytest.approx(0.05 * found.start)


def test_the_same_plan_has_no_bar_and_two_kinds_no_bridge(tmp_path: Path) -> None:
    one = written(tmp_path, "one")
    assert bridge(side_of(one), side_of(one)).bars == []
    sizing = tmp_path / "sizing.toml"
    sizing.write_text('model = "llama-3.1-8b"', encoding="utf-8")
    assert str(run("bridge", one, sizing).exception) == (
        "other plans: got serving and sizing, want two of one kind. Choose others."
    )


def test_an_output_of_other_data_has_a_bar_for_them(tmp_path: Path) -> None:
    """A file whose cost was 1000 USD with the tables of its day: the bar is what today's tables make of it."""
    scenario = written(tmp_path, "plan")
    done = run("report", scenario, "-o", tmp_path / "plan.json")
    assert done.exit_code == 0, done.exception
    told = json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))
    told["figures"]["usd"]["value"] = 1000.0
    (tmp_path / "plan.json").write_text(json.dumps(told), encoding="utf-8")
    found = bridge(side_of(tmp_path / "plan.json"), side_of(scenario))
    assert found.bars == [("version and data", pytest.approx(cost(scenario) - 1000))]
    back = bridge(side_of(scenario), side_of(tmp_path / "plan.json"))
    assert back.bars == [("version and data", pytest.approx(1000 - cost(scenario)))]


def test_each_side_names_files_of_its_own_folder(tmp_path: Path) -> None:
    """Two folders hold an hours.csv each, the second twice as uneven: the bridge plans each with its own."""
    sides = []
    for name, busy in (("one", 2), ("other", 4)):
        (tmp_path / name).mkdir()
        hours = "".join(f"{busy if 9 <= hour < 17 else 1}\n" for hour in range(24))
        (tmp_path / name / "hours.csv").write_text(f"requests\n{hours}", encoding="utf-8")
        sides.append(written(tmp_path / name, name, hours_csv="hours.csv"))
    found = bridge(*map(side_of, sides))
    assert (found.start, found.steps[-1].value) == pytest.approx([cost(side) for side in sides])
    assert [name for name, _ in found.bars] == ["hours_csv"]


def test_of_many_steps_the_smallest_stand_together() -> None:
    steps = tuple(Step(f"k{n}", 0, 1, float(sum(range(n + 1)))) for n in range(1, 13))
    bars = Bridge("usd", 0.0, steps).bars
    assert len(bars) == 8
    assert bars[-1] == ("other inputs", 1 + 2 + 3 + 4 + 5)
    assert sum(value for _, value in bars) == 78


def test_a_step_that_no_plan_takes_is_held_by_the_next() -> None:
    found = Bridge("usd", 10.0, (Step("a", 0, 1, None), Step("b", 0, 1, 14.0)))
    assert found.bars == [("b", 4.0)]
