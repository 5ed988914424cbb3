"""What a table does not hold is refused with what it does hold, or where else the figure stands."""

import tomllib
from pathlib import Path

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import UnknownKeyError
from sizebook.functions import load

load()
CALLS = tomllib.loads(Path(__file__).with_name("refused_calls.toml").read_text(encoding="utf-8"))["calls"]


@pytest.mark.parametrize(("function", "cells", "message"), CALLS)
def test_what_a_table_does_not_hold_is_refused(function: str, cells: list[str], message: str) -> None:
    with pytest.raises(UnknownKeyError) as refused:
        call(function, *cells)
    assert str(refused.value) == message
