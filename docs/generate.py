"""Rebuilds every generated file of the repository; with --check, says which are out of date and exits with 1.

Run it by `make generated`, or for single files: `python docs/generate.py docs/functions.md`. Each entry of TEXTS is a
file and the function that writes its text.
"""

import importlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import shown_notebooks
from accuracy_page import accuracy_chart, accuracy_page
from columns_page import columns_page
from data_pages import changes_page, coverage_page
from errors_page import errors_page
from german_pages import german_pages, translated
from python_stub import stub
from samples_page import SCENARIOS, samples_page
from scenario_keys_page import scenario_keys_page
from shown_commands import pages, refreshed

from sizebook.batch.formats import FORMATS
from sizebook.batch.output_schema import schema
from sizebook.batch.plan_kinds import plan_scenario
from sizebook.core.cells import call
from sizebook.core.coercion import Cell
from sizebook.core.tables import Row, read, table
from sizebook.core.units import grouped, parameters, percent
from sizebook.functions import load
from sizebook.functions.reference import pages as reference
from sizebook.models import catalog
from sizebook.models.huggingface import mappings
from sizebook.models.reconciliation import reconcile
from sizebook.models.searching import facts_of, read_again, unread_again
from sizebook.reports.reconciliation import report as reconciliation
from sizebook.reports.render import pdf
from sizebook.scenarios.presentation import with_presentation
from sizebook.scenarios.scenario_files import read_toml
from sizebook.validation import training_runs

ROOT = Path(__file__).resolve().parents[1]
IN_GERMAN = "serving-llama-3.1-70b"  # the sample that is rendered in German as well
PUBLISHED = ROOT / "tests" / "published"
sys.path.append(str(ROOT / "benchmarks"))
peers = importlib.import_module("peers")
Render = Callable[[], bytes]


def seeds_page() -> str:
    """Return the page that derives the seeds' tables, from the published figures and the registry."""
    load()
    template = (ROOT / "docs" / "seeds.template.md").read_text(encoding="utf-8")
    gpt3 = _comparison("gpt3_table_2_1.csv", "PARAMS_GPT", ("n_layers", "d_model", "n_heads", "d_head"), (50257, 2048))
    original = _comparison(
        "transformer_table_3.csv", "PARAMS_TRANSFORMER", ("n_layers", "d_model", "d_ff", "vocab"), (0, "tied")
    )
    return template.replace("<!-- table of GPT-3 -->", gpt3).replace(
        "<!-- table of the original transformer -->", original
    )


def _comparison(file: str, function: str, columns: tuple[str, ...], constants: tuple[int | str, ...]) -> str:
    """Return published and computed totals side by side as a Markdown table."""
    lines = ["| model | published | ours | difference | remark |", "|---|--:|--:|--:|---|"]
    for row in read(PUBLISHED / file):
        ours = call(function, *(int(row[column]) for column in columns), *constants)
        lines.append(_compared(row, ours))
    return "\n".join(lines)


def _compared(row: Row, ours: Cell) -> str:
    published = int(row["published_total"])
    share = (ours - published) / published
    difference = f"{'+' if share > 0 else ''}{percent(share, 2)}"
    return f"| {row['name']} | {parameters(published)} | {grouped(ours)} | {difference} | {row['remark']} |"


def architectures_page() -> str:
    """Return the page on architectures with the model types that each family describes."""
    template = (ROOT / "docs" / "architectures.template.md").read_text(encoding="utf-8")
    by_module: dict[str, list[str]] = {}
    for model_type, mapping in sorted(mappings().items()):  # as loaded, it would tell what was asked for before
        by_module.setdefault(getattr(mapping, "func", mapping).__module__, []).append(model_type)
    lines = ["| family | model types |", "|---|---|"]
    for module, types in sorted(by_module.items()):
        what = (sys.modules[module].__doc__ or "").strip().splitlines()[0].rstrip(".")
        place = module.removeprefix("sizebook.models.families.").replace(".", "/")
        lines.append(f"| {what} (`{place}`) | {', '.join(f'`{name}`' for name in sorted(types))} |")
    return template.replace("<!-- model types -->", "\n".join(lines)).replace("<!-- models -->", _models_by_type())


