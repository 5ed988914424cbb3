"""Rows of measured training runs: what a row that leaves its micro-batch open is read as."""

from pathlib import Path

import pytest

from tests.conftest import calibration
from tests.row_lists import listed

ROW = {"gpus": "512", "batch": "256", "tp": "8", "pp": "8", "cp": "1", "micro_batch": "1", "flags": ""}


@pytest.mark.parametrize(*listed("calibration", "test_an_assumed_micro_batch_is_a_pipelines_batch_over_its_stages"))
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


@pytest.mark.parametrize(*listed("calibration", "test_models_of_the_bundled_table_have_the_families_of_the_shared_one"))
def test_models_of_the_bundled_table_have_the_families_of_the_shared_one(model: str, family: str) -> None:
    assert calibration("training_measured").family_of(model) == family


def test_a_run_of_maxtext_takes_the_time_that_its_rate_gives() -> None:
    """16 B on 256 TPU v5e at 120 TFLOP/s a chip, six sequences of 2048 each: 6 N D and whole attention, 12 s h d L a
    token; N of 32 layers of 5120 with 32 heads of 256 and 32,768 inside, and a table of 32,768."""
    runs = [run for run in calibration("training_measured").bundled() if run.source == "maxtext"]
    found = next(run for run in runs if run.group == "maxtext tpu-v5e fsdp")
    n = 32 * (4 * 5120 * 32 * 256 + 2 * 5120 * 32_768) + 32_768 * 5120
    per_token = 6 * n + 12 * 2048 * 32 * 256 * 32
    assert found.seconds == pytest.approx(6 * 2048 * per_token / 120e12, rel=1e-4)
    assert found.work.layout.fsdp == 256
    assert len(runs) == 46
