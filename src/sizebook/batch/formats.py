"""The output formats of a scenario: one table that commands, journal and index use.

Each is a function from a planned scenario to the bytes of a file, and each file carries the record of what it was made
of. A new format is one line of `FORMATS`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from sizebook.batch.long_tables import DATABASE, lines_of
from sizebook.batch.plan_kinds import PlannedScenario
from sizebook.batch.record import json_values
from sizebook.core.errors import InputError
from sizebook.core.extras import need
from sizebook.core.hints import want_one_of
from sizebook.plans.contents import Figure, Value
from sizebook.sources.cell_text import neutral_cells
from sizebook.sources.writing import csv_text, make_folder, write_whole

RECORD = "sizebook"  # the key of the record in JSON, its name in CSV
File = TypeVar("File")
JSON_VERSION = 1  # of the shape of JSON; what is taken away or renamed makes the next
CSV_HEADS = ("table", "row", "name", "unit", "value")


@dataclass(frozen=True)
class Format:
    """A kind of file: what it shows, and the function that makes it."""

    meaning: str
    content: Callable[[PlannedScenario], bytes]


@dataclass(frozen=True)
class Made(Generic[File]):
    """What became of one scenario: files by format, the figures that an index shows, and remarks.

    ``lines`` are what it gives to the tables of the whole batch, where those are asked for: the journal keeps them.
    """

    files: Mapping[str, File]
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()
    lines: str = ""


FileContents: TypeAlias = Made[bytes]  # before it is written
Outputs: TypeAlias = Made[Path]


def _pdf(made: PlannedScenario) -> bytes:
    need("reports")
    from sizebook.reports.pdf import Attachment
    from sizebook.reports.render import pdf

    attached = [
        Attachment("scenario.toml", _toml(made), description="the scenario", relationship="Source"),
        Attachment(
            "figures.json",
            _json(made),
            description="all figures, and what they were made of",
            relationship="Data",
        ),
    ]
    if made.has_workbook:
        said, content = "the planning workbook, filled", made.workbook.content
        attached.append(Attachment(made.workbook_name, content, description=said, relationship="Supplement"))
    return pdf(made.report, attached, made.style)


def _toml(made: PlannedScenario) -> bytes:
    import tomli_w

    return tomli_w.dumps(_without_blanks(made.record["scenario"])).encode()


def _without_blanks(value: Any) -> Any:
    """Return values as TOML holds them: it has no word for a blank, which means the same as none."""
    if isinstance(value, Mapping):
        return {str(key): _without_blanks(inner) for key, inner in value.items() if inner is not None}
    return [_without_blanks(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _xlsx(made: PlannedScenario) -> bytes:
    return made.workbook.content


def _html(made: PlannedScenario) -> bytes:
    from sizebook.reports.render import html_page

    return html_page(made.report, json.dumps(made.record), made.style).encode()


def _json(made: PlannedScenario) -> bytes:
    found = {
        "version": JSON_VERSION,
        "plan": made.kind,
        RECORD: {key: value for key, value in made.record.items() if key != "figures"},
        "notes": list(made.notes),
        "warnings": list(made.warnings),
        "figures": {
            figure.name: {"value": json_values(figure.value), "unit": figure.unit, "label": figure.label}
            for figure in made.contents.figures
        },
        "tables": {
            table.name: [
                {column.name: json_values(value) for column, value in zip(table.columns, row, strict=True)}
                for row in table.rows
            ]
            for table in made.contents.tables
        },
    }
    return (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode()


def _csv(made: PlannedScenario) -> bytes:
    """Return one figure a line, with the row that it stands in: a shape that fits every plan and every pivot table."""
    return csv_text(CSV_HEADS, map(neutral_cells, _lines(made)), end="\r\n").encode()


def _lines(made: PlannedScenario) -> Iterator[Sequence[Value]]:
    for figure in made.contents.figures:
        yield "figures", 1, figure.name, figure.unit, figure.value
    for table in made.contents.tables:
        for number, row in enumerate(table.rows, 1):
            for column, value in zip(table.columns, row, strict=True):
                yield table.name, number, column.name, column.quantity.unit, value
    yield RECORD, 1, "record", "JSON", json.dumps(made.record)


FORMATS: dict[str, Format] = {
    "pdf": Format("the report, with scenario, figures and, where it was made, the workbook attached", _pdf),
    "xlsx": Format("the planning workbook, filled; a programme has none", _xlsx),
    "json": Format("all figures and tables with their units", _json),
    "html": Format("the report as one page for browsers", _html),
    "csv": Format("all figures and tables, one figure a line", _csv),
}
USUAL = ("pdf", "xlsx")
# No file a scenario: four tables of the whole batch, by the ending of their files.
LONG_TABLES = {"parquet": ".parquet", "csv-tables": ".csv", "duckdb": DATABASE}


def parse_formats(text: str, others: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the formats that a text lists, ``pdf,xlsx``. Errors: `InputError` for an unknown one, and for none."""
    words, known = [word.strip().casefold() for word in text.split(",") if word.strip()], (*FORMATS, *others)
    for word in words or [""]:
        if word not in known:
            raise InputError(f"unknown format: got '{word}', want {want_one_of(word, known, lists='docs/reports.md')}")
    return tuple(name for name in known if name in words)


def file_contents(made: PlannedScenario, formats: Sequence[str] = USUAL) -> FileContents:
    """Return the files of a planned scenario as bytes; a PDF comes last, for it takes the workbook that was made."""
    known = [name for name in formats if name in FORMATS]
    files = {name: FORMATS[name].content(made) for name in sorted(known, key="pdf".__eq__)}
    return FileContents(
        {name: files[name] for name in known},
        made.contents.first,
        made.notes,
        lines_of(made) if LONG_TABLES.keys() & set(formats) else "",
    )


def write_contents(content: FileContents, folder: Path, stem: str) -> Outputs:
    """Write the files of a scenario into a folder, each whole or not at all; return where they are."""
    if content.files:
        make_folder(folder)
    files = {name: write_whole(folder / f"{stem}.{name}", bytes_) for name, bytes_ in content.files.items()}
    return Outputs(**vars(content) | {"files": files})


def produce_files(made: PlannedScenario, folder: Path, stem: str, formats: Sequence[str] = USUAL) -> Outputs:
    """Write the files of a planned scenario into a folder; all are made before the first is written."""
    return write_contents(file_contents(made, formats), folder, stem)
