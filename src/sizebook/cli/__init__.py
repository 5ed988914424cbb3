"""The command line: `sizebook COMMAND`. A command's module is imported only when that command runs.

An error is one message on standard error and exit code 2; a batch or check that found failures exits with 1.
Click, not Typer: Typer imports pydantic at every start, which made `sizebook call` three times as slow.
"""

import io
import os
import sys

import click

from sizebook import __version__
from sizebook.cli.exit_handling import handle_signals, skip_last_garbage_collection
from sizebook.cli.lazy import LazyGroup
from sizebook.cli.messages import print_error
from sizebook.cli.shell_completion import COMPLETING, complete_in_bash
from sizebook.core.errors import SizebookError, shortened

REPORT_AT = "https://github.com/sizebook/sizebook/issues"
DEBUG = "SIZEBOOK_DEBUG"

# Command -> module of this package and the click command (or group) in it.
COMMANDS = {
    "functions": "functions:list_functions",
    "call": "functions:call_function",
    "count": "count:count_model",
    "fill": "fill:fill_workbook",
    "batch": "batch:batch",
    "calibrate": "calibrate:calibrate_rates",
    "demo": "batch:demo",
    "data": "data:data",
    "plan": "plan:plan",
    "models": "models:list_models",
    "dashboard": "dashboard:dashboard",
    "reconcile": "models:write_reconciliation",
    "sweep": "sweep:sweep_table",
    "inspect": "inspect_output:inspect_output",
    "watch": "watch:watch_plans",
    "store": "store:store",
    "actuals": "actuals:actuals",
    "bridge": "bridge:bridge_plans",
    "report": "report:write_report",
    "scenario": "scenario:scenario",
    "template": "templates:template",
    "validate": "validate:validate_published",
    "verify": "verify:verify_checkpoint",
    "excel": "excel:excel",
    "libreoffice": "libreoffice:libreoffice",
    "web": "web:web",
    "mcp": "mcp:mcp",
    "completion": "welcome:completion",
}


class _Limit(click.Option):
    """An option whose help lists every limit; the limits load only when the help is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from sizebook.intake.limits import limits_in_words

        listed = "; ".join(f"{name}: {said}" for name, said in limits_in_words().items())
        self.help = f"Raise or lower a limit on input files. {listed}"
        return super().get_help_record(ctx)


@click.group(cls=LazyGroup, places=COMMANDS, invoke_without_command=True)
@click.version_option(__version__, prog_name="sizebook")
@click.option(
    "--limit",
    "stated",
    cls=_Limit,
    multiple=True,
    metavar="NAME=N",
)
@click.option("--force", is_flag=True, help="Replace a link that stands at an output path; else it is refused.")
@click.option("--debug", is_flag=True, help=f"Show the traceback of an unexpected problem; also {DEBUG}=1.")
@click.pass_context
def app(context: click.Context, stated: tuple[str, ...], force: bool, debug: bool) -> None:
    """Size transformer models: parameters, memory, compute, GPUs, money, energy and carbon."""
    for setting in stated:
        from sizebook.intake.limits import state

        state(setting)
    if force:
        from sizebook.sources.writing import FORCE

        os.environ[FORCE] = "1"
    if debug:
        os.environ[DEBUG] = "1"
    if context.invoked_subcommand is None:
        from sizebook.cli.welcome import welcome

        click.echo(welcome("sizebook", __version__))


def main() -> None:
    """Run the command line; the entry point of the package."""
    handle_signals()
    skip_last_garbage_collection()
    if COMPLETING in os.environ:
        complete_in_bash()
    try:
        # Errors of click itself come here too, so that every error looks the same.
        code = app(standalone_mode=False)
    except SizebookError as error:
        print_error(f"sizebook: {error}")
        sys.exit(2)
    except click.ClickException as error:
        written = io.StringIO()
        error.show(written)
        print_error(written.getvalue().rstrip("\n"))
        sys.exit(error.exit_code)
    except click.Abort:
        print_error("Aborted!")
        sys.exit(1)
    except (SystemExit, KeyboardInterrupt):
        raise
    except MemoryError:
        print_error(
            "sizebook: out of memory: got no more from the system, want enough. Ask for less, or raise 'ulimit -v'."
        )
        sys.exit(2)
    except BaseException as error:  # panics of Rust libraries do not derive from Exception
        if os.environ.get(DEBUG):
            raise
        print_error(f"sizebook: {unexpected(error)}")
        sys.exit(2)
    if isinstance(code, int):
        sys.exit(code)


def unexpected(error: BaseException) -> str:
    """Return the message for an unexpected problem, a defect of sizebook: one line that says how to report it."""
    import traceback  # only a defect needs it
    from pathlib import Path

    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "sizebook" in Path(frame.filename).parts]
    place = f" in {Path(frames[-1].filename).name}, line {frames[-1].lineno}" if frames else ""
    said = " ".join(str(error).split())[:200] or "no message"
    return shortened(
        f"unexpected problem: got {type(error).__name__}: {said}{place}, want a result or a refusal that says why. "
        f"Report it at {REPORT_AT} with what {DEBUG}=1 shows."
    )
