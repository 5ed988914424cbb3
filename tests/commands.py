"""Commands as somebody types them, run in this process or in one of their own."""

import subprocess
import sys
from typing import Any

from click.testing import CliRunner, Result

from sizebook.cli import app


def run(*words: object, **environment: str) -> Result:
    """Return what a command printed and how it ended; an error that it raised is in there too."""
    return CliRunner(env=environment).invoke(app, [*map(str, words)])


def python(*words: object, **how: Any) -> subprocess.CompletedProcess[str]:
    """Return what a Python of its own printed and how it ended."""
    return subprocess.run([sys.executable, *map(str, words)], capture_output=True, text=True, check=False, **how)
