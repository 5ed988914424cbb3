"""Zero has no sign in a text: -0, which the engine keeps of ``-A1`` or ``ROUND(-0.4,0)``, reads as 0 where one is made.

Excel knows one zero only. What a text is made of (operands of ``&``, arguments of functions of texts, criteria) is
therefore handed on as 0 where it is -0; nothing else can tell the two apart.
"""

from __future__ import annotations

from collections.abc import Sequence

from sizebook.calculation.criteria import is_criterion
from sizebook.calculation.known import ARRAY
from sizebook.calculation.marks import ONE_ZERO
from sizebook.calculation.names import without_prefixes
from sizebook.calculation.operands import stands_alone
from sizebook.calculation.tokens import Token, called_name

# Functions of the engine that make a text of what they are given; those of Python see to it themselves.
_OF_TEXTS = frozenset(
    ("CONCAT", "CONCATENATE", "CLEAN", "EXACT", "LEN", "LENB", "NUMBERVALUE", "SEARCH", "TEXTAFTER", "TEXTBEFORE",
     "TEXTJOIN", "TRIM", "UNICODE")
)  # fmt: skip
_GIVE_TEXTS = _OF_TEXTS - {"EXACT", "LEN", "LENB", "NUMBERVALUE", "SEARCH", "UNICODE"} | {
    "CHAR", "DOLLAR", "FIXED", "LEFT", "LOWER", "MID", "PROPER", "REPLACE", "REPT", "RIGHT", "ROMAN", "SUBSTITUTE",
    "T", "TEXT", "UNICHAR", "UPPER", "ADDRESS",
}  # fmt: skip
_COMPARES = ("=", "<", ">")


def makes_text(name: str, number: int) -> bool:
    """Return whether a function of the engine makes a text of its argument of that number, from 0."""
    return name in _OF_TEXTS or is_criterion(name, number)


def operands(tokens: Sequence[Token]) -> list[list[Token]]:
    """Return an expression as its operands of ``&`` and of comparisons, with those signs between them."""
    found: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token.kind in ("call", "open")) - (token.kind == "close")
        if depth == 0 and token.kind == "operator" and token.text in ("&", *_COMPARES):
            found += [[token], []]
        else:
            found[-1].append(token)
    return found


def without_sign(tokens: Sequence[Token], written: str, kind: str) -> str:
    """Return an operand, given as it is and as it is rewritten, such that it gives 0 in place of -0."""
    if not tokens or not written:
        return written
    if tokens[0].text == "+" and written[0] == "+":  # does nothing, to a text either
        return f"+{without_sign(tokens[1:], written[1:], kind)}"
    if len(operands(tokens)) > 1:
        return written  # a text or a truth
    if not stands_alone(tokens) and not any(token.text == ":" for token in tokens):
        return f"{written}+0"  # arithmetic gives a number or an error, and + binds closer than &
    first = tokens[0]
    if first.kind in ("text", "number", "error", "array"):
        return written
    if first.kind == "reference" and kind != ARRAY and ":" not in written and "#" not in written:
        return f"IF(ISNUMBER({written}),{written}+0,{written})"
    if first.kind == "call" and without_prefixes(called_name(first)).upper() in _GIVE_TEXTS:
        return written
    return f"{ONE_ZERO}({written})"
