"""Own models beside the catalog: rows of a CSV file, and models that a config.json describes."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sizebook.core.coercion import coerce
from sizebook.core.errors import InputError, SizebookError, UnknownKeyError
from sizebook.core.hints import unknown_key
from sizebook.core.sections import Argument, Kind, Quantity
from sizebook.core.tables import by_key
from sizebook.dashboard.catalog_models import Model, card_facts, computed_values, derived_values
from sizebook.dashboard.features import features
from sizebook.dashboard.model_columns import BY_NAME, COLUMNS, Column, column_quotient
from sizebook.models import catalog
from sizebook.models.reconciliation import agreement, statement
from sizebook.scenarios.local_numbers import read_local_numbers
from sizebook.sources.spreadsheet_csv import read_spreadsheet_csv

GIVEN = tuple(column.name for column in COLUMNS if column.given)
HEADS = ("name", "config", *GIVEN, "note", "link", "source")
# How a spreadsheet writes each column; a stated count is a number with a letter.
_KINDS = {column.name: "integer" if column.kind == "count" else column.kind for column in COLUMNS} | {
    "published_total": "number"
}
_SUFFIXES = (".csv", ".tsv", ".txt")
_DAY = re.compile(r"\d{4}-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?")
_COUNTED = ("n_layers", "d_model", "n_heads", "n_kv_heads", "d_head", "d_ff")


def model_of_config(path: Path) -> Model:
    """Return the model that a config.json describes; its formulas ask for the file by its full path."""
    file = path / "config.json" if path.is_dir() else path
    catalog.check_config_name(str(file))
    return _model(catalog.file_name(file), str(file.resolve()), {}, {})


def models_of_table(path: Path) -> tuple[list[Model], tuple[str, ...]]:
    """Return the models of a CSV file as a spreadsheet of any country wrote it, and what reading it took for granted.

    One model a row, heads as the page names its columns, and ``name``, ``config``. A row with ``config``, a path
    relative to the file, is counted; of others the page shows what the row states.
    """
    if path.suffix.casefold() not in _SUFFIXES:
        raise InputError(
            f"unknown table: got '{path.name}', want a name that ends in {', '.join(_SUFFIXES)}. Save it as CSV."
        )
    table = read_spreadsheet_csv(path, comments=True)
    given = [_filled(row) for row in table.rows()]
    rows, notes = read_local_numbers(given, [_KINDS] * len(given), path.name, has_decimals=table.separator != ",")
    if not rows:
        raise InputError(f"no models: got no row in {path.name}, want one a model. Fill the table.")
    models = [_of_row(cells, f"row {line} of {path.name}", path.parent) for line, cells in enumerate(rows, start=1)]
    return models, (*table.notes, *notes)


def _filled(row: Mapping[str, str | None]) -> dict[str, str]:
    if unknown := [head for head in row if head not in HEADS]:
        raise unknown_key("column", unknown[0], HEADS)
    return {head: cell.strip() for head, cell in row.items() if cell and cell.strip()}


def _of_row(cells: dict[str, str], where: str, folder: Path) -> Model:
    if "name" not in cells:
        raise InputError(f"no name: got a blank in {where}, want a name for the model. Fill the column 'name'.")
    if "config" not in cells:
        return _model(cells["name"], "", _stated(cells, where), cells)
    if twice := [name for name in _COUNTED if name in cells]:
        raise InputError(
            f"stated twice: got {twice[0]} beside config in {where}, want it from the config alone. Blank the cell."
        )
    asks = str((folder / cells["config"]).resolve())
    if not asks.casefold().endswith(".json"):
        raise InputError(
            f"not a config: got '{cells['config']}' in {where}, want a file that ends in .json. Correct the path."
        )
    return _model(cells["name"], asks, _stated(cells, where), cells)


def _stated(cells: Mapping[str, str], where: str) -> dict[str, Any]:
    """Return what a row states, numbers as numbers, each refused as a cell would be."""
    stated = {name: _read(BY_NAME[name], cells[name], where) for name in GIVEN if name in cells}
    activations = by_key("activations", "activation")
    if stated.get("activation", next(iter(activations))) not in activations:
        raise unknown_key("activation", stated["activation"], activations)
    return stated


def _read(column: Column, cell: str, where: str) -> Any:
    if column.kind == "date":
        if not _DAY.fullmatch(cell):
            raise InputError(
                f"not a day: got '{cell}' in {where}, want YYYY-MM-DD, or YYYY-MM. Write {column.name} so."
            )
        return cell
    if column.name == "published_total":
        try:
            statement(cell)
        except InputError as error:
            raise InputError(
                f"not a stated count: got '{cell}' in {where}, want digits with K, M, B or T, such as 7.2B. Write "
                "published_total so."
            ) from error
        return cell
    if column.kind == "text":
        return cell
    kind: Kind = "integer" if column.kind == "count" else "number"
    try:
        return coerce(Argument(column.name, Quantity(column.meaning, column.unit, kind, minimum=0), None), cell)
    except SizebookError as error:
        raise error.with_message(f"{where}: {error}") from error


def _model(name: str, asks: str, stated: dict[str, Any], cells: Mapping[str, str]) -> Model:
    counted = computed_values(asks) if asks else dict.fromkeys(BY_NAME)
    values = counted | stated
    for column in COLUMNS:
        if column.over and isinstance(column.over, str):
            values[column.name] = column_quotient(column, values[str(column.call[1])], values)
    compared = _compared(values)
    number = statement(stated["published_total"]).parameters if "published_total" in stated else None
    card = card_facts({**cells, "activation": values["activation"]}) | compared
    return Model(
        key=f"own:{name}",
        name=name,
        values=values | {"difference": compared.get("relative"), "status": compared.get("status", "own model")},
        size=values["total"] or number,
        asks=asks,
        own=True,
        features=features(catalog.architecture(asks)) if asks else (),
        card=card | (derived_values(asks) if asks else {}),
    )


def _compared(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the count of a config stands to the row's own statement."""
    total, text = values["total"], values["published_total"]
    if total is None or text is None:
        return {}
    stated = statement(text)
    off = total - stated.parameters
    return {
        "stated": stated.shown,
        "computed": total,
        "off": off,
        "status": agreement(stated, total),
        "relative": off / stated.parameters,
    }


def refuse_repeated(models: list[Model]) -> None:
    """Raise where two models of the page have one name: a link could not tell them apart."""
    seen: set[str] = set()
    for model in models:
        if model.key in seen:
            raise UnknownKeyError(f"name given twice: got '{model.name}' again, want each once. Rename one.")
        seen.add(model.key)
