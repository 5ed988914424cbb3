"""What the classes of model types give to keys that a file leaves out: sizes, and whole sections.

Whoever loads such a file gets them, so the count follows them and says so in a note. ``data/type_defaults.csv`` holds
them as read from the configuration classes; ``tests/models/type_defaults.py`` writes it anew.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from sizebook.core.tables import by_key


def type_defaults(model_type: object) -> dict[str, Any]:
    """Return what the class of a model type gives to sizes and to whole sections which a file may leave out."""
    return _defaults(model_type) if isinstance(model_type, str) else {}


@cache
def _defaults(model_type: str) -> dict[str, Any]:
    row = by_key("type_defaults", "model_type").get(model_type)
    return json.loads(row["defaults"]) if row else {}
