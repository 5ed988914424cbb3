"""What to know before the figures of a training plan are used: the same in its text, its JSON and its report."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from sizebook.plans.training.plan import unchecked_plan
from sizebook.plans.training.remarks import warnings
from sizebook.reports.training.report import report
from tests.commands import plan_printed
from tests.plans.training.training_runs import run_of
from tests.row_lists import listed

PRICE = {"price_usd_per_gpu_hour": 2.0}
PRICED = (
    "Price of a GPU-hour: price given in the scenario, USD.",
    "The range of cost covers how fast the GPUs are. The price of a GPU-hour is taken as certain.",
)
QLORA: dict[str, Any] = {
    **PRICE, "gpus": 1, "tokens": 3e7, "seq": 2048, "batch": 16, "tuning": "qlora", "stack": "torchtune", "tp": 1,
    "programme_factor": 1.0,
}  # fmt: skip
DENSE: dict[str, Any] = {
    **PRICE, "gpus": 64, "tokens": 1e12, "batch": 512, "seq": 4096, "stack": "fsdp", "zero_stage": 3,
}  # fmt: skip


def told(model: str, gpu: str, **given: Any) -> tuple[str, ...]:
    *said, price, spread = warnings(unchecked_plan(run_of(model, gpu, **given)))
    assert (price, spread) == PRICED
    return tuple(said)


def test_a_gpu_that_the_cache_fills_is_said_to_be_full() -> None:
    """70B in 4 bits on an L40S: what is live leaves 2.97 GiB of the 3.3 that 8 % for the allocator would take."""
    plan = unchecked_plan(run_of("llama-3.1-70b", "l40s", **QLORA))
    assert plan.fits and plan.room_bytes == 0
    live = plan.fullest.total - plan.fullest.fragmentation - plan.fullest.context
    assert plan.fullest.fragmentation < 0.08 * live
    assert warnings(plan) == (
        f"The fullest GPU has no memory left: {plan.fullest.fragmentation / 2**30:.2f}\u00a0GiB of it is cache, less "
        "than the allocator usually keeps. A longer sequence may not fit.",
        *PRICED,
    )


@pytest.mark.parametrize(*listed("plans/training", "test_what_is_to_know_is_said"))
def test_what_is_to_know_is_said(given: dict[str, Any], said: list[str]) -> None:
    assert list(told("llama-3.1-8b", "h200-sxm", **{**DENSE, **given})) == said


def test_a_sequence_beyond_the_context_is_said() -> None:
    said = told("llama-2-7b", "h200-sxm", **{**DENSE, "seq": 16384, "batch": 128})
    assert said == ("16\u202f384 tokens a sequence are more than the 4\u202f096 that the model states.",)


@pytest.mark.parametrize(
    ("batch", "tokens", "said"),
    [
        (
            4_000_000,
            15e12,
            "16 384 000 000 tokens (4 000 000 sequences of 4 096) is unusually large for a run of 15 000 000 000 000",
        ),
        (512, 15, "2 097 152 tokens (512 sequences of 4 096) is unusually large for a run of 15"),
    ],
)
def test_a_step_of_tokens_typed_for_sequences_is_said(batch: int, tokens: float, said: str) -> None:
    """A batch of 4M tokens typed as 4M sequences, and 15 typed for 15T: the plan was printed as any other."""
    found = told("llama-3.1-8b", "h200-sxm", **{**DENSE, "batch": batch, "tokens": tokens})
    assert [each.replace("\u202f", " ") for each in found if "step" in each] == [
        f"A step of {said}: batch counts sequences, tokens the whole run."
    ]


def test_text_json_and_report_say_the_same(tmp_path: Path) -> None:
    run = {"plan": "training", "model": "llama-3.1-70b", "gpu": "l40s", **QLORA, "example_tokens": 700, "packed": False}
    data, text = plan_printed(run, tmp_path)
    plan = unchecked_plan(run_of("llama-3.1-70b", "l40s", **QLORA, example_tokens=700, packed=False))
    assert data["warnings"] == list(warnings(plan)) == list(report(plan, date(2026, 11, 23)).warnings)
    assert [line.removeprefix("to know     ") for line in text.splitlines() if line.startswith("to know ")] == list(
        warnings(plan)
    )
    assert len(data["warnings"]) == 4
    assert " a GPU, 0\u00a0B free" in text
