"""Puts the page together: data, style, scripts and fonts in one file that asks no network for anything."""

import base64
import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sizebook import __version__
from sizebook.dashboard import calculator, estimates, page_data
from sizebook.dashboard.catalog_models import Model
from sizebook.sources.bundled import bundled
from sizebook.sources.writing import write_whole

# In the order in which the browser reads them; each uses what stands before it. Those of the views that nobody sees at
# first are packed.
FIRST = (
    "dom.js",
    "format.js",
    "data.js",
    "later.js",
    "state.js",
    "filters.js",
    "card.js",
    "compare.js",
    "files.js",
    "table.js",
    "app.js",
)
LATER = ("evaluate.js", "fit.js", "charts.js", "calculator.js", "market.js")
STYLES = ("vendor/tabulator.min.css", "page.css")
_FONTS = {"Inter": {400: "Inter-Regular", 600: "Inter-SemiBold"}, "JetBrains Mono": {400: "JetBrainsMono-Regular"}}
_PART = re.compile(r"\{\{ (\w+) \}\}")  # a place in page.html
_BEYOND = re.compile(r"[^\x00-\x7f]")
_ENDS_SCRIPT = re.compile(r"<(?=/script|!--)", re.IGNORECASE)


def write_page(models: Sequence[Model], path: Path) -> Path:
    """Write the page over some models; the file appears whole or not at all."""
    return write_whole(path, page_html(models).encode())


def page_html(models: Sequence[Model]) -> str:
    """Return the page over some models as HTML; equal models give equal pages."""
    folder = bundled("templates") / "dashboard"
    vendored = json.loads(_read(folder / "vendor" / "versions.json"))
    carried = [f"{each['from']} ({each['licence']})" for each in vendored if each["file"].endswith(".js")]
    parts = {
        "version": __version__,
        "n_models": str(len(models)),
        "styles": ascii_style("\n".join([*_fonts(), *(_read(folder / name) for name in STYLES)])),
        "first": ascii_script(_json(page_data.first_data(models))).replace("<", r"\u003c"),
        "table_script": script(ascii_script(_read(folder / "vendor" / "tabulator.min.js"))),
        "first_script": script(ascii_script("\n".join(_read(folder / name) for name in FIRST))),
        "packed": "\n".join(_packed(models, folder)),
        "carried": " and ".join(carried),
    }
    outline = _read(folder / "page.html").encode("ascii", "xmlcharrefreplace").decode()
    return _PART.sub(lambda found: parts[found[1]], outline)


def _packed(models: Sequence[Model], folder: Path) -> list[str]:
    """Return what the page reads once its table stands: data, scripts, and Vega for the charts."""
    serving, tables = estimates.translate_estimates([model.asks for model in models if model.asks])
    scripts = [
        calculator.closed_form_source(),
        *(_read(folder / name) for name in LATER[:1]),
        estimates.estimates_constant(_read(folder / "python.js"), serving),
        *(_read(folder / name) for name in LATER[1:]),
    ]
    return [
        packed("later", _json(page_data.later_data(models) | {"serving": tables}).encode()),
        packed("later-script", "\n".join(scripts).encode()),
        packed("vega", (folder / "vendor" / "vega.js").read_bytes()),
    ]


def packed(name: str, content: bytes) -> str:
    """Return content as an element that the page unpacks when it needs it; equal content gives equal elements."""
    text = base64.b64encode(gzip.compress(content, 9, mtime=0)).decode()
    return f'<script id="{name}" type="text/plain">{text}</script>'


def script(source: str) -> str:
    """Return a script such that HTML cannot take part of a text in it for the end of the script."""
    return _ENDS_SCRIPT.sub(r"<\\", source)


def ascii_script(source: str) -> str:
    """Return a script or JSON with what is not ASCII escaped: browsers read a page of single bytes in half the time."""
    return _BEYOND.sub(lambda found: json.dumps(found[0])[1:-1], source)


def ascii_style(source: str) -> str:
    """Return a style sheet with what is not ASCII escaped as CSS does."""
    return _BEYOND.sub(lambda found: f"\\{ord(found[0]):x} ", source)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _fonts() -> list[str]:
    """Return the style that brings the faces with the page; packed, the system's would be laid out first."""
    folder = bundled("templates") / "fonts"
    return [
        f'@font-face {{ font-family: "{family}"; font-weight: {weight}; src: url(data:font/woff2;base64,'
        f"{base64.b64encode((folder / f'{name}.woff2').read_bytes()).decode()}) }}"
        for family, weights in _FONTS.items()
        for weight, name in weights.items()
    ]
