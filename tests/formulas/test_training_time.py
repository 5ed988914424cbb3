"""Time, failures, deadlines: the papers' examples and limits that can be worked out by hand."""

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.formulas.training_time import (
    checkpoint_interval_seconds,
    cluster_mtbf_hours,
    goodput,
    gpus_for_deadline,
    train_days,
)
from sizebook.functions import load
from tests.refused import message_of
from tests.row_lists import listed

load()


def test_llama_3_reports_above_90_per_cent_effective_time() -> None:
    assert goodput(cluster_mtbf_hours(16_384), checkpoint_seconds=10, restart_seconds=300) > 0.9


def test_no_other_interval_does_better() -> None:
    best = checkpoint_interval_seconds(3, 60)
    at_best = goodput(3, 60, 300)
    for factor in (0.5, 0.9, 1.1, 2):
        assert goodput(3, 60, 300, best * factor) < at_best + 2e-4


def test_gpus_for_a_deadline_meet_it_and_one_fewer_does_not() -> None:
    gpus = gpus_for_deadline(6.3e23, 30, 989.4e12, 0.4)
    assert train_days(6.3e23, gpus, 989.4e12, 0.4) <= 30 < train_days(6.3e23, gpus - 1, 989.4e12, 0.4)


@pytest.mark.parametrize(*listed("formulas", "test_a_run_that_never_advances_says_what_takes_longest"))
def test_a_run_that_never_advances_says_what_takes_longest(given: dict[str, float], said: str) -> None:
    cells = [given.get(name) for name in ("checkpoint_seconds", "restart_seconds", "interval_seconds")]
    assert message_of(SizebookError, call, "GOODPUT", 10, *cells) == (
        f"the run never advances: got a failure every 3.6e+04 s, {said}, or use fewer GPUs."
    )
