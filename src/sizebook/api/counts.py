"""``sb.count``: the exact parameters of a model, of a config.json that is given as a file or as a dict."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sizebook.models import counting, huggingface
from sizebook.models.config import Config
from sizebook.sources.model_sources import source_of


@dataclass(frozen=True)
class ModelCount(counting.Count):
    """The parameters of a model and the notes on them: what the file leaves out and what stands for it."""

    notes: tuple[str, ...] = ()


def count(model: str | Path | Mapping[str, Any]) -> ModelCount:
    """Return the exact parameter count of a model: ``total``, ``active``, ``parts`` and ``notes``.

    ``model`` is a key of the catalog, the path of a config.json or of a folder with one, a repository of the Hub, or
    the content of a config.json as a dict. Errors: those of ``sizebook count``.
    """
    config = Config(dict(model), "config") if isinstance(model, Mapping) else source_of(str(model)).config
    described = huggingface.architecture(config)
    return ModelCount(**vars(counting.count(described)), notes=tuple(described.notes))
