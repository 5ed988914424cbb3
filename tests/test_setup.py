"""Set-up refuses before it does anything, in one message that names what is missing; else it says where it is."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.row_lists import listed

ROOT = Path(__file__).resolve().parents[1]
DEMO = "libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0"
OFFICE = "libreoffice-calc python3-uno libreoffice-script-provider-python"
TEST = f"{DEMO} {OFFICE} poppler-utils fonts-dejavu-core chromium gnumeric"


@pytest.mark.parametrize(("purpose", "packages"), [("demo", DEMO), ("test", TEST)])
def test_without_root_missing_packages_are_named_and_nothing_is_done(
    tmp_path: Path, purpose: str, packages: str
) -> None:
    checkout = tmp_path / "checkout"
    (checkout / ".ci").mkdir(parents=True)
    (checkout / ".ci" / "setup").write_bytes((ROOT / ".ci" / "setup").read_bytes())
    done = run_setup(checkout, purpose, {"dpkg-query": "exit 1", "id": "echo 1000", "npm": ""})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"system packages missing: got none of {packages}, want them installed. As root run: "
        f"apt-get install --no-install-recommends {packages} (on other systems, what corresponds).\n"
    )
    assert [path.name for path in checkout.iterdir()] == [".ci"]


INTO_ENVIRONMENT = r"""[ "$2" != venv ] || { mkdir -p .venv/bin; cd .venv/bin
printf '#!/bin/sh\necho "$*" >>asked\n' >python; chmod +x python; }"""


@pytest.mark.parametrize(*listed(".", "test_the_demo_installs_what_it_needs_and_the_tests_the_rest"))
def test_the_demo_installs_what_it_needs_and_the_tests_the_rest(
    tmp_path: Path, purpose: str, said: list[str], asked: list[str], stamps: list[str]
) -> None:
    checkout = tmp_path / "checkout"
    (checkout / ".ci").mkdir(parents=True)
    (checkout / ".ci" / "setup").write_bytes((ROOT / ".ci" / "setup").read_bytes())
    done = run_setup(
        checkout, purpose, {"dpkg-query": "echo install ok installed", "npm": "", "python3": INTO_ENVIRONMENT}
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [f"Set-up: {line}" for line in said]
    assert (checkout / "asked").read_text().splitlines() == [f"-m pip {line}" for line in asked]
    assert sorted(path.name for path in (checkout / ".venv").iterdir() if path.is_file()) == stamps


def run_setup(checkout: Path, purpose: str, stand_ins: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run the set-up with some programs replaced by one-line scripts."""
    programs = checkout.parent / "programs"
    programs.mkdir()
    for name, line in stand_ins.items():
        (programs / name).write_text(f"#!/bin/sh\n{line}\n")
        (programs / name).chmod(0o755)
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    return subprocess.run(
        ["bash", ".ci/setup", purpose],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path},
    )
