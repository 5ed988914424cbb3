"""`sizebook inspect` shows the inputs of an output file, and whether its figures are the same today."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sizebook.cli.options import FILE, FOLDER
from sizebook.core.extras import need

if TYPE_CHECKING:
    from sizebook.batch.inspection import Inspection

_MOST = 40  # figures shown as text; JSON has all


@click.command("inspect")
@click.argument("file", type=FILE)
@click.option("--folder", type=FOLDER, help="Folder of the files that the scenario names.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON.")
def inspect_output(file: Path, folder: Path | None, as_json: bool) -> None:
    """Print version, data, scenario and hash of FILE, an output in any format, and the figures that changed since.

    Exits with 1 if figures differ today, or the scenario is refused.
    """
    need("workbooks", "reports")
    from sizebook.batch.inspection import inspect

    found = inspect(file, folder)
    click.echo(json.dumps(asdict(found), indent=2) if as_json else "\n".join(as_text(found)))
    if not found.is_same:
        sys.exit(1)


def as_text(found: Inspection) -> list[str]:
    """Return an inspection as lines."""
    record = found.record
    lines = [f"version   {record['sizebook']}", f"data      newest of {_newest(record)}"]
    if "reconciliation" in record:
        lines.append(f"compares  {record['reconciliation']} stated counts with computed ones")
        return [*lines, "", *_today(found), *_causes(found)]
    if "scenario" not in record:
        lines.append(f"batch     of {record.get('batch', 0)} scenarios; inspect their own files")
        return [*lines, *_causes(found)]
    lines += [
        f"as of     {record['as_of']}",
        f"scenario  {json.dumps(record['scenario'], ensure_ascii=False)}",
        f"hash      {record['hash']}",
        *(f"input     {name}: {mark}" for name, mark in record["inputs"].items()),
        "",
    ]
    return [*lines, *_today(found), *_causes(found)]


def _newest(record: Any) -> str:
    return max((each["retrieved"] for each in record["data"].values()), default="no day")


def _today(found: Inspection) -> list[str]:
    if found.problem:
        return [f"today     refused: {found.problem}"]
    if found.moved:
        lines = [f"today     {len(found.moved)} figures differ"]
        for each in found.moved[:_MOST]:
            change = "" if each.change is None else f" ({each.change:+.2%})"
            lines.append(f"  {each.name}: {_shown(each.before)} -> {_shown(each.today)}{change}")
        return lines + ([f"  and {len(found.moved) - _MOST} more: --json"] if len(found.moved) > _MOST else [])
    if found.same_bytes is None:
        return ["today     the same figures"]
    if found.same_bytes:
        return ["today     the same, byte for byte"]
    return ["today     the same figures in different bytes: the version or a layout library differs"]


def _shown(value: Any) -> str:
    return "nothing" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


def _causes(found: Inspection) -> list[str]:
    """Return the causes that the record shows."""
    said = [f"why       {cause}" for cause in found.causes]
    if found.moved and not said:
        said = ["why       no recorded input differs: the file was edited, or a library has another version"]
    return said or ["since     version, formulas, data and inputs are the same"]
