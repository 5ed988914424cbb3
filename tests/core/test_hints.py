"""Hints of refusals: which known word is meant by one that is none."""

import pytest

from sizebook.core.errors import suggestion


@pytest.mark.parametrize(
    ("word", "known", "meant"),
    [
        ("int4", ["int8", "int4_wo"], "int4_wo"),  # on 0.13.0 int8
        ("lama-70b", ["llama-7b", "llama-2-70b"], "llama-2-70b"),  # on 0.13.0 llama-7b
        ("gpus", ["gpu", "gpus_compared"], "gpu"),
        ("mixtral", ["mistral-7b", "mixtral-8x7b"], "mixtral-8x7b"),
    ],
)
def test_a_hint_keeps_the_numbers_that_were_given(word: str, known: list[str], meant: str) -> None:
    assert suggestion(word, known) == f" Did you mean '{meant}'?"
