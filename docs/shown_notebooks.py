"""Notebooks with what their cells print: each runs from top to bottom in an empty folder, in this process.

A cell shows what it prints and, as Jupyter does, the value of its last line: as text, and as the SVG or HTML it offers.
"""

import ast
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

import polars

ROOT = Path(__file__).resolve().parents[1]
RICH = {"image/svg+xml": "_repr_svg_", "text/html": "_repr_html_"}
WIDTH = 100  # of a frame in signs, whatever terminal this runs in


def notebooks() -> list[Path]:
    """Return the notebooks of the documentation."""
    return sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def refreshed(path: Path) -> str:
    """Return the text of a notebook with what its cells show now. Errors: those of a cell."""
    book, names = json.loads(path.read_text(encoding="utf-8")), dict[str, Any]()
    code = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
    with _empty_folder(), polars.Config(tbl_width_chars=WIDTH):
        for n, cell in enumerate(code, start=1):
            cell["execution_count"], cell["outputs"] = n, list(_outputs("".join(cell["source"]), names, n))
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


@contextmanager
def _empty_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def _outputs(source: str, names: dict[str, Any], n: int) -> Iterator[dict[str, Any]]:
    """Yield what a cell shows, as a notebook's file has it."""
    body = ast.parse(source).body
    last = [body.pop()] if body and isinstance(body[-1], ast.Expr) else []
    printed, value = StringIO(), None
    with redirect_stdout(printed):
        exec(compile(ast.Module(body, []), f"cell {n}", "exec"), names)
        for line in last:
            value = eval(compile(ast.Expression(line.value), f"cell {n}", "eval"), names)
    if printed.getvalue():
        yield {"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())}
    if value is not None:
        shown = {kind: getattr(value, name)() for kind, name in RICH.items() if hasattr(value, name)}
        data = {kind: _lines(text) for kind, text in {**shown, "text/plain": repr(value)}.items()}
        yield {"data": data, "execution_count": n, "metadata": {}, "output_type": "execute_result"}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def as_markdown(path: Path) -> str:
    """Return a notebook as a page: its code, and below it what it shows, charts as pictures and all else as text."""
    parts = list[str]()
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"]).replace(".ipynb)", ".md)")
        parts.append(source if cell["cell_type"] == "markdown" else f"```python\n{source}\n```")
        for output in cell.get("outputs", ()):
            data = output.get("data", {"text/plain": output.get("text")})
            text = "".join(data["text/plain"])
            svg = "".join(data.get("image/svg+xml", ()))
            chart = f'<div role="img" aria-label="{escape(" ".join(text.split()))}">{svg}</div>'
            parts.append(chart if svg else f"```text\n{text.rstrip()}\n```")
    return "\n\n".join((*parts, f"This page is a notebook: [{path.name}]({path.name}).\n"))
