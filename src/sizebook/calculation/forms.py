"""Forms of a call that the engine gets wrong though it knows the function: references in R1C1, fields left out."""

from __future__ import annotations

from collections.abc import Sequence

from sizebook.calculation.names import NotCalculableError
from sizebook.calculation.tokens import Token

_A1 = ("TRUE", "TRUE()", "1")
_MAY_LACK_A_FIELD = ("DCOUNT", "DCOUNTA")


def refuse_form(name: str, parts: Sequence[Sequence[Token]]) -> None:
    """Raise for a call in a form that is not calculated."""
    if len(parts) < 2:
        return
    second = "".join(token.text for token in parts[1]).strip().upper()
    if name == "INDIRECT" and second not in _A1:
        raise NotCalculableError("INDIRECT of a text in the style R1C1 is not calculated here")
    if name in _MAY_LACK_A_FIELD and not second:
        raise NotCalculableError(f"{name} of all fields is not calculated here")
