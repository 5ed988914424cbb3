"""Scripts of `calibration/`: what they are for is said, and what they do not know starts nothing."""

import sys

import pytest

from tests.conftest import ROOT, calibration

SCRIPTS = sorted(
    path.stem for path in (ROOT / "calibration").glob("*.py") if "__main__" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", SCRIPTS)
def test_help_says_what_a_script_does_and_a_slip_starts_no_fit(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = calibration(name)
    for word, code in (("--help", 0), ("--qiuck", 2)):
        monkeypatch.setattr(sys, "argv", [name, word])
        with pytest.raises(SystemExit) as ended:
            script.main()
        assert ended.value.code == code
    assert str(script.__doc__).splitlines()[0] in capsys.readouterr().out
