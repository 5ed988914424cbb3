"""What providers ask for tokens: the shipped rows, the planner's own before them, and what the checks refuse."""

import pytest

from sizebook.core import tables
from sizebook.core.errors import UnknownKeyError
from sizebook.core.tables import Row, shipped
from sizebook.tables import api_prices
from sizebook.tables.api_prices import api_price
from sizebook.validation.data_checks import findings

CONTRACT: Row = {
    **dict.fromkeys(api_prices.COLUMNS, ""),
    "provider": "openai",
    "model": "gpt-5.4",
    "input_usd_per_mtok": "2",
    "output_usd_per_mtok": "12",
    "date": "2026-07-01",
    "source": "contract 12",
    "retrieved": "2026-07-02",
}


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
    with pytest.raises(UnknownKeyError) as error:
        api_price("opnai", "gpt-5.4")
    assert str(error.value) == (
        "unknown provider: got 'opnai', want a provider of data/api_prices.csv. Did you mean 'openai'?"
    )
    with pytest.raises(UnknownKeyError) as error:
        api_price("openai", "gpt-5.41")
    assert str(error.value) == (
        "unknown model: got 'gpt-5.41', want a model of openai in data/api_prices.csv. Did you mean 'gpt-5.4'?"
    )


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"output_usd_per_mtok": ""}, "no number: got output_usd_per_mtok '', want digits. Correct the cell."),
        (
            {"input_usd_per_mtok": "2500"},
            "implausible price: got input_usd_per_mtok 2500, want at most 1000 USD. Check that it is for a million "
            "tokens.",
        ),
        (
            {"batch_output_usd_per_mtok": "24"},
            "dearer than listed: got batch_output_usd_per_mtok 24, want at most 12. Check the columns.",
        ),
        (
            {"cached_input_usd_per_mtok": "half"},
            "no number: got cached_input_usd_per_mtok 'half', want 0 or more, or a blank. Correct the cell.",
        ),
        ({"date": "July"}, "no date: got date 'July', want the price's day, YYYY-MM-DD. Fill it in."),
        ({"model": " "}, "blank model: got nothing, want the provider's word. Fill it in."),
    ],
)
def test_what_the_checks_refuse(changes: dict[str, str], finding: str) -> None:
    row = {**CONTRACT, **changes}
    named = f"line 2 ({row['provider']} {row['model']} {row['date']})"
    assert findings("api_prices", [row]) == [f"{named}: {finding}"]


def test_catalog_models_are_keys_of_the_catalog() -> None:
    keys = {row["key"] for row in shipped("models")}
    assert {row["catalog_model"] for row in shipped("api_prices")} - {""} <= keys
