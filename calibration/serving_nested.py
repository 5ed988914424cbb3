"""The error of a model whose variant was chosen without the rows that it is judged on: nested folds.

From each engine x GPU pair in turn everything is kept away. Among the rest every variant is fitted without one
architecture after the other, and the one whose TPOT is then off least, by the table's columns alone, is fitted to all
of that rest and predicts the pair. So the figure also pays for the choice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from serving import LAYOUT, RATES, Layout, Pair, Rows, by_columns, fit, part, predict, unstated_factor

OUTER_ROUNDS, INNER_ROUNDS = 8, 2  # of the fit without a pair, and from it without an architecture as well

Factor = Callable[[Any, Rows, Rows, Layout], float]


def _with(name: str, **changed: Any) -> Layout:
    return Layout({**RATES, name: RATES[name]._replace(**changed)})


def half_way(theta: Any, told: Rows, every: Rows, layout: Layout) -> float:
    """Return the factor of a server of which nobody says whether it speculates as it ships; measurements are unused."""
    return unstated_factor(theta, every, layout)


def fitted_factor(theta: Any, told: Rows, every: Rows, layout: Layout) -> float:
    """Return the factor that serves the rows that may speculate best, too slow counting as much as too fast."""
    at = told.speculates
    if not at.any():
        return 1.0

    def off(factor: float) -> float:
        ratio = by_columns(theta, told, factor, layout)[1][at] / told.tpot[at]
        return float((np.maximum(ratio, 1 / ratio) - 1).mean())

    return float(min(np.linspace(0.5, 1, 26), key=off))


# A number without freedom stays at its start.
LAYOUTS: dict[str, Layout] = {
    "as it ships": LAYOUT,
    "a factor of the engine on a step's fixed time": _with("step_seconds", levels=("engine",)),
    "experts shared evenly": _with("expert_imbalance", start=1e-6, free=1e-3),
}
FACTORS: dict[str, Factor] = {"half-way speculation": half_way, "fitted speculation": fitted_factor}


@dataclass(frozen=True)
class Nested:
    """Predictions of every row, as they ran and by their columns, and how many pairs chose which variant."""

    ran: Pair
    told: Pair
    chosen: Counter[str]


def nested(rows: Rows, bare: Rows) -> Nested:
    """Return what fits predict of each engine x GPU pair that neither fitted nor chose anything by it."""
    ran, told = np.zeros((2, len(rows.tpot))), np.zeros((2, len(rows.tpot)))
    chosen: Counter[str] = Counter()
    for pair in np.unique(rows.pair):
        inside = rows.pair == pair
        outside, columns = part(rows, ~inside), part(bare, ~inside)
        fits = {name: fit(outside, rounds=OUTER_ROUNDS, layout=layout) for name, layout in LAYOUTS.items()}
        off = {
            choice: error for name in LAYOUTS for choice, error in _inner(outside, columns, name, fits[name]).items()
        }
        best = min(off, key=lambda choice: off[choice])
        layout, theta = LAYOUTS[best[0]], fits[best[0]]
        factor = FACTORS[best[1]](theta, columns, bare, layout)
        ran[:, inside] = predict(theta, part(rows, inside), layout)
        told[:, inside] = by_columns(theta, part(bare, inside), factor, layout)
        chosen[", ".join(best)] += 1
        print(f"{pair}: {', '.join(best)}", flush=True)
    return Nested((ran[0], ran[1]), (told[0], told[1]), chosen)


def _inner(rows: Rows, bare: Rows, name: str, theta: Any) -> dict[tuple[str, str], float]:
    """Return the mean error of TPOT by columns alone, architectures left out, by variant."""
    off = {(name, factor): np.zeros(len(rows.tpot)) for factor in FACTORS}
    layout = LAYOUTS[name]
    for architecture in np.unique(rows.architecture):
        inside = rows.architecture == architecture
        fitted = fit(part(rows, ~inside), theta, rounds=INNER_ROUNDS, layout=layout)
        for key, factor_of in FACTORS.items():
            factor = factor_of(fitted, part(bare, ~inside), bare, layout)
            predicted = by_columns(fitted, part(bare, inside), factor, layout)[1]
            off[name, key][inside] = np.abs(predicted / bare.tpot[inside] - 1)
    return {choice: float(error.mean()) for choice, error in off.items()}
