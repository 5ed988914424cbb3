"""The four tables of a batch hold what the JSON of every scenario holds, say what failed, and survive a stop."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from sizebook.batch.journal import Outcome
from sizebook.batch.runner import RunOptions, run_batch
from sizebook.batch.scenario_list import read_batch
from sizebook.cli import app
from sizebook.core.errors import InputError
from tests.refused import message_of

pl = pytest.importorskip("polars")

SCENARIOS = """
[[scenario]]
name = "serve"
plan = "serving"
model = "llama-3.1-8b"
gpu = "h100-sxm"
requests_per_day = 1e6
input_tokens = 2000
output_tokens = 300
months = 2
as_of = "2026-11-21"
[[scenario]]
name = "count"
model = "llama-3.1-8b"
as_of = "2026-11-21"
[[scenario]]
name = "bad"
model = "llama-9"
"""
TABLES = ("figures", "months", "inputs", "notes")


def run(folder: Path, *words: str, scenarios: str = SCENARIOS) -> Any:
    (folder / "list.toml").write_text(scenarios, encoding="utf-8")
    asked = ["batch", str(folder / "list.toml"), "-o", str(folder / "out"), "--jobs", "1", *words]
    return CliRunner().invoke(app, asked)


def value(row: dict[str, Any]) -> Any:
    return row["text"] if row["value"] is None else row["value"]


def test_tables_hold_what_the_json_holds_and_name_what_failed(tmp_path: Path) -> None:
    done = run(tmp_path, "--formats", "parquet,json")
    assert done.exit_code == 1 and "2 of 3 scenarios done" in done.output
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        *(f"{name}.parquet" for name in TABLES),
        *("serve.json", "count.json", "index.xlsx", "index.html", "journal.sqlite"),
    }
    figures, months, inputs, notes = (pl.read_parquet(tmp_path / "out" / f"{name}.parquet") for name in TABLES)
    for name in ("serve", "count"):
        written = json.loads((tmp_path / "out" / f"{name}.json").read_text(encoding="utf-8"))
        of_it = figures.filter(pl.col("scenario") == name)
        assert set(of_it["hash"]) == {written["sizebook"]["hash"]} and of_it["run"].n_unique() == 1
        shown = {row["name"]: (value(row), row["unit"], row["label"]) for row in of_it.iter_rows(named=True)}
        for figure, each in written["figures"].items():
            assert shown[figure] == (each["value"], each["unit"], each["label"])
        rows = months.filter(pl.col("scenario") == name)
        assert rows.height == sum(len(row) for table in written["tables"].values() for row in table)
        for row in rows.iter_rows(named=True):
            wanted = written["tables"][row["table"]][row["row"] - 1][row["name"]]
            assert value(row) == wanted
        said = notes.filter((pl.col("scenario") == name) & (pl.col("kind") != "failed"))["text"].to_list()
        assert said == written["notes"] + written["warnings"]
    [failed] = notes.filter(pl.col("kind") == "failed").iter_rows(named=True)
    assert failed["scenario"] == "bad" and "unknown model: got 'llama-9'" in failed["text"]
    asked = {row["name"]: row for row in inputs.filter(pl.col("scenario") == "serve").iter_rows(named=True)}
    assert asked["requests_per_day"]["value"] == 1e6 and asked["requests_per_day"]["unit"] == "requests"
    assert asked["gpu"]["text"] == "h100-sxm" and asked["months"]["value"] == 2.0


def test_tables_in_csv_hold_what_those_in_parquet_hold_beside_a_scenario_of_their_name(tmp_path: Path) -> None:
    """A scenario called after a table keeps its own file: it gets its number, as one called index does."""
    list_ = SCENARIOS.replace('name = "count"', 'name = "Notes"\ntitle = "=1+1"')
    done = run(tmp_path, "--formats", "csv,parquet,csv-tables", scenarios=list_)
    assert done.exit_code == 1 and "2 of 3 scenarios done" in done.output
    assert {path.name for path in (tmp_path / "out").glob("*.csv")} == {
        *(f"{name}.csv" for name in TABLES), "serve.csv", "Notes-2.csv",
    }  # fmt: skip
    for name in TABLES:
        parquet, table = pl.read_parquet(tmp_path / "out" / f"{name}.parquet"), tmp_path / "out" / f"{name}.csv"
        held = pl.read_csv(table, schema=parquet.schema)
        texts = pl.when(pl.col("text").str.contains("^[=+@-]")).then("'" + pl.col("text")).otherwise(pl.col("text"))
        assert held.equals(parquet.with_columns(text=texts)), name
    assert "'=1+1" in pl.read_csv(tmp_path / "out" / "inputs.csv", infer_schema=False)["text"].to_list()


def test_tables_in_duckdb_are_those_in_parquet_in_one_file(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    done = run(tmp_path, "--formats", "parquet,duckdb")
    assert done.exit_code == 1 and "2 of 3 scenarios done" in done.output
    with duckdb.connect(tmp_path / "out" / "batch.duckdb", read_only=True) as database:
        assert {name for [name] in database.sql("SHOW TABLES").fetchall()} == set(TABLES)
        for name in TABLES:
            held, parquet = database.table(name), pl.read_parquet(tmp_path / "out" / f"{name}.parquet")
            assert held.columns == parquet.columns and held.fetchall() == parquet.rows(), name
        asked = "SELECT unit, value FROM figures WHERE scenario = 'count' AND name = 'parameters'"
        assert database.sql(asked).fetchall() == [("parameters", 8_030_261_248.0)]
        beside = database.read_parquet(str(tmp_path / "out" / "figures.parquet"))  # opened by DuckDB, not by us
        assert beside.fetchall() == database.table("figures").fetchall()
    (tmp_path / "out" / "batch.duckdb").unlink()
    assert "2 of them before" in run(tmp_path, "--formats", "parquet,duckdb", "--resume").output
    assert (tmp_path / "out" / "batch.duckdb").exists()


def test_duckdb_that_cannot_write_says_so(tmp_path: Path) -> None:
    """What DuckDB says of a full disk is told in our words, and no half of a file stays."""
    duckdb = pytest.importorskip("duckdb")
    from sizebook.batch.long_tables import write_database

    def fails(table: str, path: Path) -> None:
        raise duckdb.IOException(f"no space for {table}")

    assert message_of(InputError, write_database, ["figures"], fails, tmp_path / "batch.duckdb") == (
        f"cannot write: got no space for figures for {tmp_path / 'batch.duckdb'}, want a disk with room for the "
        "tables. Make room."
    )
    assert list(tmp_path.iterdir()) == []


def test_a_batch_that_stopped_goes_on_to_the_same_tables(tmp_path: Path) -> None:
    run(tmp_path, "--formats", "parquet")
    whole = {name: (tmp_path / "out" / f"{name}.parquet").read_bytes() for name in TABLES}
    (tmp_path / "out" / "figures.parquet").unlink()
    done = run(tmp_path, "--formats", "parquet", "--resume")
    assert f"2 of 3 scenarios done, 2 of them before. Tables: {tmp_path / 'out'}\n" in done.output
    assert {name: (tmp_path / "out" / f"{name}.parquet").read_bytes() for name in TABLES} == whole


def test_tables_alone_are_four_files_once_they_are_whole(tmp_path: Path) -> None:
    """No index, which lists files of scenarios; and no journal, unless a scenario is left to do."""
    files = [f"{name}.parquet" for name in sorted(TABLES)]
    run(tmp_path, "--formats", "parquet")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted([*files, "journal.sqlite"])
    mended = SCENARIOS.replace("llama-9", "gpt-2-small")
    done = run(tmp_path, "--formats", "parquet", "--resume", scenarios=mended)
    assert done.exit_code == 0 and "3 of 3 scenarios done, 2 of them before. " in done.output
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == files


def test_a_batch_of_tables_that_is_stopped_halfway_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    """What was done when it stopped stands in its journal, and no table is there before all are."""
    scenarios = SCENARIOS.replace("llama-9", "gpt-2-small")
    run(tmp_path, "--formats", "parquet", scenarios=scenarios)
    whole = {name: (tmp_path / "out" / f"{name}.parquet").read_bytes() for name in TABLES}
    folder = tmp_path / "out"
    for path in folder.iterdir():
        path.unlink()

    def stopped(outcomes: Iterator[Outcome], _n: int) -> Iterator[Outcome]:
        yield next(outcomes)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_batch(read_batch(tmp_path / "list.toml").rows, folder, RunOptions(1, ("parquet",)), stopped)
    assert [path.name for path in folder.iterdir()] == ["journal.sqlite"]
    done = run(tmp_path, "--formats", "parquet", "--resume", scenarios=scenarios)
    assert "3 of 3 scenarios done, 1 of them before. " in done.output
    assert {path.stem: path.read_bytes() for path in folder.iterdir()} == whole
