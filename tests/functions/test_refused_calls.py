"""What functions refuse, word for word, and the error that a cell shows for it."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.functions import load

load()
CALLS = tomllib.loads(Path(__file__).with_name("refused_calls.toml").read_text(encoding="utf-8"))["calls"]


@pytest.mark.parametrize(("function", "cells", "code", "message"), CALLS)
def test_what_is_refused(function: str, cells: list[Any], code: str, message: str) -> None:
    with pytest.raises(SizebookError) as refused:
        call(function, *cells)
    assert (refused.value.code, str(refused.value)) == (code, message)
