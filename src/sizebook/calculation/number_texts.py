"""Numbers in texts: 15 digits of them, and no -0, both of which the engine would keep.

Excel shows 15 digits of a number (``1/3&""``, ``LEN(0.1+0.2)``) and knows one zero only (``ROUND(-0.4,0)&""``). What a
text is made of (operands of ``&``, arguments of functions of texts) is therefore handed on as Excel's text of it, and a
criterion as 0 where it is -0.
"""

from collections.abc import Sequence

from sizebook.calculation.callback_names import AS_TEXT, CRITERION, PLACE
from sizebook.calculation.names import NotCalculableError, without_prefixes
from sizebook.calculation.operands import stands_alone
from sizebook.calculation.text_numbers import as_criterion_is_doubtful
from sizebook.calculation.tokens import Token, called_name

# Functions of the engine that make a text of what they are given; those of Python see to it themselves.
_OF_TEXTS = frozenset(
    ("CONCAT", "CLEAN", "EXACT", "LEN", "LENB", "TEXTAFTER", "TEXTBEFORE", "TEXTJOIN", "TRIM", "UNICODE")
)  # fmt: skip
_GIVE_TEXTS = _OF_TEXTS - {"EXACT", "LEN", "LENB", "UNICODE"} | {
    "CHAR", "CONCATENATE", "DOLLAR", "FIXED", "LEFT", "LOWER", "MID", "REPLACE", "REPT", "RIGHT", "ROMAN", "SUBSTITUTE",
    "T", "TEXT", "UNICHAR", "UPPER", "ADDRESS",
}  # fmt: skip
_COMPARES = ("=", "<", ">")


def makes_texts(name: str) -> bool:
    """Return whether a function of the engine makes texts of its arguments."""
    return name in _OF_TEXTS


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


def as_criterion(tokens: Sequence[Token], written: str) -> str:
    """Return a criterion, given as it is and as it is rewritten, such that it gives 0 in place of -0.

    One that is worked out and in error is refused: Excel seeks that error, the engine shows it.
    """
    if len(tokens) == 1 and tokens[0].kind == "text" and as_criterion_is_doubtful(tokens[0].text[1:-1]):
        raise NotCalculableError(f"Excel may read the criterion {tokens[0].text} as a number")
    if not tokens or not written or (len(tokens) == 1 and _is_written_out(tokens[0])):
        return written
    return f"{CRITERION}({PLACE},{written})"


def as_text(tokens: Sequence[Token], written: str) -> str:
    """Return an operand of a text, given as it is and as it is rewritten, such that numbers read as in Excel."""
    if not tokens or not written or len(operands(tokens)) > 1:
        return written  # a text or a truth
    if stands_alone(tokens) and (_is_written_out(tokens[0]) or gives_text(tokens[0])):
        return written
    return f"{AS_TEXT}({written})"


def _is_written_out(token: Token) -> bool:
    return token.kind in ("text", "number", "error", "array")


def gives_text(token: Token) -> bool:
    """Return whether a token begins a call of a function that gives a text."""
    return token.kind == "call" and without_prefixes(called_name(token)).upper() in _GIVE_TEXTS
