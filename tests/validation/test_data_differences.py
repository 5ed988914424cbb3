"""What two states of a table differ in, by hand."""

from pathlib import Path

from sizebook.core.errors import InputError
from sizebook.core.tables import shipped
from tests.commands import run
from tests.csv_files import written


def test_rows_that_went_changed_and_came(tmp_path: Path) -> None:
    gone, changed, kept, new = (dict(row) for row in shipped("nodes")[:4])
    before = written(tmp_path / "before.csv", [gone, changed, kept])
    after = written(
        tmp_path / "after.csv",
        [changed | {"node_kw": "7", "rack_units": ""}, kept | {"source": "elsewhere", "retrieved": "2026-11-25"}, new],
    )
    assert run("data", "diff", before, after).output.splitlines() == [
        "- a100-sxm-80gb",
        "~ a100-sxm-40gb: node_kw 6.5 -> 7, rack_units 6 -> blank",
        "+ h200-sxm",
        f"3 differences between {before} and {after}",
    ]
    assert run("data", "diff", before, before).output == f"no differences between {before} and {before}\n"


def test_two_kinds_of_table(tmp_path: Path) -> None:
    nodes = written(tmp_path / "nodes.csv", [dict(shipped("nodes")[0])])
    grid = written(tmp_path / "grid.csv", [dict(shipped("grid")[0])])
    error = run("data", "diff", nodes, grid).exception
    assert isinstance(error, InputError)
    assert str(error) == (
        f"two kinds of table: got nodes in {nodes} and grid in {grid}, want the same. "
        "Compare tables of one kind, or two packs."
    )
