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
                6.3505919978569665,
                10319.667839173953,
                0.5032499196425131,
                140.4272935860206,
                26962.040368515958,
                104777.85912709907,
                30669.320919186903,
                11331.486007974743,
                33473.86580741323,
                174.34305108027726,
                130083.62676083374,
                -0.15869999999999995,
                0.16300000000000003,
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
