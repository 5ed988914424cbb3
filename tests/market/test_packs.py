"""`sizebook data pack`, `use` and `diff`: the tables of a day, handed to a machine without a network."""

import hashlib
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sizebook.cli import app
from sizebook.core.errors import InputError
from sizebook.core.tables import DATA, read
from sizebook.market.packs import pack, unpacked
from tests.csv_files import written
from tests.refused import message_of
from tests.row_lists import listed

DAY = "2027-01-04"


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A folder of tables with one price that the shipped table has not: RunPod's L40 at 1 USD on a later day."""
    rows = read(DATA / "prices.csv")
    row = next(row for row in rows if (row["provider"], row["gpu"]) == ("runpod", "l40"))
    later = {"date": DAY, "retrieved": DAY, "usd_per_hour": "1", "usd_per_gpu_hour": "1"}
    (tmp_path / "tables").mkdir()
    return written(tmp_path / "tables" / "prices.csv", [*rows, {**row, **later}]).parent


def data(*words: str | Path, folder: Path) -> Result:
    return CliRunner(env={"SIZEBOOK_DATA": str(folder)}).invoke(app, ["data", *map(str, words)])


def called(*words: str, folder: Path) -> str:
    call = [sys.executable, "-m", "sizebook", *words]
    return subprocess.run(
        call, env={**os.environ, "SIZEBOOK_DATA": str(folder)}, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_a_pack_answers_on_another_machine_and_stands_in_the_record(tables: Path, tmp_path: Path) -> None:
    target, folder = tmp_path / "sizebook.zip", tmp_path / "settings"
    made = data("pack", target, "--tables", tables, folder=folder)
    assert made.output.splitlines()[-1] == f"{target}: sha256 {hashlib.sha256(target.read_bytes()).hexdigest()}"
    price = ("call", "PRICE_USD_PER_GPU_HOUR", "l40", "runpod")
    assert called(*price, folder=folder) != "1"
    taken = data("use", target, folder=folder).output.splitlines()
    in_use = folder / "pack.zip"
    assert taken[-1].endswith(f"in use: {in_use}; delete that file to go back to the shipped tables")
    assert called(*price, folder=folder) == "1"
    hashes = "from sizebook.batch.record import *; print(data_hashes()['prices'], input_hashes({}, Path('.')))"
    done = subprocess.run(
        [sys.executable, "-c", hashes],
        env={**os.environ, "SIZEBOOK_DATA": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    table, whole = (
        hashlib.sha256(content).hexdigest()
        for content in (zipfile.ZipFile(target).read("prices.csv"), target.read_bytes())
    )
    assert done.stdout.strip() == f"{{'retrieved': '{DAY}', 'sha256': '{table}'}} {{'data pack': '{whole}'}}"
    in_use.unlink()
    assert called(*price, folder=folder) != "1"


def test_a_table_that_was_read_later_stays_the_shipped_one(tables: Path, tmp_path: Path) -> None:
    target = tmp_path / "old.zip"
    rows = [{**row, "retrieved": "2026-01-01"} for row in read(DATA / "grid.csv")]
    target.write_bytes(pack({"grid": rows, "prices": read(tables / "prices.csv")}, DAY))
    taken = data("use", target, folder=tmp_path / "settings").output.splitlines()
    assert taken[-2:] == [
        "grid: the shipped table was read later and stays",
        f"data pack of {DAY} in use: {tmp_path / 'settings' / 'pack.zip'}; delete that file to go back to the shipped "
        "tables",
    ]


def test_two_packs_are_compared_table_by_table(tables: Path, tmp_path: Path) -> None:
    before, after = tmp_path / "before.zip", tmp_path / "after.zip"
    grid = read(DATA / "grid.csv")
    before.write_bytes(pack({"grid": grid, "prices": read(DATA / "prices.csv")}, "2026-12-01"))
    cleaner = [{**row, "g_co2e_per_kwh": "50"} if row["key"] == "fra" else row for row in grid]
    after.write_bytes(pack({"grid": cleaner, "prices": read(tables / "prices.csv")}, DAY))
    assert data("diff", before, after, folder=tmp_path).output.splitlines() == [
        "grid: ~ fra 2023: g_co2e_per_kwh 56.039 -> 50",
        f"prices: + runpod {read(tables / 'prices.csv')[-1]['instance']} l40 all on_demand {DAY}",
        f"2 differences between {before} and {after}",
    ]


def test_a_pack_with_a_finding_is_not_taken(tables: Path, tmp_path: Path) -> None:
    target = tmp_path / "bad.zip"
    rows = read(tables / "prices.csv")
    target.write_bytes(pack({"prices": [*rows[:-1], {**rows[-1], "source": ""}]}, DAY))
    result = data("use", target, folder=tmp_path / "settings")
    assert (result.exit_code, result.output.splitlines()[-1]) == (1, "nothing taken: the pack has findings")
    assert not (tmp_path / "settings").exists()


def test_a_pack_of_other_columns_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "other.zip"
    target.write_bytes(pack({"nodes": [{"gpu": "h100-sxm", "source": "x", "retrieved": DAY}]}, DAY))
    assert str(data("use", target, folder=tmp_path).exception) == (
        "data pack of another version: got gpu, source, retrieved in the table of nodes, want gpu, gpus_per_node, "
        "node_kw, rack_units, rack_nodes, source, retrieved. Make it with this version of sizebook, or install the "
        "version that made it."
    )


def test_a_damaged_pack_is_refused(tables: Path, tmp_path: Path) -> None:
    whole, damaged = tmp_path / "whole.zip", tmp_path / "damaged.zip"
    whole.write_bytes(pack({"prices": read(tables / "prices.csv")}, DAY))
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(damaged, "w") as new:
        new.writestr("manifest.json", old.read("manifest.json"))
        new.writestr("prices.csv", old.read("prices.csv").replace(b"runpod", b"runpad"))
    assert message_of(InputError, unpacked, damaged) == (
        f"damaged data pack: got other bytes than its manifest says for prices.csv in {damaged}, want the pack as it "
        "was made. Copy it again."
    )


@pytest.mark.parametrize(*listed("market", "test_no_pack"))
def test_no_pack(tmp_path: Path, name: str, said: str) -> None:
    path = tmp_path / "strange.zip"
    if name:
        with zipfile.ZipFile(path, "w") as strange:
            strange.writestr(name, "no")
    else:
        path.write_text("no", encoding="utf-8")
    assert message_of(InputError, unpacked, path).startswith(said.format(path=path))
