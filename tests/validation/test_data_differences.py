"""What two states of a table differ in, by hand."""

import csv
from pathlib import Path

from click.testing import CliRunner, Result

from sizebook.cli import app
from sizebook.core.errors import InputError
from sizebook.core.tables import Row, shipped


def written(path: Path, rows: list[Row]) -> str:
    with path.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return str(path)


def run(*words: str) -> Result:
    return CliRunner().invoke(app, ["data", "diff", *words])


def test_rows_that_went_changed_and_came(tmp_path: Path) -> None:
    gone, changed, kept, new = (dict(row) for row in shipped("nodes")[:4])
    before = written(tmp_path / "before.csv", [gone, changed, kept])
    after = written(
        tmp_path / "after.csv",
        [changed | {"node_kw": "7", "rack_units": ""}, kept | {"source": "elsewhere", "retrieved": "2026-11-25"}, new],
    )
    assert run(before, after).output.splitlines() == [
        "- a100-sxm-80gb",
        "~ a100-sxm-40gb: node_kw 6.5 -> 7, rack_units 6 -> blank",
        "+ h200-sxm",
        f"3 differences between {before} and {after}",
    ]
    assert run(before, before).output == f"no differences between {before} and {before}\n"


def test_two_kinds_of_table(tmp_path: Path) -> None:
    nodes = written(tmp_path / "nodes.csv", [dict(shipped("nodes")[0])])
    grid = written(tmp_path / "grid.csv", [dict(shipped("grid")[0])])
    error = run(nodes, grid).exception
    assert isinstance(error, InputError)
    assert str(error) == (
        f"two kinds of table: got nodes in {nodes} and grid in {grid}, want the same. "
        "Compare tables of one kind, or two packs."
    )
