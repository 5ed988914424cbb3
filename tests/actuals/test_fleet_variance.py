"""A fleet against what came: each service by itself, causes planted in one are found there, and all sums are exact."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from pypdf import PdfReader

from sizebook.calculation import recalculate
from tests.actuals.test_variance import NO_VARIANCE
from tests.commands import run
from tests.csv_files import written

SERVICE = """[[service]]
name = "{name}"
model = "llama-3.1-8b"
gpu = "h100-sxm"
requests_per_day = {requests}
input_tokens = 2000
output_tokens = 300
concurrency = 64
on_demand_usd_per_gpu_hour = 2.0
reserved_usd_per_gpu_hour = 2.0
start_month = {begins}
"""
FLEET = """plan = "fleet"
title = "Two services"
as_of = 2026-11-21
start = 2026-11-01
months = 4
"""
MONTHS = ("2026-11", "2026-12", "2027-01", "2027-02")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fleet") / "fleet.toml"
    chat, search = (("Chat", 4_000_000, 1), ("Search", 2_000_000, 2))
    services = (
        SERVICE.format(name=name, requests=requests, begins=begins) for name, requests, begins in (chat, search)
    )
    path.write_text(FLEET + "".join(services), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def planned(fleet: Path) -> dict[str, list[dict[str, Any]]]:
    """The rows that come as planned, by service: every GPU-hour costs 2 USD, so hours are half of the dollars."""
    told = json.loads(run("plan", "fleet", fleet, "--json").output)
    return {
        service["name"]: [
            {
                "month": month,
                "service": service["name"],
                "requests": row["requests_per_day"] * 365 / 12,
                "input_tokens": 2000,
                "output_tokens": 300,
                "gpu_hours": row["usd"] / 2,
                "cost": row["usd"],
            }
            for month, row in zip(MONTHS, service["months"], strict=True)
        ]
        for service in told["services"]
    }


def variance(fleet: Path, rows: list[dict[str, Any]], *words: str | Path) -> Result:
    return run("actuals", "variance", fleet, written(fleet.parent / "actuals.csv", rows), *words)


def said(fleet: Path, rows: list[dict[str, Any]]) -> dict[str, Any]:
    done = variance(fleet, rows, "--json")
    assert done.exit_code == 0, done.exception
    found: dict[str, Any] = json.loads(done.output)
    return found


def test_a_fleet_as_planned_has_no_variance(fleet: Path, planned: dict[str, Any]) -> None:
    """Search begins in December: November wants no row of it, and the year ends with the second month."""
    found = said(fleet, [planned["Chat"][0], planned["Chat"][1], planned["Search"][1]])
    assert found["lines"] == NO_VARIANCE
    year = sum(row["cost"] for service in planned.values() for row in service[:2])
    assert (found["until"], found["planned_total"]) == ("2026-12", pytest.approx(year))
    assert found["forecast_total"] == pytest.approx(year)


def test_causes_are_found_in_the_service_where_they_were_planted(fleet: Path, planned: dict[str, Any]) -> None:
    """Chat pays 5 % more an hour; Search has 20 % more of all: requests, hours, cost."""
    chat, search = planned["Chat"][1], planned["Search"][1]
    more = {key: 1.2 * search[key] for key in ("requests", "gpu_hours", "cost")}
    found = said(fleet, [planned["Chat"][0], chat | {"cost": 1.05 * chat["cost"]}, search | more])
    by_name = {each["name"]: each["lines"] for each in found["services"]}
    assert by_name["Chat"]["price"] == pytest.approx(0.05 * chat["cost"])
    assert by_name["Search"]["volume"] == pytest.approx(0.2 * search["cost"])
    planted = {("Chat", "price"), ("Search", "volume")}
    rest = [value for name, lines in by_name.items() for cause, value in lines.items() if (name, cause) not in planted]
    assert max(map(abs, rest)) < 1e-6
    difference = 0.05 * chat["cost"] + 0.2 * search["cost"]
    assert sum(found["lines"].values()) == pytest.approx(difference)
    assert found["forecast_total"] - found["planned_total"] == pytest.approx(difference)


def test_longer_answers_of_one_service_are_its_lengths(fleet: Path, planned: dict[str, Any]) -> None:
    """Answers of 330 tokens for 300: the hours that a fleet of such answers takes at the same load, no cause else."""
    longer = fleet.with_name("longer.toml")
    longer.write_text(fleet.read_text(encoding="utf-8").replace("output_tokens = 300", "output_tokens = 330"))
    rates = [
        json.loads(run("plan", "fleet", path, "--json").output)["services"][0]["replica"]["requests_per_second"]
        for path in (fleet, longer)
    ]
    row, more = planned["Chat"][0], rates[0] / rates[1]
    grown = {"output_tokens": 330, "gpu_hours": more * row["gpu_hours"], "cost": more * row["cost"]}
    lines = said(fleet, [row | grown])["lines"]
    assert lines["lengths"] == pytest.approx((more - 1) * row["cost"]) and more > 1.03
    assert sum(abs(value) for name, value in lines.items() if name != "lengths") < 1e-6


def test_a_service_that_nobody_asked_costs_its_idle_hours(fleet: Path, planned: dict[str, Any]) -> None:
    """Search had no request in December and paid 1000 USD: its plan is volume saved, what it paid is idle."""
    search = planned["Search"][1]
    nothing = {"requests": 0, "input_tokens": "", "output_tokens": "", "gpu_hours": 500, "cost": 1000}
    found = said(fleet, [planned["Chat"][1], search | nothing])
    assert found["services"][1]["lines"]["volume"] == pytest.approx(-search["cost"])
    assert found["services"][1]["lines"]["idle"] == 1000
    assert sum(found["lines"].values()) == pytest.approx(1000 - search["cost"])


def test_a_service_that_came_early_is_volume(fleet: Path, planned: dict[str, Any]) -> None:
    early = planned["Search"][1] | {"month": "2026-11"}
    found = said(fleet, [planned["Chat"][0], early])
    assert found["services"][1]["lines"]["volume"] == pytest.approx(early["cost"])


def test_report_and_workbook_hold_every_service(fleet: Path, planned: dict[str, Any], tmp_path: Path) -> None:
    chat, search = planned["Chat"][1], planned["Search"][1]
    rows = [chat | {"cost": 1.05 * chat["cost"]}, search]
    for kind in ("pdf", "html", "xlsx"):
        done = variance(fleet, rows, "-o", tmp_path / f"fleet.{kind}")
        assert done.exit_code == 0, done.exception
    assert done.output.splitlines()[3:7:2] == [
        f"Chat: planned {chat['cost']:,.0f}, actual {1.05 * chat['cost']:,.0f} (+{0.05 * chat['cost']:,.0f})",
        f"Search: planned {search['cost']:,.0f}, actual {search['cost']:,.0f} (+0)",
    ]
    pages = PdfReader(tmp_path / "fleet.pdf").pages
    assert len(pages) == 2 and "Search" in pages[1].extract_text()
    values = recalculate(tmp_path / "fleet.xlsx").values
    assert [values["Variance", f"B{row}"] for row in (5, 6)] == ["Chat", "Search"]
    assert values["Variance", "E7"] == pytest.approx(0.05 * chat["cost"])


def test_twenty_services_take_two_pages_as_two_do(fleet: Path, planned: dict[str, Any], tmp_path: Path) -> None:
    """All cost 10 % more than planned, S1 the most: seven stand by themselves, the other thirteen in one row."""
    many = tmp_path / "many.toml"
    services = (SERVICE.format(name=f"S{n}", requests=2_000_000 if n == 1 else 400_000, begins=1) for n in range(1, 21))
    many.write_text(FLEET + "".join(services), encoding="utf-8")
    told = json.loads(run("plan", "fleet", many, "--json").output)["services"]
    rows = [
        planned["Chat"][0] | {"service": each["name"], "cost": 1.1 * each["months"][0]["usd"]}
        | {"requests": each["months"][0]["requests_per_day"] * 365 / 12, "gpu_hours": each["months"][0]["usd"] / 2}
        for each in told
    ]  # fmt: skip
    assert variance(many, rows, "-o", tmp_path / "many.pdf").exit_code == 0
    pages = PdfReader(tmp_path / "many.pdf").pages
    assert len(pages) == 2
    said = " ".join(pages[1].extract_text().split())
    assert "13 other services" in said and "S1 " in said


REFUSED = [
    ({"service": "Serach"}, "unknown service: got 'Serach', want one of Chat, Search. Did you mean 'Search'?"),
    ({"month": "2027-01"}, "no row: got none of Search in 2026-12, want one for each service that is planned then."),
]


@pytest.mark.parametrize(("changed", "message"), REFUSED)
def test_rows_of_no_service_and_services_without_a_row_are_refused(
    fleet: Path, planned: dict[str, Any], changed: dict[str, Any], message: str
) -> None:
    done = variance(fleet, [planned["Chat"][1], planned["Search"][1] | changed])
    assert str(done.exception).startswith(message)


def test_a_fleet_wants_the_column_service(fleet: Path, planned: dict[str, Any]) -> None:
    rows = [{key: value for key, value in planned["Chat"][0].items() if key != "service"}]
    assert "want service too" in str(variance(fleet, rows).exception)
