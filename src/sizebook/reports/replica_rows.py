"""Rows of inputs that reports of served models share: the engine of a replica, its layout, its nodes, and the grid."""

from sizebook.core.texts import text
from sizebook.core.units import grouped
from sizebook.plans.serving.rates import Rates
from sizebook.plans.serving.replica import PlannedReplica
from sizebook.reports.input_rows import InputRow
from sizebook.reports.number_columns import plain_number
from sizebook.reports.phrases import gpus
from sizebook.serving.quantities import ENGINE_NAMES


def engine_rows(load: PlannedReplica) -> tuple[InputRow, ...]:
    """Return engine, release and rates of a replica."""
    replica = load.setup.replica
    release_source = "data/engine_releases.csv" if replica.release else text("usual value")
    return (
        (text("Engine"), ENGINE_NAMES[replica.engine], "data/engines.csv"),
        (text("Engine release"), load.release_basis, release_source),
        (text("Rates"), load.rates_basis, text("data/kernels.csv, data/calibration_serving.csv")),
    )


def layout_row(load: PlannedReplica) -> InputRow:
    """Return the layout of a replica with its GPUs."""
    shown = text("{layout}: {gpus}", layout=load.layout, gpus=gpus(load.gpus))
    return text("Layout of a replica"), shown, text("searched") if load.pools else text("scenario")


def node_row(load: PlannedReplica) -> InputRow:
    """Return the GPUs of a node."""
    return text("GPUs of a node"), grouped(load.packing.gpus_per_node), load.packing.basis


def grid_row(rates: Rates) -> InputRow:
    """Return the carbon of a kilowatt-hour."""
    shown = text("{grams_per_kwh} g CO\u2082e/kWh", grams_per_kwh=plain_number(rates.grams_per_kwh))
    return text("Grid"), shown, rates.grid_basis
