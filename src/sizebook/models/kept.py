"""Results kept by the model that they are of: for good where the catalog describes it, until its files change where a
path does. Whether a cell may read them is asked each time, kept or not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from sizebook.intake.allowed_files import located
from sizebook.models import catalog
from sizebook.models.checkpoints.held import state_at

MOST = 1024  # results of one function

Asked = TypeVar("Asked", bound=Callable[..., Any])


def kept(function: Asked) -> Asked:
    """Keep what a function of a model, its first argument, returns for the same others while the model is the same."""

    @lru_cache(maxsize=MOST)
    def once(model: str, _state: object, *rest: Any, **named: Any) -> Any:
        return function(model, *rest, **named)

    @wraps(function)
    def asked(model: str, *rest: Any, **named: Any) -> Any:
        return once(model, state_of(model), *rest, **named)

    return cast(Asked, asked)


def state_of(model: str) -> object:
    """Return what changes when the files change that describe a model; None for a model of the catalog."""
    if not catalog.is_file(model):
        return None
    if catalog.is_checkpoint(model):
        return state_at(Path(model))
    path = located(Path(model))
    try:
        found = path.stat()
    except OSError:  # reading it says why
        return path
    return path, found.st_size, found.st_mtime_ns