def model_types_table() -> str:
    """Return which module describes each model type: a count loads that one alone."""
    lines = ["model_type,module"]
    for model_type, mapping in sorted(mappings().items()):  # as loaded, it would tell what was asked for before
        module = getattr(mapping, "func", mapping).__module__
        lines.append(f"{model_type},{module.removeprefix('sizebook.models.families.')}")
    return "\n".join(lines) + "\n"


def _models_by_type() -> str:
    """Return the models of the catalog with their types, a line each."""
    lines = ["| model | key in the catalog | repository | model type |", "|---|---|---|---|"]
    for row in sorted((row for row in table("models") if row["architecture"]), key=lambda row: row["name"].casefold()):
        repository = row["hf_id"].partition(";")[0] or "none"
        kind = catalog.config(row["key"])["model_type"]
        lines.append(f"| {row['name']} | `{row['key']}` | {repository} | `{kind}` |")
    return "\n".join(lines)


def catalog_page() -> str:
    """Return the page on the catalog with what was read a second time."""
    template = (ROOT / "docs" / "catalog.template.md").read_text(encoding="utf-8")
    rows = table("models")
    again = sum(bool(read_again(row)) for row in rows)
    whole = [row["key"] for row in rows if not unread_again(row)]
    days = sorted({line["retrieved"] for line in table("model_readings")})
    lines = [
        f"{again} of the {len(rows)} rows have a line in `data/model_readings.csv`: facts that were read again, on a",
        f"page that opens, between {days[0]} and {days[-1]}; the other {len(rows) - again} rows have none. Rows whose",
        f"every fact was read so: {len(whole)} ({', '.join(whole)}).",
        "",
        "| fact | rows that hold it | of these read again |",
        "|---|---|---|",
        *(_readings(column, rows) for column in dict.fromkeys(column for row in rows for column in facts_of(row))),
    ]
    return template.replace("<!-- read again -->", "\n".join(lines))


def _readings(column: str, rows: tuple[Row, ...]) -> str:
    """Return how many rows hold a kind of fact, and in how many of these it was read again."""
    held, again = (sum(column in of(row) for row in rows) for of in (facts_of, read_again))
    return f"| {column} | {held} | {again} |"


def api_prices_page() -> str:
    """Return what providers ask for the catalog's models, a line each."""
    heads = (
        "model",
        "provider",
        "its name there",
        "input",
        "cached input",
        "output",
        "batch input",
        "batch output",
        "as of",
    )
    prices = ("input", "cached_input", "output", "batch_input", "batch_output")
    lines = [
        "# What tokens of the catalog's models cost at providers",
        "",
        "USD for a million tokens, from `data/api_prices.csv` ([data](data.md#api-prices)); a blank is not listed.",
        "",
        f"| {' | '.join(heads)} |",
        f"|{'---|' * len(heads)}",
    ]
    listed = (row for row in table("api_prices") if row["catalog_model"])
    for row in sorted(listed, key=lambda row: (row["catalog_model"], row["provider"], row["model"].casefold())):
        named = (f"`{row['catalog_model']}`", row["provider"], row["model"])
        cells = (*named, *(row[f"{name}_usd_per_mtok"] for name in prices))
        lines.append(f"| {' | '.join((*cells, row['date']))} |")
    return "\n".join(lines) + "\n"


