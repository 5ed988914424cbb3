"""Every default of a scenario says where it comes from."""

from collections.abc import Iterator

import pytest

from sizebook.core.scenario_keys import Keys, layout
from sizebook.core.sections import Argument
from sizebook.scenarios.kinds import KINDS


def keys(table: Keys) -> Iterator[Argument]:
    yield from table.keys
    for inner in table.tables:
        yield from keys(inner)


@pytest.mark.parametrize("kind", KINDS)
def test_every_default_has_a_source(kind: str) -> None:
    found = list(keys(layout(KINDS[kind])))
    assert len(found) > 3
    unsaid = [
        key.name for key in found if not key.required and key.default not in (None, "") and not key.quantity.source
    ]
    assert unsaid == []
