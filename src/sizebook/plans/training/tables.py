"""TRAINING_TABLE: many training runs in one cell, by the rows of a sweep."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sizebook.core.registry import function
from sizebook.core.tabular import Answers, Columns, Table, answered
from sizebook.plans.training.functions import MODEL_OF_MEMORY, MODEL_OF_TIME
from sizebook.plans.training.rows import INPUTS, OUTPUTS, REQUIRED_INPUTS, Rows

RUNS = Columns(known=INPUTS, required=REQUIRED_INPUTS, results=OUTPUTS)


@function(
    category="training time",
    source=f"{MODEL_OF_TIME}; {MODEL_OF_MEMORY}",
    example=(
        {"table": [["model", "gpu", "gpus", "tokens", "batch"], ["llama-3.1-8b", "h100-sxm", 8, "1T", 128]]},
        [
            list(OUTPUTS),
            [
                69300803584.0,
                True,
                6.323188900875572,
                10364.390662269354,
                0.5054308771577841,
                139.8213433460633,
                26845.69792244415,
                104325.73783885826,
                30536.98138678022,
                11282.590123917847,
                33444.13981571838,
                174.18822820686657,
                129968.10784135858,
                -0.1442,
                0.16700000000000004,
                "dense hopper megatron",
                "shipped rates",
                "nothing recomputed, gradients in bf16",
                "",
            ],
        ],
    ),
)
def training_table(table: Table) -> Answers:
    """Return plans of many training runs in one call: a range whose heads are arguments, a line of results each.

    The heads are those of TRAINING_FIGURES and of the columns of 'sizebook sweep', which gives the same figures; model,
    gpu, gpus, tokens and batch are needed. A row that cannot be planned has errors for figures and its reason in the
    last column; one that does not fit has both.
    """
    return answered(table, RUNS, _answer)


def _answer(heads: Sequence[str]) -> Callable[[Sequence[Any]], Mapping[str, Any]]:
    return Rows(heads).result