TEXTS: dict[str, Callable[[], str]] = {
    "docs/scenario_keys.md": scenario_keys_page,  # first: it takes longest
    "docs/api_prices_table.md": api_prices_page,
    "docs/architectures.md": architectures_page,
    "docs/accuracy.md": accuracy_page,
    "docs/accuracy.svg": accuracy_chart,
    "docs/catalog.md": catalog_page,
    "docs/columns.md": columns_page,
    "docs/data_changes_table.md": changes_page,
    "docs/data_coverage_table.md": coverage_page,
    "docs/errors_table.md": errors_page,
    "docs/peers_table.md": peers.page,
    "docs/plan.schema.json": lambda: json.dumps(schema(), indent=1) + "\n",
    "docs/samples_table.md": samples_page,
    "docs/seeds.md": seeds_page,
    "src/sizebook/__init__.pyi": stub,
    "src/sizebook/data/model_types.csv": model_types_table,
    **{f"docs/{name}": partial(str, text) for name, text in reference().items()},
    **{str(page.relative_to(ROOT)): partial(refreshed, page) for page in pages()},
    **{str(page.relative_to(ROOT)): partial(translated, page) for page in german_pages()},
    **{str(path.relative_to(ROOT)): partial(shown_notebooks.refreshed, path) for path in shown_notebooks.notebooks()},
}


def render_samples(check: bool) -> list[str]:
    """Render the sample reports whose text is out of date, and return their names.

    Texts are compared, not bytes: those also depend on the versions of the layout libraries. What a sample attaches, a
    filled workbook among it, shows in no text: it is made for samples that are written alone.
    """
    stale = []
    for sample, shown, whole in _samples():
        if sample.exists() and _pdf_text(sample.read_bytes()) == _pdf_text(shown()):
            continue
        stale.append(f"reports/{sample.name}")
        if not check:
            sample.write_bytes(whole())
    return stale


def _samples() -> Iterator[tuple[Path, Render, Render]]:
    """Yield each sample, its pages and the whole PDF: one a scenario, and the reconciliation."""
    for path in SCENARIOS:
        yield ROOT / "reports" / f"{path.stem}.pdf", *_sample(path, {})
        if path.stem == IN_GERMAN:
            yield ROOT / "reports" / f"{path.stem}-de.pdf", *_sample(path, {"locale": "de"})
    entered = date.fromisoformat(max(row["retrieved"] for row in table("models")))
    rows = partial(pdf, reconciliation.report(reconcile(), entered))
    yield ROOT / "reports" / "reconciliation.pdf", rows, rows


def _sample(path: Path, asked: dict[str, str]) -> tuple[Render, Render]:
    done = plan_scenario(with_presentation(read_toml(path), asked, path.parent), path.name, path.parent)
    return partial(pdf, done.report, style=done.style), partial(FORMATS["pdf"].content, done)


def _pdf_text(report: bytes) -> bytes:
    """Return the text of a PDF, by poppler: five times as fast as what Python has."""
    return subprocess.run(["pdftotext", "-", "-"], input=report, capture_output=True, check=True).stdout


def text_of(name: str) -> str:
    """Return what a file should hold."""
    return TEXTS[name]()


def _is_stale(name: str, text: str, check: bool) -> bool:
    """Return whether a file holds another text; if so, write it, but for a check."""
    path = ROOT / name
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return False
    if not check:
        path.write_text(text, encoding="utf-8")
    return True


def main() -> int:
    check, asked = "--check" in sys.argv[1:], [word for word in sys.argv[1:] if word != "--check"]
    names = asked or list(TEXTS)
    # German pages are made of the English ones, once those are written.
    german = [name for name in names if name.startswith("docs/de/")]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as beside:
        texts = beside.map(text_of, english := [name for name in names if name not in german])
        stale = [] if asked else render_samples(check)
        stale += [name for name, text in zip(english, texts, strict=True) if _is_stale(name, text, check)]
    stale += [name for name in german if _is_stale(name, text_of(name), check)]
    if training_runs.chart_title() not in (ROOT / "docs" / "training_accuracy.svg").read_text(encoding="utf-8"):
        print("out of date: docs/training_accuracy.svg. Run 'python calibration/training.py'.")
        return 1
    for name in stale:
        print(f"out of date: {name}. Run 'make generated'." if check else f"rebuilt {name}")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
