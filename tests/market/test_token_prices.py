"""LiteLLM's list of token prices becomes rows of USD for a million tokens; five models cut from its release 1.110.2."""

from pathlib import Path

from sizebook.core.tables import Row
from sizebook.market.answers import catalogs
from sizebook.market.token_prices import token_prices
from sizebook.market.updating import updates
from sizebook.validation.data_checks import findings

FILE = "litellm-2026-11-19.json"
ANSWER = Path(__file__).parent / "answers" / FILE
TODAY = "2026-11-26"


def answered() -> list[Row]:
    (catalog,) = (each for each in catalogs() if each.name == "litellm")
    return token_prices(catalog, ANSWER.read_bytes(), FILE, {"day": "2026-11-19"}, TODAY)


def told(row: Row) -> dict[str, str]:
    return {name: cell for name, cell in row.items() if cell and name not in ("source", "retrieved", "date")}


def test_prices_per_token_become_prices_of_a_million() -> None:
    gpt, claude, gemini, deepseek = answered()
    assert told(gpt) == {
        "provider": "openai",
        "model": "gpt-5.4",
        "input_usd_per_mtok": "2.5",
        "cached_input_usd_per_mtok": "0.25",
        "output_usd_per_mtok": "15",
        "batch_input_usd_per_mtok": "1.25",
        "batch_output_usd_per_mtok": "7.5",
        "long_input_usd_per_mtok": "5",
        "long_output_usd_per_mtok": "22.5",
        "long_from_tokens": "272000",
        "context_tokens": "1050000",
    }
    assert (claude["provider"], claude["cache_write_usd_per_mtok"]) == ("anthropic", "6.25")
    assert (gemini["provider"], gemini["model"], gemini["ends"]) == ("google", "gemini-2.5-pro", "2026-12-01")
    assert (deepseek["provider"], deepseek["model"]) == ("deepinfra", "deepseek-ai/DeepSeek-V3.1")
    assert (deepseek["catalog_model"], deepseek["date"]) == ("deepseek-v3.1", "2026-11-19")


def test_the_rows_pass_the_checks() -> None:
    assert findings("api_prices", answered()) == []


def test_a_series_of_token_prices_gains_a_date(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(ANSWER.read_bytes())
    earlier = [{**row, "date": "2026-10-01"} for row in answered()]
    earlier[0] = {**earlier[0], "output_usd_per_mtok": "6"}  # a provider that more than doubles is left for a look
    (update,) = updates(tmp_path, {"api_prices": earlier}, TODAY, with_new=False)
    assert update.table == "api_prices"
    assert [row["provider"] for row in update.added] == ["anthropic", "google", "deepinfra"]
    assert update.left == ["openai: the median went from 6 to 15 USD a million output tokens"]
