"""Every quantity that divides takes no value that makes figures which no number holds."""

import math
from pathlib import Path
from typing import Any

import pytest

from sizebook.batch.plan_kinds import plan_scenario
from sizebook.core.errors import InputError, SizebookError
from sizebook.core.sections import SMALLEST
from sizebook.scenarios.kinds import quantities

PLANS: dict[str, dict[str, Any]] = {
    "training": {"gpus": 64, "tokens": 1e12, "batch": 1024, "seq": 4096},
    "serving": {"requests_per_day": 1e5, "input_tokens": 2000, "output_tokens": 300},
}
# What a quantity is not asked for without.
WITH: dict[str, dict[str, Any]] = {
    "example_tokens": {"packed": False},
    "dispersion": {"request_percentile": 0.9, "ttft_target_seconds": 10},
    "transfer_bytes_per_second": {"separate_prefill": True},
    "years": {"owned": {"usd": 1e6}},
}
DIVISORS = [(plan, key) for plan in PLANS for key, found in quantities(plan).items() if found.above == 0]


def planned(plan: str, **given: Any) -> Any:
    base = {"plan": plan, "as_of": "2026-11-21", "model": "llama-3.1-8b", "gpu": "h100-sxm"}
    return plan_scenario({**base, **PLANS[plan], **given}, "s.toml", Path())


@pytest.mark.parametrize(("plan", "key"), DIVISORS)
def test_the_smallest_value_gives_figures_or_a_reason(plan: str, key: str) -> None:
    try:
        made = planned(plan, **{key: SMALLEST}, **WITH.get(key, {}))
        figures = made.contents.figures
    except SizebookError:
        return
    assert [each.name for each in figures if isinstance(each.value, float) and math.isinf(each.value)] == []


@pytest.mark.parametrize("value", [5e-324, 1e-300, 9.9e-13])
def test_a_smaller_one_is_refused(value: float) -> None:
    with pytest.raises(InputError) as refused:
        planned("training", checkpoint_seconds=value, example_tokens=value, packed=False)
    assert str(refused.value) == (
        f"s.toml: checkpoint_seconds is out of range: got {value!r}, want at least 1e-12 (seconds that a "
        "checkpoint stops the run). Correct the number.\n"
        f"s.toml: example_tokens is out of range: got {value!r}, want at least 1e-12 and at most 1e+09 (mean tokens of "
        "a training example, blank where every sequence is full). Correct the number."
    )
