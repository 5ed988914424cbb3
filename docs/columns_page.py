"""Writes docs/columns.md: every figure and column that plans and sweeps give, read from what declares them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sizebook import __version__
from sizebook.batch.formats import JSON_VERSION
from sizebook.batch.long_tables import COLUMNS, HEADS
from sizebook.batch.plan_contents import declared_figures, outlines
from sizebook.core.sections import Argument
from sizebook.functions import load
from sizebook.plans.serving.tables import COLUMNS as SERVING
from sizebook.plans.training.rows import OUTPUTS
from sizebook.scenarios.money import AMOUNT_FIGURES
from sizebook.scenarios.statement import STATEMENT_FIGURES

SINCE = Path(__file__).resolve().parent / "names_since.json"
NEXT = f"after {__version__}"
FIRST = "0.9.0"  # names of earlier releases were not kept
HEAD = f"""# Columns

Written from the declarations by `make generated`; do not edit. This page lists every name in the files that sizebook
writes: JSON, CSV, Parquet, DuckDB, the index of a batch, anchors of your own template. An unknown value is blank, in
JSON `null`.

Each JSON file states the version of its shape, now {JSON_VERSION}. With [the JSON Schema](plan.schema.json) a program
can check a file. Any release may add names; the version stays. It rises when a name goes or changes, and a test refuses
to let that happen unnoticed. The column *since* has the release that brought a name; {FIRST} means {FIRST} or earlier.

## The JSON file

`sizebook report --formats json`, `sizebook batch --formats json` and `plan.to_json()` in Python write it.

| key | holds |
|---|---|
| `version` | the version of the file's shape, {JSON_VERSION} |
| `plan` | the kind of plan |
| `sizebook` | where the figures come from: version of sizebook, scenario, day, hashes of scenario, data and formulas |
| `notes`, `warnings` | remarks on the counts; what to know before you use the figures |
| `figures` | each figure by its name, with `value`, `unit` and `label` |
| `tables` | each table by its name, as a list of rows |

## The four tables of a batch

