"""How one function is spelled in a file, by the add-in that will compute it there.

The same function has another stored name in each host, and a host does not recognise another's spelling: filling
therefore takes a target, and calculation reads them all.
"""

import re
from collections.abc import Container, Iterator, Mapping, Sequence

from sizebook.calculation.tokens import Token, area, arguments, balanced, closing, tokenize
from sizebook.core.errors import InputError
from sizebook.core.registry import Function
from sizebook.core.targets import AddIn, Target
from sizebook.core.wizard import checked_namespace

# What stands before the plain name. Classic is the .xlam on Windows; Office.js serves xlwings Lite, which has no
# namespace, and xlwings Server, whose manifest names one.
PREFIXES: dict[AddIn, str] = {"classic": "", "office-js": "_xldudf_", "libreoffice": "SIZEBOOK."}
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


def prefix(add_in: AddIn, namespace: str = "") -> str:
    """Return what stands before a function's name in a file for that add-in.

    ``namespace`` is that of the Office.js add-in's manifest, blank where it has none. Errors: see `check_namespace`.
    """
    check_namespace(namespace, add_in)
    return f"{PREFIXES[add_in]}{checked_namespace(namespace)}_" if namespace else PREFIXES[add_in]


def check_namespace(namespace: str, target: Target) -> None:
    """Raise for a namespace that Excel does not take, and for one of a target that knows none."""
    if not namespace:
        return
    if target != "office-js":
        raise InputError(
            f"namespace without Office.js: got '{namespace}' for {target}, want one for office-js only. Leave it out."
        )
    checked_namespace(namespace)


def respelled(formula: str, add_in: AddIn, known: Mapping[str, Function], *, namespace: str = "") -> str:
    """Return a formula with the known functions as the target, and the add-in of that namespace, stores them.

    For LibreOffice a reference to one cell in an optional place becomes a range, ``D1:D1``: Calc hands an empty cell
    over as 0, which would be taken for FALSE or for no positions at all, but an empty cell of a range as empty.
    """
    before, tokens = prefix(add_in, namespace), tokenize(formula)
    calls = {i: name for i, t in enumerate(tokens) if t.kind == "call" and (name := plain_name(t.text[:-1], known))}
    widened: set[int] = set()
    if add_in == "libreoffice" and balanced(tokens):
        widened = {id(token) for i, name in calls.items() for token in _optional_cells(tokens, i, known[name])}
    return "".join(
        f"{before}{calls[i]}(" if i in calls else _as_range(t.text) if id(t) in widened else t.text
        for i, t in enumerate(tokens)
    )


def _optional_cells(tokens: Sequence[Token], opening: int, function: Function) -> Iterator[Token]:
    """Yield the references to a single cell that stand alone in an optional place of a call."""
    given = arguments(tokens, opening, closing(tokens, opening))
    for part, argument in zip(given, function.arguments, strict=False):
        if argument.required or len(part) != 1 or part[0].kind != "reference":
            continue
        place = area(part[0].text, "")
        if place is not None and place.is_cell and ":" not in part[0].text.rpartition("!")[2]:
            yield part[0]


def _as_range(reference: str) -> str:
    return f"{reference}:{reference.rpartition('!')[2]}"
