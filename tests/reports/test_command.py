"""`sizebook report` as its user runs it."""

from pathlib import Path

import pypdf
import pytest

from sizebook.core.errors import SizebookError
from sizebook.reports.render import report_date
from tests.commands import run


def _run(scenario: str, folder: Path) -> tuple[int, Exception | None]:
    path = folder / "scenario.toml"
    path.write_text(scenario, encoding="utf-8")
    done = run("report", path, "-o", folder / "out.pdf")
    return done.exit_code, done.exception if isinstance(done.exception, SizebookError) else None


def test_report_of_a_catalogued_model(tmp_path: Path) -> None:
    code, problem = _run('model = "gpt-2"\ndtype = "fp16"\nas_of = 2026-11-21\n', tmp_path)
    assert (code, problem) == (0, None)
    text = " ".join(pypdf.PdfReader(tmp_path / "out.pdf").pages[0].extract_text().split())
    # Radford et al.'s largest: 1 557 611 200 parameters, the known count of the checkpoint.
    assert "holds 1 557 611 200 parameters" in text
    assert "21 November 2026" in text


def test_wrong_scenario_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    _, problem = _run('model = "gpt-2"\ndtyp = "fp16"\n', tmp_path)
    assert str(problem) == (
        "scenario.toml: unknown key: got 'dtyp', want 'dtype', or one of 6 others. 'sizebook scenario template "
        "sizing' lists them."
    )
    assert not (tmp_path / "out.pdf").exists()


def test_date_is_the_given_one_or_that_of_the_build(monkeypatch: pytest.MonkeyPatch, as_of: object) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert report_date().isoformat() == "2023-11-14"
    assert report_date(as_of) == as_of  # type: ignore[arg-type]