The tables `figures`, `months`, `inputs` and `notes` hold one value in each line. `months` has the rows of every table
of a plan, whether they are months or not.
"""
LONG = {
    "run": ("text", "name of the batch, the same in all its lines"),
    "scenario": ("text", "name of the scenario"),
    "hash": ("text", "hash of the scenario and of all that it depends on"),
    "plan": ("text", "kind of plan"),
    "sizebook": ("text", "version of sizebook"),
    "data_date": ("text", "day of the newest table of data"),
    "name": ("text", "name of the figure, column or key"),
    "label": ("text", "the same in words"),
    "unit": ("text", "unit of the value"),
    "value": ("number", "the value, if it is a number"),
    "text": ("text", "the value, if it is not a number"),
    "table": ("text", "table of the plan"),
    "row": ("integer", "row of that table, from 1"),
    "kind": ("text", "note, warning or failed"),
}
MONEY = dict(
    zip(
        (*AMOUNT_FIGURES, *STATEMENT_FIGURES),
        (
            "cost in the currency of `[money]`",
            "the low end of its range",
            "the high end of its range",
            "what 1 USD is in the currency, over the months of the plan",
            "cost of GPUs and of all else, in USD",
            "present value of that, in USD",
            "present value of rented GPUs alone, in USD",
            "present value of bought GPUs, in USD",
            "present value of the calls of an API, in USD",
        ),
        strict=True,
    )
)
SWEPT = {  # what a sweep gives and no plan: unit, type, meaning
    "error_low": ("ratio", "number", "10th percentile of measured over predicted, less 1"),
    "error_high": ("ratio", "number", "90th percentile of measured over predicted, less 1"),
    "error_basis": ("", "text", "which measurements the range rests on"),
    "fits": ("", "flag", "whether memory holds it"),
    "reason": ("", "text", "why there is no answer, or what was searched"),
    "memory_bytes": ("bytes", "number", "memory that the fullest GPU needs"),
    "mfu_reached": ("ratio", "number", "FLOPs in the row's convention over the dense peak"),
}
_ROW_HEAD = ("| name | unit | type | meaning | plans | since |", "|---|---|---|---|---|---|")
Found = tuple[str, Argument]  # the full name of a figure or column, and what declares it


def columns_page() -> str:
    """Return the page: the file, the four tables, figures, then each table of plans and of sweeps."""
    load()
    since = json.loads(SINCE.read_text(encoding="utf-8"))
    return "\n".join((HEAD, *_long(), *_figures(since), *_tables(since), *_sweeps(since))) + "\n"


def names() -> list[str]:
    """Return the full name of every figure, column and result, as names_since.json has it."""
    load()
    plans = declared_figures()
    found = [f"{plan}.{leaf.name}" for plan, figures in plans.items() for leaf in figures]
    for plan, outline in outlines().items():
        found += [f"{plan}.{table.name}.{column.name}" for table in outline.tables for column in table.columns]
    return [*found, *(f"sweep.{plan}.{name}" for plan, listed in _results().items() for name in listed)]


def _long() -> Iterator[str]:
    yield from ("| column | type | meaning | in |", "|---|---|---|---|")
    for name, (kind, meaning) in LONG.items():
        held = [table for table, columns in COLUMNS.items() if name in (*HEADS, *columns)]
        yield f"| `{name}` | {kind} | {meaning} | {'all' if len(held) == len(COLUMNS) else ', '.join(held)} |"


def _figures(since: Mapping[str, str]) -> Iterator[str]:
    yield from ("", "## Figures", "", *_ROW_HEAD)
    figures = declared_figures()
    yield from _rows(((f"{plan}.{leaf.name}", leaf) for plan in figures for leaf in figures[plan]), since)
    yield from ("", "If a scenario has a table `[money]`, also:", "", "| name | meaning |", "|---|---|")
    yield from (f"| `{name}` | {meaning} |" for name, meaning in MONEY.items())


def _tables(since: Mapping[str, str]) -> Iterator[str]:
    found: dict[str, list[Found]] = {}
    for plan, outline in outlines().items():
        for table in outline.tables:
            found.setdefault(table.name, []).extend(
                (f"{plan}.{table.name}.{leaf.name}", leaf) for leaf in table.columns
            )
    for name, columns in found.items():
        yield from ("", f"## Table `{name}`", "", *_ROW_HEAD, *_rows(columns, since))


def _rows(found: Iterable[Found], since: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each name, with the plans that hold it; a name of two meanings has two lines."""
    lines: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for full, leaf in found:
        cells = (f"`{leaf.name}`", leaf.quantity.unit, leaf.quantity.kind, leaf.quantity.meaning.replace("|", "\\|"))
        lines.setdefault(cells, []).append((full.partition(".")[0], since.get(full, NEXT)))
    for cells, held in lines.items():
        releases = dict.fromkeys(release for _, release in held)
        plans = ", ".join(plan for plan, _ in held)
        came = next(iter(releases)) if len(releases) == 1 else ", ".join(f"{plan} {release}" for plan, release in held)
        yield f"| {' | '.join((*cells, plans, came))} |"


def _results() -> dict[str, tuple[str, ...]]:
    return {"serving": SERVING.results_of(SERVING.further), "training": OUTPUTS}


def _sweeps(since: Mapping[str, str]) -> Iterator[str]:
    """Yield what a sweep puts beside the columns of its table, in the words of the plan's figure of that name."""
    for plan, results in _results().items():
        table = outlines()[plan].tables[0].columns
        declared = {leaf.name: leaf.quantity for leaf in (*table, *declared_figures()[plan])}
        yield from (
            "",
            f"## Sweep of {plan} rows",
            "",
            "| name | unit | type | meaning | since |",
            "|---|---|---|---|---|",
        )
        for name in results:
            known = declared.get(name)
            unit, kind, meaning = SWEPT[name] if known is None else (known.unit, known.kind, known.meaning)
            yield f"| `{name}` | {unit} | {kind} | {meaning} | {since.get(f'sweep.{plan}.{name}', NEXT)} |"
