"""The columns of the page: what each means, and the spreadsheet call that gives its value.

A value of the page is the value of that call, so the page, a cell and the command line cannot differ, and "copy as
Excel formula" copies what was computed.
"""

from dataclasses import dataclass
from typing import Any, Literal

from sizebook.core.cells import evaluate
from sizebook.core.errors import UnknownKeyError
from sizebook.functions import find

Kind = Literal["text", "count", "number", "date", "share"]

CACHE_TOKENS = 8192
"""Tokens of the sequence whose cache is divided among them: windows of 4,096 are full, few contexts are shorter."""


@dataclass(frozen=True)
class Column:
    """One column. ``call`` is a function and what follows the model among its arguments, ``over`` what divides it.

    ``over`` is another column or a number. ``shown`` columns stand in the table from the start, ``narrow`` ones also
    on a phone.
    """

    name: str
    title: str
    meaning: str
    kind: Kind
    call: tuple[str | int, ...] = ()
    over: str | int = ""
    unit: str = ""
    shown: bool = False
    narrow: bool = False

    @property
    def given(self) -> bool:
        """Whether a table of own models may state it: a fact or dimension as it stands in the catalog."""
        return self.call[:1] == ("MODEL_SPEC",) and not self.over


def _fact(name: str, title: str, meaning: str, kind: Kind = "text", **more: Any) -> Column:
    return Column(name, title, meaning, kind, ("MODEL_SPEC", name), **more)


COLUMNS = (
    _fact("organisation", "Organisation", "who published the model"),
    _fact("family", "Family", "models that were published together"),
    _fact(
        "release_date",
        "Released",
        "day of the first publication; a month where only that is known",
        "date",
        shown=True,
        narrow=True,
    ),
    Column(
        "total",
        "Parameters",
        "exact trainable parameters, counted from the dimensions",
        "count",
        ("PARAMS_MODEL",),
        shown=True,
        narrow=True,
    ),
    Column(
        "active",
        "Active",
        "parameters that one token visits: all but the experts that it is not sent to",
        "count",
        ("PARAMS_ACTIVE",),
        shown=True,
    ),
    _fact("published_total", "Published", "parameters as their publisher states them", shown=True),
    Column(
        "difference",
        "Difference",
        "computed less published parameters, in the scope of the statement, as a share",
        "share",
        unit="%",
        shown=True,
    ),
    Column("status", "Agreement", "how the computed count stands to the published one", "text"),
    _fact("n_layers", "Layers", "layers of the encoder, the decoder or both", "count", shown=True),
    _fact("d_model", "d_model", "width of the residual stream (hidden size)", "count", shown=True),
    _fact("n_heads", "Heads", "query heads of the first attention layer", "count", shown=True),
    _fact(
        "n_kv_heads", "KV heads", "key-value heads; fewer than heads is grouped-query attention", "count", shown=True
    ),
    _fact("d_head", "d_head", "width of a query-key head", "count"),
    _fact(
        "d_ff", "d_ff", "width of the feed-forward block, of one expert where there are experts", "count", shown=True
    ),
    Column(
        "ff_ratio",
        "d_ff / d_model",
        "width of the feed-forward block over the residual stream",
        "number",
        ("MODEL_SPEC", "d_ff"),
        over="d_model",
    ),
    _fact("vocabulary", "Vocabulary", "distinct tokens", "count", unit="tokens", shown=True),
    _fact(
        "context_length", "Context", "most tokens that the model was made to read", "count", unit="tokens", shown=True
    ),
    _fact("training_tokens", "Trained on", "tokens seen in pre-training", "count", unit="tokens", shown=True),
    Column(
        "tokens_per_parameter",
        "Tokens a parameter",
        "training tokens over total parameters; 20 is Chinchilla's rule",
        "number",
        ("MODEL_SPEC", "training_tokens"),
        over="total",
    ),
    Column(
        "cache_per_token",
        "Cache a token",
        f"bytes of keys, values and state a token in bf16, of a sequence of {CACHE_TOKENS:,} tokens",
        "number",
        ("KV_CACHE_BYTES", CACHE_TOKENS),
        over=CACHE_TOKENS,
        unit="bytes",
        shown=True,
    ),
    _fact("activation", "Activation", "non-linearity of the feed-forward block", shown=True),
    _fact("attention", "Attention", "kinds of attention, in words", shown=True),
    _fact("experts", "Experts", "routed experts of a layer", "count"),
    _fact("experts_per_token", "Experts a token", "routed experts that a token visits", "count"),
    _fact("shared_experts", "Shared experts", "experts that every token visits", "count"),
    _fact("licence", "Licence", "licence of the weights; closed where they are not published", shown=True),
    _fact("native_dtype", "Format", "number format of the published weights"),
    _fact("hardware", "Trained with", "accelerators of the training"),
    _fact("gpu_hours", "GPU hours", "accelerator hours of the training", "number", unit="h"),
    _fact("gpu_watts", "GPU power", "power of one accelerator that its publisher counts with", "number", unit="W"),
    _fact("energy_mwh", "Energy", "energy of the training", "number", unit="MWh"),
    _fact("tco2e", "Emissions", "carbon dioxide equivalent of the training", "number", unit="t"),
)
BY_NAME = {column.name: column for column in COLUMNS}


def column_value(column: Column, model: str, known: dict[str, Any]) -> Any:
    """Return what a column holds for a model of the catalog or of a file; None where it was not published.

    ``known`` are the columns before it in the same row.
    """
    if not column.call:
        return known.get(column.name)
    name, *rest = column.call
    try:
        found = evaluate(find(str(name)), [model, *rest])
    except UnknownKeyError:  # not published, or a file that does not state it
        return None
    return column_quotient(column, found, known)


def column_quotient(column: Column, found: Any, known: dict[str, Any]) -> Any:
    """Return a value over what the column divides it by; None where either is unknown or no cache is kept at all."""
    if not column.over:
        return found
    divisor = known.get(column.over) if isinstance(column.over, str) else column.over
    return found / divisor if found and divisor else None


def column_formula(column: Column, model: str) -> str:
    """Return the Excel formula of a column for a model, US English; an empty text where no single call gives it."""
    if not column.call:
        return ""
    dividing = BY_NAME[column.over].call if isinstance(column.over, str) and column.over else ()
    over = f"/{_call(dividing, model)}" if dividing else f"/{column.over}" if column.over else ""
    return f"={_call(column.call, model)}{over}"


def _call(words: tuple[str | int, ...], model: str) -> str:
    name, *rest = words
    cells = [f'"{word}"' if isinstance(word, str) else str(word) for word in (model, *rest)]
    return f"{name}({','.join(cells)})"
