"""How one function is spelled in a file, by the add-in that will compute it there.

The same function has another stored name in each host, and a host does not recognise another's spelling: filling
therefore takes a `target`, and calculation reads them all.
"""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Literal, get_args

Target = Literal["classic", "office-js", "libreoffice"]
TARGETS: tuple[Target, ...] = get_args(Target)
# What stands before the plain name. Classic is the .xlam on Windows; Office.js serves xlwings Lite and Server.
PREFIXES: dict[Target, str] = {"classic": "", "office-js": "_xldudf_NS_", "libreoffice": "SIZEBOOK."}
# Spellings met in files besides those: xlwings' own namespaces, .xll add-ins, macros, a workbook linked by number.
_KNOWN = re.compile(
    r"^(?:\[\d+\]!|'[^']*'!)?(?:_xldudf_(?:[A-Za-z]+_)??|_xll\.|_xludf\.|SIZEBOOK\.)?(?=[^\W\d])", re.IGNORECASE
)


def plain_name(spelling: str, known: Container[str]) -> str | None:
    """Return the registry's name for a spelling in any target, or None when no known function is meant."""
    upper = spelling.upper()
    if upper in known:
        return upper
    bare = _KNOWN.sub("", spelling).upper()
    # The namespace of Office.js is the add-in's choice and may itself hold underscores: drop words from the left.
    while bare:
        if bare in known:
            return bare
        if not upper.startswith("_XLDUDF_"):
            return None
        bare = bare.partition("_")[2]
    return None


def spelled(name: str, target: Target) -> str:
    """Return a registry name as a file for that target stores it."""
    return PREFIXES[target] + name
