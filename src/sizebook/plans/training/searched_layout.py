"""The layout of a run: stated fields are kept, and the fastest layout that fits is searched for the others.

Plans, cells and rows of tables search wherever no degree is stated. A plan refuses a model that fits in no layout; a
cell and a row show the plain layout then, and by how much it does not fit.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from sizebook.core.errors import SizebookError
from sizebook.core.sections import leaves
from sizebook.plans.training.inputs import Setup, Training
from sizebook.plans.training.search import search
from sizebook.training.layout import Layout

DEGREES = frozenset({"tp", "pp", "dp", "cp", "ep"})


def fixed_fields(layout: Layout, stated: Collection[str]) -> dict[str, Any]:
    """Return what of a layout is stated and not searched."""
    rest = {leaf.name for leaf in leaves(Layout)} & set(stated) - DEGREES
    return {name: getattr(layout, name) for name in sorted(rest)}


def with_layout(run: Training, stated: Collection[str]) -> Training:
    """Return a run in the layout that is stated or, where no degree is, in the fastest that fits."""
    if DEGREES.isdisjoint(stated):
        return replace(run, layout=search(run, fixed_fields(run.layout, stated)).best[0].layout)
    return run


def found_layout(setup: Setup, plain: Layout, stated: Collection[str]) -> Layout | None:
    """Return the fastest layout that fits, where no degree is stated and one does; else None."""
    if not DEGREES.isdisjoint(stated):
        return None
    try:
        return search(setup, fixed_fields(plain, stated)).best[0].layout
    except SizebookError:
        return None
