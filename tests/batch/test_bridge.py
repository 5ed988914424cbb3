"""A bridge between two plans: bars add up to the difference, ten at most, and what data moved has a bar of its own."""

import html
import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

from sizebook import __version__
from sizebook.batch.bridge import bridge, side_of
from sizebook.calculation import recalculate
from sizebook.core.units import usd
from sizebook.plans.bridges import Bridge, Step
from sizebook.reports.variance.drawing import shown
from tests.batch.test_store import written
from tests.commands import run
from tests.row_lists import listed

FLEET = 'plan = "fleet"\nas_of = 2026-11-21\nmonths = 3\n'
SERVICE = """[[service]]
name = "{}"
model = "llama-3.1-8b"
gpu = "h100-sxm"
requests_per_day = {}
input_tokens = 2000
output_tokens = 300
concurrency = 64
on_demand_usd_per_gpu_hour = 2.0
"""
PROGRAMME = """plan = "programme"
start = 2027-01-15

[[phases]]
name = "Pre-training"
model = "llama-3.1-8b"
gpu = "h100-sxm"
gpus = 512
tokens = 1e13
dp = 512
batch = 1024
seq = 4096
zero_stage = 1
price_usd_per_gpu_hour = 2
"""


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
    assert said[0].split() == ["one.toml", f"{cost(one):,.0f}", "USD"]
    assert said[-1].split() == ["other.toml", f"{cost(other):,.0f}", "USD"]


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


@pytest.mark.parametrize(*listed("batch", "test_no_bridge_leads_to_a_plan_that_is_refused_or_has_no_price"))
def test_no_bridge_leads_to_a_plan_that_is_refused_or_has_no_price(
    tmp_path: Path, changed: dict[str, Any], message: str
) -> None:
    """It must not end at the cost where it began."""
    one, other = written(tmp_path, "one"), written(tmp_path, "other", **changed)
    assert str(run("bridge", one, other).exception) == message


