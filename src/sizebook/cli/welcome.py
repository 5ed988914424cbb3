"""The welcome text of `sizebook` without a command, and `sizebook completion` for shells."""

import click
from click.shell_completion import get_completion_class

from sizebook.cli.shell_completion import COMPLETING, names_of
from sizebook.core.hints import unknown_key

# First steps: the purpose and the command.
FIRST = (
    ("Count a model of your own, exactly", "sizebook count path/to/config.json"),
    ("See every published model beside it", "sizebook dashboard -o models.html"),
    ("Work out one figure as a cell would", "sizebook call PARAMS_MODEL llama-3.1-70b"),
    ("Plan GPUs for your traffic", "sizebook plan serve scenario.toml"),
    ("Fill a workbook and render a report", "sizebook demo"),
)
SHELLS = ("bash", "zsh", "fish")


def welcome(program: str, version: str) -> str:
    """Return five first steps, and where to find all commands and functions."""
    width = max(len(what) for what, _ in FIRST)
    lines = [f"{program} {version}: parameters, memory, GPUs, money and carbon of transformer models.", ""]
    lines += [f"  {what:{width}}  {command}" for what, command in FIRST]
    return "\n".join([*lines, "", "Every command: sizebook --help. Every function: sizebook functions."])


@click.command("completion")
@click.argument("shell", shell_complete=names_of(lambda: SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the script that completes commands and options in SHELL: bash, zsh or fish.

    \b
    bash:  eval "$(sizebook completion bash)"   in ~/.bashrc
    zsh:   eval "$(sizebook completion zsh)"    in ~/.zshrc
    fish:  sizebook completion fish | source    in ~/.config/fish/config.fish
    """
    kind = get_completion_class(shell) if shell in SHELLS else None
    if kind is None:
        raise unknown_key("shell", shell, SHELLS)
    click.echo(kind(context.find_root().command, {}, "sizebook", COMPLETING).source())
