"""Rows of measured training runs: what a row that leaves its micro-batch open is read as."""

from __future__ import annotations

import pytest

from tests.conftest import calibration

ROW = {"gpus": "512", "batch": "256", "tp": "8", "pp": "8", "cp": "1", "micro_batch": "1", "flags": ""}


@pytest.mark.parametrize(
    ("changed", "sequences"),
    [
        ({}, "1"),
        ({"micro_batch": ""}, "1"),
        # 256 sequences over 8 pipelines are 32 each, in as many micro-batches as there are stages.
        ({"flags": "micro_batch_assumed"}, "4"),
        ({"flags": "micro_batch_assumed", "batch": "64"}, "1"),
        ({"flags": "micro_batch_assumed", "batch": "8", "cp": "8"}, "1"),
        ({"flags": "micro_batch_assumed", "pp": "1", "micro_batch": "2"}, "2"),
    ],
)
def test_an_assumed_micro_batch_is_a_pipelines_batch_over_its_stages(changed: dict[str, str], sequences: str) -> None:
    assert calibration("training_measured").micro_batch_of({**ROW, **changed}) == sequences
