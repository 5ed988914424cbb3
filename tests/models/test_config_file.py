"""A config.json that cannot be taken at its word is refused whole."""

from pathlib import Path

import pytest

from sizebook.core.errors import InputError
from sizebook.models.config import Config, load
from tests.refused import message_of
from tests.row_lists import listed


@pytest.mark.parametrize(*listed("models", "test_refused_whole"))
def test_refused_whole(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "config.json"
    path.write_text(text, encoding="utf-8")
    assert message_of(InputError, load, path) == message.replace("PATH", str(path))


def test_nested_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text("[" * 200_000, encoding="utf-8")
    with pytest.raises(
        InputError,
        match=r"^nested too deep: got more than 100 levels in .*config\.json, want at most 100\. If you trust",
    ):
        load(path)


def test_names_that_a_mapping_takes_for_one_must_agree() -> None:
    """Inkling 2 reads its window under two names, of which the first was followed whatever the second said."""
    config = Config({"sliding_window_size": 156, "sliding_window": 2}, "config.json")
    assert message_of(InputError, config.integer, "sliding_window_size", "sliding_window") == (
        "two spellings disagree: got 'sliding_window_size' = 156 and 'sliding_window' = 2 in config.json, want the "
        "same, as both name one key. Remove the wrong one."
    )
    agreeing = Config({"sliding_window_size": 2, "sliding_window": 2}, "config.json")
    assert agreeing.integer("sliding_window_size", "sliding_window") == 2
