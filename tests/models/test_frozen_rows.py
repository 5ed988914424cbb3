"""Rows of facts: files counted to a published total or to what transformers holds for them, and files refused by name.

``published.jsonl`` says of what model a total is and who states it; ``refused.jsonl`` holds whole messages, worked out
by hand; the others hold made-up configs with sizes and switches away from the defaults of their type.
"""

from typing import Any

import pytest

from sizebook.core.errors import SizebookError
from sizebook.models.config import Config
from sizebook.models.counting import count
from sizebook.models.huggingface import architecture
from tests.models.counts import counted, small_configs
from tests.refused import message_of

PUBLISHED, REFUSED = small_configs("published.jsonl"), small_configs("refused.jsonl")
MADE_UP = [row for kind in ("decoder", "encoder", "seq2seq") for row in small_configs(f"{kind}_counts.jsonl")]


@pytest.mark.parametrize("row", PUBLISHED, ids=[row["of"] for row in PUBLISHED])
def test_published_totals(row: dict[str, Any]) -> None:
    got = counted(row["config"])
    assert {"total": row["total"], "active": row.get("active", got["active"])}.items() <= got.items()


@pytest.mark.parametrize("model_type", sorted({row["config"]["model_type"] for row in MADE_UP}))
def test_made_up_configs(model_type: str) -> None:
    for row in (row for row in MADE_UP if row["config"]["model_type"] == model_type):
        got = counted(row["config"])
        assert {key: got[key] for key in row.keys() - {"config"}} == {
            key: value for key, value in row.items() if key != "config"
        }


@pytest.mark.parametrize("row", REFUSED, ids=[row["message"][:60] for row in REFUSED])
def test_what_is_refused(row: dict[str, Any]) -> None:
    assert (
        message_of(SizebookError, lambda: count(architecture(Config(row["config"], row.get("file", "config.json")))))
        == row["message"]
    )
