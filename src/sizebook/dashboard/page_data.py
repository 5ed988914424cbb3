"""What the page knows: a first part that its table needs, column by column, and all else, which is packed."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sizebook.core.number_text import SCALES
from sizebook.core.tables import table
from sizebook.dashboard import calculator, look_ups, market, scatter_charts
from sizebook.dashboard.catalog_models import Model
from sizebook.dashboard.features import FEATURES
from sizebook.dashboard.model_columns import COLUMNS, column_formula

PLACE = "{model}"  # where a formula names the model
_FACTS = ("name", "title", "meaning", "kind", "unit", "shown", "narrow")


def first_data(models: Sequence[Model]) -> dict[str, Any]:
    """Return what the table of the page needs, as its scripts read it (templates/dashboard/data.js)."""
    return {
        "read": max(row["retrieved"] for row in table("models")),
        "columns": [
            {name: getattr(column, name) for name in _FACTS} | {"formula": column_formula(column, PLACE)}
            for column in COLUMNS
        ],
        "features": FEATURES,
        "scales": {word: scale for word, scale in SCALES.items() if word},
        "models": _by_column(models),
    }


def later_data(models: Sequence[Model]) -> dict[str, Any]:
    """Return what other views and the cards need; cards in the order of the models."""
    return {
        "cards": [model.card for model in models],
        "calculator": calculator.function_data(),
        "looked": look_ups.look_ups([model.asks for model in models if model.asks]),
        "market": market.market_data(),
        "charts": [
            {"name": chart.name, "topic": chart.topic, "specification": scatter_charts.specification(chart)}
            for chart in scatter_charts.CHARTS
        ],
    }


def _by_column(models: Sequence[Model]) -> dict[str, dict[str, Any]]:
    """Return the models column by column, as a name stands once then and not in every row."""
    found: dict[str, Iterable[Any]] = {
        name: [getattr(model, name) for model in models] for name in ("key", "name", "own", "size", "asks")
    }
    found["features"] = [model.features for model in models]
    found["weights"] = [model.card.get("hf_id", "") for model in models]
    found |= {column.name: [model.values[column.name] for model in models] for column in COLUMNS}
    return {name: _coded(list(values)) for name, values in found.items()}


def _coded(values: list[Any]) -> dict[str, Any]:
    """Return a column as it is, or each of its words once and the places of the words, where that is shorter."""
    places = {word: place for place, word in enumerate(dict.fromkeys(values))}
    coded = {"words": list(places), "of": [places[value] for value in values]}
    return min(({"of": values}, coded), key=lambda form: len(json.dumps(form)))
