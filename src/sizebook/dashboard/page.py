"""Puts the page together: data, style, scripts and fonts in one file that asks no network for anything."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sizebook import __version__
from sizebook.core.tables import table
from sizebook.dashboard import calculator, charts, market
from sizebook.dashboard.columns import COLUMNS, formula
from sizebook.dashboard.features import FEATURES
from sizebook.dashboard.rows import Model
from sizebook.sources.bundled import bundled
from sizebook.sources.writing import write_whole

# In the order in which the browser reads them; each uses what stands before it.
SCRIPTS = (
    "dom.js", "format.js", "data.js", "state.js", "filters.js", "card.js", "compare.js", "charts.js", "files.js",
    "table.js", "evaluate.js", "calculator.js", "market.js", "app.js",
)  # fmt: skip
STYLES = ("vendor/tabulator.min.css", "page.css")
PLACE = "{model}"  # where a formula names the model
_FONTS = {"Inter": {400: "Inter-Regular", 600: "Inter-SemiBold"}, "JetBrains Mono": {400: "JetBrainsMono-Regular"}}
_PART = re.compile(r"\{\{ (\w+) \}\}")  # a place in page.html
_ENDS_SCRIPT = re.compile(r"<(?=/script|!--)", re.IGNORECASE)


def write_page(models: Sequence[Model], path: Path) -> Path:
    """Write the page over some models; the file appears whole or not at all."""
    return write_whole(path, html(models).encode())


def html(models: Sequence[Model]) -> str:
    """Return the page over some models as HTML; equal models give equal pages."""
    folder = bundled("templates") / "dashboard"
    vendored = json.loads(_read(folder / "vendor" / "versions.json"))
    carried = [f"{each['from']} ({each['licence']})" for each in vendored if each["file"].endswith(".js")]
    parts = {
        "version": __version__,
        "n_models": str(len(models)),
        "styles": "\n".join([*_fonts(), *(_read(folder / name) for name in STYLES)]),
        "data": json.dumps(data(models), ensure_ascii=False, separators=(",", ":")).replace("<", r"\u003c"),
        "chart_script": script(_read(folder / "vendor" / "vega.js")),
        "table_script": script(_read(folder / "vendor" / "tabulator.min.js")),
        "own_script": script("\n".join([calculator.source(), *(_read(folder / name) for name in SCRIPTS)])),
        "carried": " and ".join(carried),
    }
    return _PART.sub(lambda found: parts[found[1]], _read(folder / "page.html"))


def data(models: Sequence[Model]) -> dict[str, Any]:
    """Return what the page knows, as its scripts read it (templates/dashboard/data.js)."""
    return {
        "version": __version__,
        "read": max(row["retrieved"] for row in table("models")),
        "columns": [
            {
                "name": column.name,
                "title": column.title,
                "meaning": column.meaning,
                "kind": column.kind,
                "unit": column.unit,
                "shown": column.shown,
                "narrow": column.narrow,
                "formula": formula(column, PLACE),
            }
            for column in COLUMNS
        ],
        "features": FEATURES,
        "calculator": calculator.described(),
        "market": market.data(),
        "models": [_compact(model) for model in models],
        "charts": [
            {"name": chart.name, "topic": chart.topic, "specification": charts.specification(chart)}
            for chart in charts.CHARTS
        ],
    }


def _compact(model: Model) -> dict[str, Any]:
    return {
        "key": model.key,
        "name": model.name,
        "own": model.own,
        "size": model.size,
        "asks": model.asks,
        "features": [FEATURES.index(name) for name in model.features],
        "values": [model.values[column.name] for column in COLUMNS],
        "card": model.card,
    }


def script(source: str) -> str:
    """Return a script such that HTML cannot take part of a text in it for the end of the script."""
    return _ENDS_SCRIPT.sub(r"<\\", source)


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _fonts() -> list[str]:
    """Return the style that brings the faces with the page."""
    folder = bundled("templates") / "fonts"
    return [
        f'@font-face {{ font-family: "{family}"; font-weight: {weight}; src: url(data:font/ttf;base64,'
        f"{base64.b64encode((folder / f'{name}.ttf').read_bytes()).decode()}) }}"
        for family, weights in _FONTS.items()
        for weight, name in weights.items()
    ]
