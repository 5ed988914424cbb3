"""The error of a model whose variant was chosen without the rows that it is judged on: nested folds.

From each engine x GPU pair in turn everything is kept away. Among the rest every variant is fitted without one
architecture after the other, and the one whose TPOT is then off least, by the table's columns alone, is fitted to all
of that rest and predicts the pair. So the figure also pays for the choice.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from serving_fit import LAYOUT, RATES, Layout, Pair, Rows, fit, part, predict

OUTER_ROUNDS, INNER_ROUNDS = 8, 2  # of the fit without a pair, and from it without an architecture as well


def _with(name: str, **changed: Any) -> Layout:
    return Layout({**RATES, name: RATES[name]._replace(**changed)})


# A number without freedom stays at its start.
LAYOUTS: dict[str, Layout] = {
    "as it ships": LAYOUT,
    "a factor of the engine on a step's fixed time": _with("step_seconds", levels=("engine",)),
}


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
        off = {name: _inner(outside, columns, name, fits[name]) for name in LAYOUTS}
        best = min(off, key=lambda name: off[name])
        layout, theta = LAYOUTS[best], fits[best]
        ran[:, inside] = predict(theta, part(rows, inside), layout)
        told[:, inside] = predict(theta, part(bare, inside), layout)
        chosen[best] += 1
        print(f"{pair}: {best}", flush=True)
    return Nested((ran[0], ran[1]), (told[0], told[1]), chosen)


def _inner(rows: Rows, bare: Rows, name: str, theta: Any) -> float:
    """Return the mean error of TPOT by columns alone, architectures left out, of a variant."""
    off = np.zeros(len(rows.tpot))
    for architecture in np.unique(rows.architecture):
        inside = rows.architecture == architecture
        fitted = fit(part(rows, ~inside), theta, rounds=INNER_ROUNDS, layout=LAYOUTS[name])
        predicted = predict(fitted, part(bare, inside), LAYOUTS[name])[1]
        off[inside] = np.abs(predicted / bare.tpot[inside] - 1)
    return float(off.mean())
