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
                6.340040459375478,
                10336.842551704407,
                0.5040874633343774,
                140.19397297707198,
                26917.242811597822,
                104603.77022122058,
                30618.363698192523,
                11312.658690662287,
                33455.32638959782,
                174.24649161248865,
                130011.58026577583,
                -0.2237,
                0.20300000000000007,
                "dense hopper",
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
