"""The layout of a run: stated fields are kept, and the fastest layout that fits is searched for the others."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from sizebook.core.sections import leaves
from sizebook.plans.training.inputs import Training
from sizebook.plans.training.search import search
from sizebook.training.layout import Layout

DEGREES = frozenset({"tp", "pp", "dp", "cp", "ep"})


def fixed_fields(layout: Layout, stated: Collection[str]) -> dict[str, Any]:
    """Return what of a layout is stated and not searched."""
    rest = {leaf.name for leaf in leaves(Layout)} & set(stated) - DEGREES
    return {name: getattr(layout, name) for name in sorted(rest)}


def with_layout(run: Training, layout: Layout, stated: Collection[str]) -> Training:
    """Return a run in the layout that is stated or, where no degree is, in the fastest that fits."""
    if not DEGREES & set(stated):
        return replace(run, layout=search(run, fixed_fields(layout, stated)).best[0].layout)
    return replace(run, layout=layout) if "dp" in stated else run
