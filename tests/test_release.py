"""What a release and its installation state agrees with pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release import audit
from release.lock import LOCK, PIN, asked, of_extra, unmet

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_lock_pins_whatever_is_asked_for() -> None:
    assert unmet() == [], "run: python -m release.lock"


def test_the_lock_holds_pins_and_hashes_and_no_address() -> None:
    line = re.compile(r"[a-z0-9.-]+==\S+( ; [^\\]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?")
    assert [each for each in LOCK.read_text(encoding="utf-8").splitlines() if not line.fullmatch(each)] == []


def test_every_extra_but_torch_has_a_lock() -> None:
    """That of the assistant's extra was missing from a list by hand."""
    assert asked().keys() == PROJECT["optional-dependencies"].keys() - {"torch"}
    for extra in asked():
        lines = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"][extra]]
        declared = {canonicalize_name(Requirement(line).name) for line in lines} - {"sizebook"}
        assert declared <= {canonicalize_name(name) for name, _ in PIN.findall(of_extra(extra))}


def test_no_pin_is_named_by_a_saved_advisory(monkeypatch: pytest.MonkeyPatch) -> None:
    assert audit.hits() == []
    assert re.fullmatch(r"pypa/advisory-database \(CC-BY-4\.0\), commit \w{8} of 20\d\d-\d\d-\d\d", audit.saved()[0])
    monkeypatch.setattr(audit, "pins", lambda: {"jinja2": {"2.11.2", "2.11.3"}})
    assert "jinja2 2.11.2: PYSEC-2021-66" in audit.hits()
    assert "jinja2 2.11.3: PYSEC-2021-66" not in audit.hits()


def test_the_page_lists_the_extras_as_they_are_declared() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|(]+?)(?: \([^|]+)? \|$", page, re.MULTILINE))
    declared = {
        extra: ", ".join(Requirement(line).name for line in lines)
        for extra, lines in PROJECT["optional-dependencies"].items()
        if extra != "all"
    }
    assert rows == declared


def test_every_declared_distribution_has_its_licence_listed() -> None:
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| ([\w-]+) \|", page, re.MULTILINE))
    groups = {"base": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
    lines = [line for name, each in groups.items() if name not in ("torch", "all") for line in each]
    named = {canonicalize_name(Requirement(line).name) for line in lines}
    assert named - listed == set()
