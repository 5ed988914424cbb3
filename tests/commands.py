"""Commands as somebody types them, run in this process."""

from click.testing import CliRunner, Result

from sizebook.cli import app


def run(*words: object, **environment: str) -> Result:
    """Return what a command printed and how it ended; an error that it raised is in there too."""
    return CliRunner(env=environment).invoke(app, [*map(str, words)])
