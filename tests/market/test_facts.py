"""Grids of Our World in Data and accelerators of Epoch AI: a country gains a year, a blank cell a figure.

The answers are rows of real ones, cut to the columns that are read and a few beside them: owid/energy-data@e7897ae and
natepaulo43-oss/Capstone-AI-Capex-Wall@efc5e00, which keeps Epoch AI's table as of 2026-04-27.
"""

from pathlib import Path

import pytest

from sizebook.core.tables import Row, read, shipped
from sizebook.market.updating import Update, updates
from sizebook.tables import grid
from sizebook.tables.grid import grid_of, grids
from tests.commands import run

ANSWERS = Path(__file__).parent / "answers"
OWID, EPOCH = "owid-energy-data-2026-05-05.csv", "epoch-hardware-2026-04-27.csv"
TODAY = "2026-11-26"


def updated(folder: Path, file: str, table: str, known: list[Row], changes: tuple[str, str] = ("", "")) -> Update:
    (folder / file).write_text((ANSWERS / file).read_text(encoding="utf-8").replace(*changes), encoding="utf-8")
    (update,) = updates(folder, {table: known}, TODAY, with_new=False)
    return update


def cells_of(row: Row, *columns: str) -> tuple[str, ...]:
    return tuple(row[column] for column in columns)


def test_a_country_gains_its_newest_year(tmp_path: Path) -> None:
    known = list(shipped("grid"))
    update = updated(tmp_path, OWID, "grid", known)
    assert [cells_of(row, "key", "year", "g_co2e_per_kwh", "kind", "basis") for row in update.added] == [
        ("guf", "2023", "244.900", "country", "location"),
        ("usa", "2025", "384.400", "country", "location"),
    ]
    assert update.added[0]["source"] == ("Our World in Data, energy data: Ember and the Energy Institute (CC-BY 4.0)")
    assert update.left == []
    assert update.applied(known)[: len(known)] == known
    assert updates(tmp_path, {"grid": update.applied(known)}, TODAY, with_new=False)[0].added == []


def test_the_newest_year_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rows = updated(tmp_path, OWID, "grid", list(shipped("grid"))).applied(shipped("grid"))
    monkeypatch.setattr(grid, "table", lambda name: rows if name == "grid" else shipped(name))
    for kept in (grids, grid._by_name):
        kept.cache_clear()
        monkeypatch.setattr(grid, kept.__name__, kept.__wrapped__)
    assert cells_of(vars(grid_of("United States")), "g_co2e_per_kwh", "year") == (384.4, "2025")


def test_a_country_that_drifts_is_named_and_left(tmp_path: Path) -> None:
    """A figure in kilograms, say, or one that has lost its decimal point."""
    update = updated(tmp_path, OWID, "grid", list(shipped("grid")), ("384.400", "3844.00"))
    assert ([row["key"] for row in update.added], update.left) == (
        ["guf"],
        ["usa: the median went from 369.473 to 3844 g CO2e/kWh"],
    )


def test_an_answer_without_the_column_is_broken(tmp_path: Path) -> None:
    update = updated(tmp_path, OWID, "grid", list(shipped("grid")), ("carbon_intensity_elec", "ci"))
    assert update.left == [
        "broken answer: got KeyError 'carbon_intensity_elec' in owid-energy-data-2026-05-05.csv, want the columns and "
        "numbers of owid. Save the answer again; if the catalog has changed, data/catalogs.toml must follow."
    ]


def test_blanks_are_filled_and_differences_named(tmp_path: Path) -> None:
    known = [{**row, "tdp_watts": ""} if row["key"] == "h100-sxm" else row for row in shipped("hardware")]
    update = updated(tmp_path, EPOCH, "hardware", known)
    filled = {row["key"]: row for row in update.filled}
    assert cells_of(filled["h100-sxm"], "tdp_watts", "peak_bf16_flop_per_s") == ("700", "989400000000000")
    assert filled["h100-sxm"]["source"].endswith("; tdp_watts: Epoch AI hardware table (CC-BY 4.0)")
    assert "not in data/market_offers.csv: Huawei Ascend 910C, NVIDIA VR200" in update.left
    assert "mi300a tdp_watts: 550 in the table, 760 in the answer" in update.left
    assert "rtx-4090 peak_bf16_flop_per_s: 165200000000000 in the table, 330000000000000 in the answer" in update.left
    after = {row["key"]: row for row in update.applied(known)}
    for row in known:  # no figure is replaced
        assert {column: cell for column, cell in row.items() if cell}.items() <= {
            **after[row["key"]],
            **{name: row[name] for name in ("source", "retrieved")},
        }.items()


def test_a_table_that_lost_its_rows_fills_nothing(tmp_path: Path) -> None:
    update = updated(tmp_path, EPOCH, "hardware", list(shipped("hardware")), ("NVIDIA", "Nvidia"))
    assert update.filled == []
    assert update.left[-1] == "16 of 31 accelerators are missing"


def test_the_command_writes_both(tmp_path: Path) -> None:
    answers, tables = tmp_path / "answers", tmp_path / "tables"
    answers.mkdir()
    tables.mkdir()
    for file in (OWID, EPOCH):
        (answers / file).write_bytes((ANSWERS / file).read_bytes())
    said = run("data", "update", "--from", answers, "--tables", tables)
    assert said.exit_code == 0, said.output
    assert read(tables / "grid.csv")[-1]["key"] == "usa"
    assert said.output.splitlines()[0].startswith("epoch-hardware-2026-04-27.csv: ")
    assert f"{OWID}: 2 rows added to grid" in said.output.splitlines()
