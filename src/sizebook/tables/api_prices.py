"""What providers ask for tokens: dated rows of ``data/api_prices.csv``, and the user's own before them."""

from dataclasses import dataclass, fields
from functools import cache

from sizebook.core.errors import InputError
from sizebook.core.hints import unknown_key
from sizebook.core.sections import AskedBy, quantity, section
from sizebook.core.tables import Row, own_rows, record, table


@dataclass(frozen=True)
class ApiPrice:
    """One dated price of a provider's model in USD for a million tokens; None where the provider lists none.

    A prompt of more than ``long_from_tokens`` costs the long prices throughout. ``catalog_model`` is the key of the
    same model in the catalog, ``ends`` the day on which the provider withdraws it.
    """

    provider: str
    model: str
    catalog_model: str
    input_usd_per_mtok: float
    cached_input_usd_per_mtok: float | None
    cache_write_usd_per_mtok: float | None
    output_usd_per_mtok: float
    batch_input_usd_per_mtok: float | None
    batch_output_usd_per_mtok: float | None
    long_input_usd_per_mtok: float | None
    long_output_usd_per_mtok: float | None
    long_from_tokens: float | None
    context_tokens: float | None
    ends: str
    date: str
    source: str
    retrieved: str

    def usd_per_request(
        self, input_tokens: float, output_tokens: float, cached_tokens: float = 0.0, *, in_batches: bool = False
    ) -> float:
        """Return what a request costs: tokens that are not cached, cached ones, and those put out.

        Cached tokens without a price of their own cost what others do. Errors: batches that the provider does not list.
        """
        read, written = self.input_usd_per_mtok, self.output_usd_per_mtok
        long = self.long_from_tokens is not None and input_tokens + cached_tokens > self.long_from_tokens
        if long:
            read, written = self.long_input_usd_per_mtok or read, self.long_output_usd_per_mtok or written
        cached = read if self.cached_input_usd_per_mtok is None else self.cached_input_usd_per_mtok
        if in_batches:
            if self.batch_input_usd_per_mtok is None or self.batch_output_usd_per_mtok is None:
                raise InputError(
                    f"no batches: got in_batches for {self.model} of {self.provider}, which lists no price of them, "
                    "want one that does. Leave in_batches out."
                )
            read, written = self.batch_input_usd_per_mtok, self.batch_output_usd_per_mtok
            cached = min(cached, read)
        return (input_tokens * read + cached_tokens * cached + output_tokens * written) / 1e6


COLUMNS = tuple(field.name for field in fields(ApiPrice))
REQUIRED = ("provider", "model", "input_usd_per_mtok", "output_usd_per_mtok", "date", "source", "retrieved")
NUMBERS = tuple(name for name in COLUMNS if name.endswith(("_usd_per_mtok", "_tokens")))


@cache
def api_prices() -> tuple[ApiPrice, ...]:
    """Return the prices of tokens, read once: the planner's own first."""
    return tuple(_parsed(row) for row in table("api_prices"))


def _parsed(row: Row) -> ApiPrice:
    try:
        return record(ApiPrice, row)
    except ValueError as error:
        raise InputError(
            f"broken row of API prices: got {error} for {row['provider']} {row['model']}, want numbers. "
            "Run 'sizebook data check' on your own table and mend it."
        ) from error


def api_price(provider: str, model: str) -> ApiPrice:
    """Return what a provider asks for a model: the planner's own row where there is one, else the newest.

    Errors: a provider or a model of it that the table does not have, with the nearest.
    """
    of_provider = [row for row in api_prices() if row.provider.casefold() == provider.strip().casefold()]
    if not of_provider:
        known = list(dict.fromkeys(row.provider for row in api_prices()))
        raise unknown_key("provider", provider, known, where="a provider of data/api_prices.csv")
    matching = [row for row in of_provider if row.model.casefold() == model.strip().casefold()]
    if not matching:
        known = [row.model for row in of_provider]
        raise unknown_key("model", model, known, where=f"a model of {of_provider[0].provider} in data/api_prices.csv")
    own = api_prices()[: len(own_rows("api_prices"))]
    return max([row for row in matching if row in own] or matching, key=lambda row: row.date)


@section
class ApiAsked(AskedBy, key="api_provider"):
    """The API that a plan is compared with, none by default."""

    api_provider: str | None = quantity(
        "provider of an API to compare with, blank for none",
        default=None,
        label="Provider of the API",
        source="data/api_prices.csv",
    )
    api_model: str | None = quantity(
        "model as the provider of the API calls it",
        default=None,
        label="Model of the API",
        source="data/api_prices.csv",
    )
    in_batches: bool = quantity(
        "whether requests go to the API in batches, at their prices",
        default=False,
        label="In batches",
        source="neutral: each request is answered at once",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.api_provider is not None and self.api_model is None:
            raise InputError(
                f"api_model missing: got api_provider {self.api_provider} and no api_model, want both. Name them as "
                "data/api_prices.csv does, such as nebius and meta-llama/Llama-3.3-70B-Instruct."
            )

    @property
    def price(self) -> ApiPrice | None:
        """What it asks, None where none is named."""
        if self.api_provider is None or self.api_model is None:
            return None
        return api_price(self.api_provider, self.api_model)
