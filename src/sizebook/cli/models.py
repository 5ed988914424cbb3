"""`sizebook models` lists the catalog; `sizebook reconcile` compares published and computed counts."""

import csv
import io
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from sizebook.cli.options import FILE, presentation_options, refuse_without_effect, report_style
from sizebook.cli.shell_completion import families, names_of
from sizebook.cli.text_tables import text_table
from sizebook.core.coercion import coerce
from sizebook.core.errors import InputError, UnknownKeyError
from sizebook.core.hints import suggestion, unknown_key
from sizebook.core.sections import leaves
from sizebook.core.units import grouped, parameters
from sizebook.models import catalog
from sizebook.models.reconciliation import Comparison, compare, reconcile
from sizebook.models.searching import Wanted, matching, read_again, unread_again

_SHOWN = ("model", "organisation", "released", "context", "total", "active", "published", "difference", "status")
_COMPUTED = ("total", "active", "difference", "status")
_READINGS = ("read_again", "not_read_again")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _sentence(meaning: str) -> str:
    return f"{meaning[:1].upper()}{meaning[1:]}."


def search_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add one option per search condition."""
    for leaf in reversed(leaves(Wanted)):
        command = click.option(_option(leaf.name), help=_sentence(leaf.quantity.meaning))(command)
    return command


@click.command("models")
@click.option("--family", shell_complete=names_of(families), help="Only the models of one family.")
@search_options
@click.option("--sort", "key", help="Sort by any column of --csv; a minus in front reverses the order.")
@click.option("--csv", "as_csv", is_flag=True, help="Print every column as CSV.")
@click.option("--json", "as_json", is_flag=True, help="Print every column as JSON, with the parts of each count.")
def list_models(family: str | None, key: str | None, as_csv: bool, as_json: bool, **asked: str | None) -> None:
    """List the published models: facts, exact count, and how it compares with the published one.

    Conditions add up: --search qwen --max-total 10B --licence apache lists the small Qwen models under Apache.
    """
    refuse_without_effect("with --json", csv=as_csv and as_json)
    if family is not None and family not in catalog.families():
        raise unknown_key("family", family, catalog.families(), where="a family that 'sizebook models --csv' lists")
    columns = (*catalog.facts(catalog.model_keys()[0]), *_COMPUTED, *_READINGS)
    if key is not None and key.removeprefix("-") not in columns:
        raise unknown_key(
            "column", key.removeprefix("-"), columns, where="a column that 'sizebook models --csv' prints"
        )
    entries = _sorted([_entry(model) for model in _found(family, asked)], key)
    if as_json:
        click.echo(json.dumps([_with_parts(entry) for entry in entries], indent=2, ensure_ascii=False))
    elif as_csv:
        click.echo(_csv(entries), nl=False)
    else:
        click.echo(_columns(entries))


def _found(family: str | None, asked: Mapping[str, str | None]) -> tuple[str, ...]:
    """Return the models that meet every condition; no match is an error that repeats the conditions."""
    wanted = Wanted(**{leaf.name: coerce(leaf, asked[leaf.name]) for leaf in leaves(Wanted)})
    keys = catalog.model_keys(family)
    found = matching(keys, wanted)
    if not found:
        given = ", ".join(f"{_option(name)} {value}" for name, value in asked.items() if value is not None)
        near = suggestion(asked["search"] or "", keys)
        raise UnknownKeyError(f"no model found: got {given}, want conditions that a row meets. Loosen one.{near}")
    return found


def _entry(model: str) -> dict[str, Any]:
    """Return the facts of a model, numbers as numbers, with the computed columns."""
    row = catalog.facts(model)
    compared = compare(model)
    counted = catalog.counted(model) if row["architecture"] else None
    computed = dict.fromkeys(_COMPUTED)
    if counted is not None:
        computed = {"total": counted.total, "active": counted.active, "difference": compared.difference}
    again = {"read_again": " ".join(read_again(row)), "not_read_again": " ".join(unread_again(row))}
    return {name: _value(text) for name, text in row.items()} | computed | {"status": compared.status} | again


def _value(text: str) -> str | int | float | None:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text or None


def _sorted(entries: list[dict[str, Any]], key: str | None) -> list[dict[str, Any]]:
    if key is None:
        return entries
    column = key.removeprefix("-")
    known = [entry for entry in entries if entry[column] is not None]
    numbers = all(isinstance(entry[column], (int, float)) for entry in known)
    known.sort(key=lambda e: e[column] if numbers else str(e[column]).casefold(), reverse=key.startswith("-"))
    return known + [entry for entry in entries if entry[column] is None]


def _with_parts(entry: dict[str, Any]) -> dict[str, Any]:
    if entry["total"] is None:
        return entry
    counted = catalog.counted(entry["key"])
    return entry | {"parts": counted.parts, "buffers": counted.buffers, "mtp": counted.mtp}


def _csv(entries: list[dict[str, Any]]) -> str:
    written = io.StringIO()
    writer = csv.DictWriter(written, list(entries[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(entries)
    return written.getvalue()


def _columns(entries: list[dict[str, Any]]) -> str:
    words = [_SHOWN.index(name) for name in ("model", "organisation", "released", "status")]
    return "\n".join(text_table([_SHOWN, *map(_shown, entries)], left=words))


def _shown(entry: dict[str, Any]) -> tuple[str, ...]:
    total, active, difference = entry["total"], entry["active"], entry["difference"]
    return (
        entry["key"],
        entry["organisation"],
        entry["release_date"] or "",
        grouped(entry["context_length"]) if entry["context_length"] else "",
        grouped(total) if total else "",
        parameters(active) if active and active != total else "",
        str(entry["published_total"] or ""),
        "" if difference is None else f"{difference:+,}".replace(",", "\u2009"),
        entry["status"],
    )


@click.command("reconcile")
@click.option("-o", "--output", type=FILE, help="PDF or XLSX to write.")
@presentation_options
def write_reconciliation(output: Path | None, **asked: Any) -> None:
    """Compare the published parameter count of every model with the computed one; exit with 1 if one is unexplained.

    Prints a summary and the explained differences; with --output it writes the whole report.
    """
    if output is not None and output.suffix.casefold() not in (".pdf", ".xlsx"):
        raise InputError(f"unknown format: got '{output.name}', want a name that ends in .pdf or .xlsx. Rename it.")
    is_report = output is not None and output.suffix.casefold() == ".pdf"
    if not is_report:
        refuse_without_effect("without a report (-o NAME.pdf)", **asked)
    compared = reconcile()
    if output is None:
        click.echo(_summary(compared))
    else:
        from sizebook.batch import reconciliation_files

        style = report_style(asked) if is_report else None
        reconciliation_files.write_reconciliation(compared, output, style)
        click.echo(output)
    sys.exit(1 if any(one.status == "unexplained" for one in compared) else 0)


def _summary(compared: tuple[Comparison, ...]) -> str:
    lines = []
    for status in ("exact", "rounds to it", "cut to it", "explained", "unexplained", "not stated", "not published"):
        lines.append(f"{sum(one.status == status for one in compared):5} {status}")
    lines.append("")
    for one in compared:
        if one.status in ("explained", "unexplained") and one.stated and one.computed:
            lines.append(
                f"{one.key} ({one.what}): stated {one.stated.shown}, computed {grouped(one.computed)}, {one.status}. "
                f"{one.explanation}".rstrip()
            )
    return "\n".join(lines)
