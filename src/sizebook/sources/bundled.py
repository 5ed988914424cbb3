"""Finds the folders that travel with the package: report templates, planning workbooks and published figures.

A wheel holds them under ``sizebook/_bundled``; a checkout holds them at its top level, where their authors look for
them.
"""

from pathlib import Path
from typing import Literal

_PACKAGE = Path(__file__).resolve().parents[1]


def bundled(folder: Literal["templates", "workbooks", "published"]) -> Path:
    """Return the path of a bundled folder, in an installed wheel or in a checkout.

    Errors: `FileNotFoundError` when neither holds it, which a broken build or a partial checkout would cause.
    """
    beside = "tests/published" if folder == "published" else folder
    for place in (_PACKAGE / "_bundled" / folder, _PACKAGE.parents[1] / beside):
        if place.is_dir():
            return place
    raise FileNotFoundError(
        f"missing folder: got no '{folder}' in {_PACKAGE} nor beside its source, want one. Reinstall sizebook."
    )
