"""Caches results of a function by model: for good where the catalog describes it, until its files change where a path
does. Whether a cell may read the files is asked each time.
"""

from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

from sizebook.intake.allowed_files import located
from sizebook.models import catalog
from sizebook.models.checkpoints.contents import state_at

MOST = 1024  # results of one function

Function = TypeVar("Function", bound=Callable[..., Any])


def cached_by_model(function: Function) -> Function:
    """Cache what a function returns for the same arguments, of which the first is a model, until that model changes."""

    @lru_cache(maxsize=MOST)
    def cached(model: str, _state: object, *rest: Any, **named: Any) -> Any:
        return function(model, *rest, **named)

    @wraps(function)
    def wrapper(model: str, *rest: Any, **named: Any) -> Any:
        return cached(model, state_of(model), *rest, **named)

    return cast(Function, wrapper)


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
