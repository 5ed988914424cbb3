"""What providers ask for tokens: the shipped rows, the planner's own before them, and what the checks refuse."""

import pytest

from sizebook.core import tables
from sizebook.core.errors import UnknownKeyError
from sizebook.core.tables import shipped
from sizebook.tables import api_prices
from sizebook.tables.api_prices import api_price
from tests.refused import message_of
from tests.tables.test_findings import row_of

CONTRACT = row_of("api_prices")


def test_a_shipped_row_has_every_price_that_its_provider_lists() -> None:
    found = api_price(" OpenAI ", "GPT-5.4")
    assert (found.input_usd_per_mtok, found.cached_input_usd_per_mtok, found.output_usd_per_mtok) == (2.5, 0.25, 15)
    assert (found.batch_input_usd_per_mtok, found.batch_output_usd_per_mtok) == (1.25, 7.5)
    assert (found.long_from_tokens, found.long_input_usd_per_mtok, found.cache_write_usd_per_mtok) == (272_000, 5, None)


def test_an_own_row_answers_though_it_is_older(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api_prices, "table", lambda name: (CONTRACT, *shipped(name)))
    monkeypatch.setattr(api_prices, "own_rows", lambda name: (CONTRACT,))
    api_prices.api_prices.cache_clear()
    try:
        assert (api_price("openai", "gpt-5.4").output_usd_per_mtok, tables.OWN_TABLES["api_prices"]) == (12, "")
    finally:
        api_prices.api_prices.cache_clear()


def test_unknown_names_are_refused_with_the_nearest() -> None:
    assert message_of(UnknownKeyError, api_price, "opnai", "gpt-5.4") == (
        "unknown provider: got 'opnai', want a provider of data/api_prices.csv. Did you mean 'openai'?"
    )
    assert message_of(UnknownKeyError, api_price, "openai", "gpt-5.41") == (
        "unknown model: got 'gpt-5.41', want a model of openai in data/api_prices.csv. Did you mean 'gpt-5.4'?"
    )


def test_catalog_models_are_keys_of_the_catalog() -> None:
    keys = {row["key"] for row in shipped("models")}
    assert {row["catalog_model"] for row in shipped("api_prices")} - {""} <= keys
