"""Every quantity that divides takes no value that makes figures which no number holds."""

import math
from pathlib import Path
from typing import Any

import pytest

from sizebook.batch.plan_kinds import plan_scenario
from sizebook.core.errors import InputError, SizebookError
from sizebook.core.sections import SMALLEST
from sizebook.scenarios.kinds import quantities
from tests.refused import message_of

PLANS: dict[str, dict[str, Any]] = {
    "training": {"gpus": 64, "tokens": 1e12, "batch": 1024, "seq": 4096},
    "serving": {"requests_per_day": 1e5, "input_tokens": 2000, "output_tokens": 300},
}
USERS = {"requests_per_day": None, "users": 1000, "requests_per_user": 10}
# What a quantity is not asked for without.
WITH: dict[str, dict[str, Any]] = {
    "example_tokens": {"packed": False},
    "dispersion": {"request_percentile": "p90", "ttft_target_seconds": 10},
    "input_seconds": {"model": "whisper-large-v3", "input_tokens": None},
    "transfer_bytes_per_second": {"separate_prefill": True},
    "think_seconds": {"turns": 3},
    "host_cache_bytes_per_second": {"turns": 3, "host_cache_bytes": 1e12},
    "users": USERS, "requests_per_user": USERS, "working_days": USERS, "hours_active": USERS, "active_share": USERS,
}  # fmt: skip
OWNED = ("years", "busy")
REFUSED = {
    "gpu_mtbf_hours": "the run never advances: got ",
    "ttft_target_seconds": "ttft_target_seconds binds: got ",
    "tpot_target_seconds": "tpot_target_seconds binds: got ",
}
DIVISORS = [(plan, key) for plan in PLANS for key, found in quantities(plan).items() if found.above == 0]


def planned(plan: str, **given: Any) -> Any:
    base = {"plan": plan, "as_of": "2026-11-21", "model": "llama-3.1-8b", "gpu": "h100-sxm"}
    values = {**base, **PLANS[plan], **given}
    return plan_scenario({key: value for key, value in values.items() if value is not None}, "s.toml", Path())


@pytest.mark.parametrize(("plan", "key"), DIVISORS)
def test_the_smallest_value_gives_figures_or_its_own_reason(plan: str, key: str) -> None:
    own = {"owned": {"capex_usd": 30_000, key: SMALLEST}} if key in OWNED else {key: SMALLEST}
    if key in REFUSED:
        with pytest.raises(SizebookError, match=f"^{REFUSED[key]}"):
            planned(plan, **WITH.get(key, {}), **own)
        return
    figures = planned(plan, **{**WITH.get(key, {}), **own}).contents.figures
    assert figures
    assert [each.name for each in figures if isinstance(each.value, float) and not math.isfinite(each.value)] == []


@pytest.mark.parametrize("value", [5e-324, 1e-300, 9.9e-13])
def test_a_smaller_one_is_refused(value: float) -> None:
    assert message_of(
        InputError, planned, "training", checkpoint_seconds=value, example_tokens=value, packed=False
    ) == (
        f"s.toml: checkpoint_seconds is out of range: got {value!r}, want at least 1e-12 (seconds that a "
        "checkpoint stops the run). Correct the number.\n"
        f"s.toml: example_tokens is out of range: got {value!r}, want at least 1e-12 and at most 1e+09 (mean tokens of "
        "a training example, blank where every sequence is full). Correct the number."
    )
