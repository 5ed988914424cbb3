"""The kinds of tables that a sweep takes, recognised by their columns: serving estimates and training plans."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import polars as pl

from sizebook.plans.serving.tables import COLUMNS
from sizebook.sweeps import cases, serving
from sizebook.sweeps.streaming import check_columns


@dataclass(frozen=True)
class Kind:
    """A kind of table: the function that answers it, a result that answered rows have, its inputs."""

    sweep: Callable[[pl.DataFrame], pl.DataFrame]
    figure: str
    inputs: Collection[str]

    def unread(self, columns: Sequence[str]) -> list[str]:
        """Return the columns that are kept but change nothing."""
        return [name for name in columns if name not in self.inputs]


def is_training(columns: Collection[str]) -> bool:
    """Return whether a table holds training runs: it has tokens and gpus, and no requests."""
    return {"tokens", "gpus"} <= set(columns) and "input_tokens" not in columns


def kind_of(columns: list[str]) -> Kind:
    """Return the kind of a table. Errors: `InputError` where it lacks a column, or has one where a result goes."""
    if is_training(columns):  # only such a table waits for what plans training
        from sizebook.plans.training import rows as training_rows
        from sizebook.sweeps import training
        from sizebook.sweeps.amounts import INPUTS as MONEY

        check_columns(columns, training_rows.REQUIRED_INPUTS, training_rows.OUTPUTS)
        return Kind(training.sweep, training.FIGURE, {*training_rows.INPUTS, *MONEY, *training.inputs_of(columns)})
    check_columns(columns, cases.REQUIRED, COLUMNS.results_of(columns))
    return Kind(serving.sweep, "tpot_seconds", COLUMNS.known)