def test_one_plan_alone_and_the_look_of_no_report_are_refused(tmp_path: Path) -> None:
    one = written(tmp_path, "one")
    assert str(run("bridge", one).exception) == (
        "nothing to compare with: got one.toml alone, want OTHER or --months. Name what to compare it with."
    )
    end = ", want what changes something. Leave it out."
    look = ("--locale", "de", "--page", "a4")
    assert str(run("bridge", one, one, *look).exception) == (
        f"no effect: got --locale and --page without a report (-o){end}"
    )
    assert str(run("bridge", one, one, *look, "-o", tmp_path / "b.xlsx").exception) == (
        f"no effect: got --locale and --page with a workbook{end}"
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
    bars = Bridge("usd", "USD", ("a", "b"), 0.0, steps).bars
    assert len(bars) == 8
    assert bars[-1] == ("other changes", 1 + 2 + 3 + 4 + 5)
    assert sum(value for _, value in bars) == 78


def test_a_step_that_no_plan_takes_is_held_by_the_next() -> None:
    found = Bridge("usd", "USD", ("a", "b"), 10.0, (Step("a", 0, 1, None), Step("b", 0, 1, 14.0)))
    assert found.bars == [("b", 4.0)]


def test_two_months_of_a_plan_differ_by_their_causes(tmp_path: Path) -> None:
    """Traffic grows by 10 % a month at a price that falls by 2 %: volume and idle grow, price falls, nothing else."""
    plan = written(tmp_path, "plan", growth_per_month=0.1, price_change_per_month=-0.02, months=6, sign_terms="none")
    months = json.loads(run("plan", "serve", plan, "--json").output)["months"]
    told = json.loads(run("bridge", plan, "--months", "1", "6", "--json").output)
    assert (told["start"], told["end"]) == pytest.approx((months[0]["usd"], months[5]["usd"]))
    assert sum(value for _, value in told["bars"]) == pytest.approx(months[5]["usd"] - months[0]["usd"])
    bars = dict(told["bars"])
    assert bars.keys() <= {"Number of requests", "GPU-hours without work", "Price of a GPU-hour"}
    assert bars["Number of requests"] > 0 > bars["Price of a GPU-hour"]
    assert str(run("bridge", plan, "--months", "1", "7").exception) == (
        "month out of range: got 1 and 7, want 1 to 6. Name another."
    )


def test_two_months_of_a_programme_differ_by_what_they_consist_of(tmp_path: Path) -> None:
    programme = tmp_path / "programme.toml"
    programme.write_text(PROGRAMME, encoding="utf-8")
    months = json.loads(run("plan", "programme", programme, "--json").output)["months"]
    told = json.loads(run("bridge", programme, "--months", "1", "2", "--json").output)
    assert told["end"] == pytest.approx(months[1]["usd"])
    assert dict(told["bars"])["phases_usd"] == pytest.approx(months[1]["phases_usd"] - months[0]["phases_usd"])


def test_services_of_a_fleet_are_told_apart_by_their_names(tmp_path: Path) -> None:
    """Chat has twice the requests and Search is new: a bar each, not one for the list of both."""
    one, other = tmp_path / "one.toml", tmp_path / "other.toml"
    one.write_text(FLEET + SERVICE.format("Chat", 1_000_000), encoding="utf-8")
    both = SERVICE.format("Search", 500_000) + SERVICE.format("Chat", 2_000_000)
    other.write_text(FLEET + both, encoding="utf-8")
    found = bridge(side_of(one), side_of(other))
    assert [name for name, _ in found.bars] == ["service.Chat.requests_per_day", "service.Search"]
    assert [name for name, _ in found.named_bars] == ["Chat: Requests a day", "Search"]
    assert found.end == pytest.approx(json.loads(run("plan", "fleet", other, "--json").output)["usd"])


def test_report_page_and_workbook_say_what_json_says(tmp_path: Path) -> None:
    one = written(tmp_path, "one")
    other = written(tmp_path, "other", requests_per_day=2e6, gpu="h200-sxm", months=6)
    told = json.loads(run("bridge", one, other, "--json").output)
    for kind in ("pdf", "html", "xlsx"):
        done = run("bridge", one, other, "-o", tmp_path / f"bridge.{kind}")
        assert done.exit_code == 0, done.exception
    texts = [
        "".join(page.extract_text() for page in PdfReader(tmp_path / "bridge.pdf").pages),
        html.unescape((tmp_path / "bridge.html").read_text(encoding="utf-8")),
    ]
    page = (tmp_path / "bridge.html").read_text(encoding="utf-8")
    (drawn,) = (b64decode(each).decode() for each in re.findall(r"data:image/svg\+xml;base64,([^\"]+)", page))
    assert "url(fonts" not in page and '"Inter"' not in drawn  # neither the file of a face nor one without others
    faces = re.findall(r"font(?:-family)?: ([^;}]*(?:Inter|Mono)[^;}]*?) ?[;}]", page)
    assert len(faces) >= 4 and all(each.endswith((", sans-serif", ", monospace")) for each in faces)
    wanted = [usd(told["start"]), usd(told["end"]), f"{usd(told['start'] - told['end'])} less", "Requests a day"]
    pairs = [(" ".join(each.split()), " ".join(said.split())) for said in texts for each in wanted]
    assert [each for each, said in pairs if each not in said] == []
    values = recalculate(tmp_path / "bridge.xlsx").values
    assert [values["Bridge", f"A{row}"] for row in (5, 6, 9)] == ["one.toml", "Accelerator", "other.toml"]
    assert values["Bridge", "E8"] == pytest.approx(told["end"]) and values["Bridge", "B10"] == "OK"
    assert values["Bridge", "D9"] == pytest.approx(told["end"] - told["start"])


def test_the_workbook_calculates_nothing_that_a_user_wrote(tmp_path: Path) -> None:
    one, other = written(tmp_path, "=1+1"), written(tmp_path, "other", shape=[1.25] * 24)
    done = run("bridge", one, other, "-o", tmp_path / "bridge.xlsx")
    assert done.exit_code == 0, done.exception
    sheet = load_workbook(tmp_path / "bridge.xlsx")["Bridge"]
    assert [(sheet[at].value, sheet[at].data_type) for at in ("A1", "A5")] == [
        ("From =1+1.toml to other.toml", "s"), ("=1+1.toml", "s")
    ]  # fmt: skip
    assert (sheet["B6"].value, sheet["C6"].value) == ("–", f"[{'1.25, ' * 9}1.25,…")


def test_what_moved_with_version_and_data_is_what_inspect_finds(tmp_path: Path) -> None:
    scenario = written(tmp_path, "plan")
    assert run("report", scenario, "-o", tmp_path / "plan.json").exit_code == 0
    told = json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))
    told["figures"]["usd"]["value"], told["sizebook"]["sizebook"] = 1000.0, "0.0.1"
    (tmp_path / "plan.json").write_text(json.dumps(told), encoding="utf-8")
    found = bridge(side_of(tmp_path / "plan.json"), side_of(scenario))
    assert found.remarks == (f"plan.json, version: 0.0.1, today {__version__}",)


def test_numbers_from_and_to_have_their_digits_in_groups() -> None:
    assert [shown(value) for value in (3_000_000, 0.35, True, "fp8", None)] == [
        "3\u202f000\u202f000",
        "0.35",
        "True",
        "fp8",
        "–",
    ]
