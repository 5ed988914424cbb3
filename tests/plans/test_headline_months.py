"""A headline names the busiest month, too, where GPUs rise and fall between the first month and the last."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from sizebook.batch.plan_kinds import plan_scenario
from sizebook.plans.ledgers import headline_months
from sizebook.reports.phrases import busiest_hours
from tests.commands import plan_printed

SEASON = (
    'model = "llama-3.1-8b"\ngpu = "h100-sxm"\nweight_dtype = "fp8"\nmonths = 3\ninput_tokens = 500\n'
    "output_tokens = 200\ntpot_target_seconds = 0.03\nmonthly_requests = [3e7, 3e8, 3e7]\nstart = 2027-01-01\n"
)


@pytest.mark.parametrize(
    ("peaks", "months", "said"),
    [
        ([4], (0,), "4 GPUs in every month"),
        ([4, 4, 4], (0, 2), "4 GPUs in every month"),
        ([4, 6, 8], (0, 2), "4 GPUs at first and 8 in the last month"),
        ([4, 9, 9, 8], (0, 1, 3), "4 GPUs at first, 9 at the peak, and 8 in the last month"),
        ([4, 2, 4], (0, 2), "4 GPUs at first and 4 in the last month"),
    ],
)
def test_a_headline_names_the_busiest_month(peaks: list[int], months: tuple[int, ...], said: str) -> None:
    assert headline_months(peaks) == months
    assert busiest_hours(peaks) == said


@pytest.mark.parametrize("kind", ["serving", "fleet"])
def test_a_season_is_on_the_command_and_on_page_one(kind: str, tmp_path: Path) -> None:
    shared, service = (
        "months = 3\nstart = 2027-01-01\n",
        '[[service]]\nname = "Chat"\n' + SEASON.replace("months = 3\n", "").replace("start = 2027-01-01\n", ""),
    )
    given = f'plan = "{kind}"\n' + (SEASON if kind == "serving" else shared + service)
    _, said = plan_printed(given, tmp_path)
    made = plan_scenario(tomllib.loads(given), "season.toml", tmp_path)
    plan = made.plan.plan if kind == "serving" else made.plan
    most = max(month.peak_gpus for month in plan.months)
    month = "month 2" if kind == "serving" else "2027-02"
    assert f"{most} in {month}" in said
    assert f"{most} at the peak, and " in str(made.report.sentences)
