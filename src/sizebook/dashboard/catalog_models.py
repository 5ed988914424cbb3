"""One model as the page shows it: the values of its columns, and what stands on its card."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sizebook.core.tables import by_key
from sizebook.dashboard.features import features
from sizebook.dashboard.model_columns import COLUMNS, column_value
from sizebook.models import catalog
from sizebook.models.reconciliation import Comparison, compare
from sizebook.plans.sizing.plan import size_model

_CARD = ("hf_id", "note", "link", "source", "retrieved")


@dataclass(frozen=True)
class Model:
    """A row of the page: ``values`` by column, ``card`` what hovering shows; ``own`` where the user brought it.

    ``size`` is what sizes are filtered and drawn by: the computed total, or the stated one where none can be computed.
    ``asks`` is the name or path by which a formula asks for it, empty where no formula can.
    """

    key: str
    name: str
    values: dict[str, Any]
    size: int | None = None
    asks: str = ""
    own: bool = False
    features: tuple[str, ...] = ()
    card: dict[str, Any] = field(default_factory=dict)


def published_models() -> list[Model]:
    """Return every model of the catalog, the newest first: in the order that the page shows, it has nothing to sort."""
    models = [_published(key) for key in catalog.model_keys()]
    return sorted(models, key=lambda model: model.values["release_date"] or "", reverse=True)


def _published(key: str) -> Model:
    row, compared = catalog.facts(key), compare(key)
    values = computed_values(key) | {"difference": compared.relative, "status": compared.status}
    stated = compared.stated.parameters if compared.stated else None
    return Model(
        key=key,
        name=row["name"],
        values=values,
        size=values["total"] or stated,
        asks=key,
        features=features(catalog.architecture(key)) if row["architecture"] else (),
        card=card_facts(row) | _compared(compared) | (derived_values(key) if row["architecture"] else {}),
    )


def computed_values(model: str) -> dict[str, Any]:
    """Return the value of every column for a key of the catalog or the path of a config.json."""
    known: dict[str, Any] = {}
    for column in COLUMNS:
        known[column.name] = column_value(column, model, known)
    return known


def derived_values(model: str) -> dict[str, Any]:
    """Return how a count is made up: each part with its parameters, share and the sum of products behind it."""
    sizing = size_model(model, catalog.architecture(model))
    parts = [[part.label, part.parameters, part.share, part.derivation.substituted] for part in sizing.parts]
    beside = {"buffers": sizing.count.buffers, "prediction layers": sizing.count.mtp}
    return {
        "parts": parts,
        "beside": {name: number for name, number in beside.items() if number},
        "notes": list(catalog.notes(model)),
    }


def card_facts(stated: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a card says of a row besides its columns: note, link, source, and the formula of its activation."""
    known = by_key("activations", "activation").get(str(stated.get("activation")))
    facts = {name: stated[name] for name in _CARD if stated.get(name)}
    return facts | ({"activation_formula": known["formula"]} if known else {})


def _compared(compared: Comparison) -> dict[str, Any]:
    """Return the published count beside the computed one in the same scope, with what explains the difference."""
    if compared.stated is None:
        return {}
    found: dict[str, Any] = {
        "stated": compared.stated.shown,
        "scope": compared.scope,
        "explanation": compared.explanation,
    }
    if compared.computed is not None:
        found |= {"computed": compared.computed, "off": compared.difference}
    return {name: each for name, each in found.items() if each not in ("", None)}
