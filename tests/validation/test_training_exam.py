"""Published runs that no fit has seen: every one is planned and fits, and the page says what the plan does."""

from pathlib import Path
from statistics import mean

from tests.conftest import calibration

PAGE = Path(__file__).parents[2] / "docs" / "training_exam_table.md"


def test_the_page_says_what_the_plan_does_and_every_run_fits() -> None:
    """Who refuses a run that was run, or says that it does not fit, is wrong whatever the time it gives."""
    script = calibration("training_exam")
    found = script.exam()
    assert PAGE.read_text(encoding="utf-8") == script.page(found)
    assert len(found) > 250
    assert all(each.fits for each in found)
    assert mean(abs(each.error) for each in found) < 0.125
    assert [sum(each.mended == kind for each in found) for kind in ("", "time", "memory")] == [216, 46, 0]


def test_no_run_of_the_exam_is_learnt_from() -> None:
    """A row that the fit holds too would examine nothing."""
    exam = calibration("training_measured").read_csv(Path(calibration("training_exam").HERE) / "training_exam.csv")
    runs = calibration("training_measured").read_csv(Path(calibration("training_exam").HERE) / "training_runs.csv")
    names = ("model", "gpu", "gpus", "seq", "batch", "dtype", "tp", "pp", "cp", "ep")
    learnt = {tuple(row[name] for name in names) for row in runs}
    assert not [row["id"] for row in exam if tuple(row[name] for name in names) in learnt]
