"""Rows of measured training runs: what a row that leaves its micro-batch open is read as."""

from __future__ import annotations

from pathlib import Path

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


@pytest.mark.parametrize("name", ["training", "training_memory", "fine_tuning"])
def test_without_the_shared_table_nothing_is_written(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calibration("training_measured"), "SHARED", tmp_path / "shared/truth/training/measured.csv")
    monkeypatch.setattr("sys.argv", [name])
    with pytest.raises(SystemExit) as ended:
        calibration(name).main()
    assert ended.value.code == (
        "measured runs missing: got no shared/truth/training/measured.csv beside the repository, want the table that "
        "the shipped figures were made from. Put the folder there; the tables stay as they are."
    )
