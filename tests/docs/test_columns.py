"""The page of columns says of every figure and column what it means, its unit, who has it and since when."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

from columns_page import LONG, SINCE, columns_page, names  # noqa: E402

from sizebook.batch.long_tables import COLUMNS, HEADS  # noqa: E402


def test_the_page_is_what_the_declarations_say() -> None:
    page = (ROOT / "docs" / "columns.md").read_text(encoding="utf-8")
    assert page == columns_page(), "run: python docs/generate.py docs/columns.md"
    lines = page.splitlines()
    assert "| `days` | days | number | from the first phase to the last | programme | 0.9.0 |" in lines
    spot = "cost of month 1 with all replicas on spot, blank where no price is listed"
    assert f"| `spot_usd` | USD | number | {spot} | serving | after 0.13.0 |" in lines


def test_every_name_has_its_release() -> None:
    assert json.loads(SINCE.read_text(encoding="utf-8")).keys() == {*names()}, "run: python docs/freeze_names.py"


def test_every_column_of_the_four_tables_is_explained() -> None:
    assert LONG.keys() == {*HEADS, *(name for columns in COLUMNS.values() for name in columns)}
