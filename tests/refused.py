"""What somebody is told whose call is refused."""

from collections.abc import Callable
from typing import Any

import pytest


def message_of(kind: type[BaseException], call: Callable[..., Any], *given: Any, **named: Any) -> str:
    """Return the whole message of the error, of that kind, that a call must end with."""
    with pytest.raises(kind) as refused:
        call(*given, **named)
    return str(refused.value)
