"""Commands as somebody types them, run in this process or in one of their own."""

import json
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from tomli_w import dumps

from sizebook.cli import app

_PLANS = {"serving": "serve", "training": "train"}  # commands that are not called as their plan is


def run(*words: object, **environment: str) -> Result:
    """Return what a command printed and how it ended; an error that it raised is in there too."""
    return CliRunner(env=environment).invoke(app, [*map(str, words)])


def python(*words: object, **how: Any) -> subprocess.CompletedProcess[str]:
    """Return what a Python of its own printed and how it ended."""
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, check=False, **how)


def plan_printed(scenario: str | Mapping[str, Any], folder: Path) -> tuple[dict[str, Any], str]:
    """Return what the command of its plan prints of a scenario, TOML or its keys: as JSON and as text."""
    path = folder / "scenario.toml"
    path.write_text(scenario if isinstance(scenario, str) else dumps(scenario), encoding="utf-8")
    plan = tomllib.loads(path.read_text(encoding="utf-8"))["plan"]
    words = ["plan", _PLANS.get(plan, plan), str(path)]
    told = [CliRunner().invoke(app, [*words, *options], catch_exceptions=False) for options in (["--json"], [])]
    assert [each.exit_code for each in told] == [0, 0], told[0].output
    return json.loads(told[0].stdout), told[1].stdout
