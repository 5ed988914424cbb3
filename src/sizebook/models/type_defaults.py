"""What the classes of model types give to keys that a file leaves out: sizes, and whole sections.

Whoever loads such a file gets them, so the count follows them and says so in a note. ``data/type_defaults.csv`` holds
them as read from the configuration classes; ``tests/models/type_defaults.py`` writes it anew.
"""

import json
from functools import cache
from typing import Any

from sizebook.core.tables import by_key


def type_defaults(model_type: object) -> dict[str, Any]:
    """Return what the class of a model type gives to sizes and to whole sections which a file may leave out."""
    return _defaults(model_type) if isinstance(model_type, str) else {}


def section_defaults(of_whole: object, key: str, section: dict[str, Any]) -> dict[str, Any]:
    """Return what classes give to what a section leaves out: that of its type, and before it that of the whole.

    A section that says no type, or one that no class has, is of the type that the class of the whole builds there;
    where that has no name, it is given what that class builds. Rows named after the whole and its section
    (``voxtral.text_config``) hold what the class of the whole puts in before the section's own class sees it.
    """
    built = type_defaults(of_whole).get(key, {})
    put_in = type_defaults(f"{of_whole}.{key}")
    said = section.get("model_type")
    named = said if said != of_whole and type_defaults(said) else (built or put_in).get("model_type")
    own = type_defaults(named) or built
    return {**own, **put_in}


@cache
def _defaults(model_type: str) -> dict[str, Any]:
    row = by_key("type_defaults", "model_type").get(model_type)
    return json.loads(row["defaults"]) if row else {}
