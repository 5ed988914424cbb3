"""SIZING_TABLE: the size of many models in one cell."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sizebook.core.coercion import coerce
from sizebook.core.quantities import Dtype, Model
from sizebook.core.registry import function
from sizebook.core.sections import REQUIRED, Argument, quantity_of
from sizebook.core.tabular import Answers, Columns, Table, answered
from sizebook.formulas.weights import model_bytes
from sizebook.models import catalog

_MODEL = Argument("model", quantity_of(Model), REQUIRED)
_DTYPE = Argument("dtype", quantity_of(Dtype), quantity_of(Dtype).default)
SIZES = Columns(
    known=("model", "dtype"),
    required=("model",),
    results=("parameters", "active_parameters", "weight_bytes", "reason"),
)


@function(category="models", source="the dimensions of each model's config.json; data/dtypes.csv")
def sizing_table(table: Table) -> Answers:
    """Return the sizes of many models in one call: a range with the heads model and dtype, a line of results each.

    Parameters in total and those that a token visits, and the bytes of the weights in the format (blank: bf16; of a
    checkpoint: its own). A row that cannot be sized has errors for figures and its reason in the last column.
    """
    return answered(table, SIZES, _answer)


def _answer(heads: Sequence[str]) -> Callable[[Sequence[Any]], Mapping[str, Any]]:
    def sizes(row: Sequence[Any]) -> Mapping[str, Any]:
        given = dict(zip(heads, row, strict=True))
        model, dtype = coerce(_MODEL, given["model"]), given.get("dtype")
        counted = catalog.counted(model)
        if catalog.is_checkpoint(model) and not dtype:
            n_bytes = catalog.checkpoint(model).weighed.n_bytes
        else:
            n_bytes = model_bytes(counted.total, coerce(_DTYPE, dtype))
        return {"parameters": counted.total, "active_parameters": counted.active, "weight_bytes": n_bytes}

    return sizes
