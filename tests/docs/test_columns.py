"""The page of columns says of every figure and column what it means, its unit, who has it and since when."""

import json

from columns_page import LONG, SINCE, names

from sizebook.batch.long_tables import COLUMNS, HEADS


def test_every_name_has_its_release() -> None:
    assert json.loads(SINCE.read_text(encoding="utf-8")).keys() == {*names()}, "run: python docs/freeze_names.py"


def test_every_column_of_the_four_tables_is_explained() -> None:
    assert LONG.keys() == {*HEADS, *(name for columns in COLUMNS.values() for name in columns)}
