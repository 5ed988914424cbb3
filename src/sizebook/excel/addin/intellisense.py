"""Help while typing: the descriptions that Excel-DNA IntelliSense, where it is installed, shows beside the cell.

It reads them from a part of the add-in's file (https://github.com/Excel-DNA/IntelliSense).
"""

from html import escape

from sizebook.core.registry import Function
from sizebook.core.wizard import argument_help, help_url
from sizebook.functions import load

NAMESPACE = "http://schemas.excel-dna.net/intellisense/1.0"


def intellisense() -> str:
    """Return the descriptions of all functions and arguments."""
    described = "".join(map(_function, load().values()))
    return f'<IntelliSense xmlns="{NAMESPACE}"><FunctionInfo>{described}</FunctionInfo></IntelliSense>'


def _function(function: Function) -> str:
    arguments = "".join(
        f'<Argument Name="{a.name}" Description="{escape(argument_help(a))}"/>' for a in function.arguments
    )
    return (
        f'<Function Name="{function.name}" Description="{escape(function.summary)}" '
        f'HelpTopic="{escape(help_url(function))}">{arguments}</Function>'
    )
