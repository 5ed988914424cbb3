"""The folders that travel with the package are found."""

from pathlib import Path

import pytest

from sizebook.sources import bundled
from tests.refused import message_of


def test_checkout_folder_is_the_top_level_one() -> None:
    assert bundled.bundled("templates") == Path(__file__).resolve().parents[2] / "templates"


def test_wheel_folder_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    inside = tmp_path / "lib" / "sizebook" / "_bundled" / "templates"
    inside.mkdir(parents=True)
    monkeypatch.setattr(bundled, "_PACKAGE", tmp_path / "lib" / "sizebook")
    assert bundled.bundled("templates") == inside


def test_absent_folder_is_an_error_that_says_where(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    package = tmp_path / "lib" / "site" / "sizebook"
    monkeypatch.setattr(bundled, "_PACKAGE", package)
    assert message_of(FileNotFoundError, bundled.bundled, "workbooks") == (
        f"missing folder: got no 'workbooks' in {package} nor beside its source, want one. Reinstall sizebook."
    )
