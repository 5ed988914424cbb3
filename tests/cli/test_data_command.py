"""`sizebook data check` and `sizebook data add prices`: the same checks on a user's own files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sizebook.cli import app
from sizebook.core.errors import InputError
from sizebook.core.tables import Row, table, user_folder
from tests.csv_files import written
from tests.row_lists import listed

CONTRACT: Row = {
    **next(row for row in table("prices") if row["gpu"] == "h100-sxm" and row["term"] == "reserved_1y"),
    "provider": "ourcloud",
    "gpus": "8",
    "usd_per_hour": "15.2",
    "usd_per_gpu_hour": "1.9",
    "date": "2026-10-01",
    "source": "contract 4711",
}


def run(*words: str | Path, folder: Path) -> Result:
    return CliRunner(env={"SIZEBOOK_DATA": str(folder)}).invoke(app, ["data", *map(str, words)])


def test_shipped_tables_pass(tmp_path: Path) -> None:
    result = run("check", folder=tmp_path)
    assert result.exit_code == 0
    assert [line.partition(": ")[0] for line in result.output.splitlines()] == [
        "data/hardware.csv",
        "data/prices.csv",
        "data/grid.csv",
        "data/nodes.csv",
        "data/engines.csv",
        "data/api_prices.csv",
    ]
    assert result.output.count("no findings") == 6


def test_findings_are_lines_and_exit_code_1(tmp_path: Path) -> None:
    file = written(tmp_path / "mine.csv", [{**CONTRACT, "source": ""}])
    result = run("check", file, folder=tmp_path)
    assert result.exit_code == 1
    assert result.output.splitlines() == [
        f"{file} line 2 (ourcloud {CONTRACT['instance']} reserved_1y): no source: got a blank, want where the figures "
        "come from. Name the page, paper or file.",
        f"{file}: 1 row of prices, 1 finding",
    ]


def test_added_prices_answer_before_the_shipped_ones(tmp_path: Path) -> None:
    # A spreadsheet program writes the byte-order mark.
    file = written(tmp_path / "mine.csv", [CONTRACT], encoding="utf-8-sig")
    folder = tmp_path / "settings"
    assert run("add", "prices", file, folder=folder).output.splitlines()[-1] == (
        f"1 row added to {folder / 'prices.csv'}, 0 replacing an earlier one"
    )
    cheaper = written(tmp_path / "mine.csv", [{**CONTRACT, "usd_per_hour": "14.4", "usd_per_gpu_hour": "1.8"}])
    assert run("add", "prices", cheaper, folder=folder).output.splitlines()[-1] == (
        f"1 row added to {folder / 'prices.csv'}, 1 replacing an earlier one"
    )
    call = [sys.executable, "-m", "sizebook", "call", "PRICE_USD_PER_GPU_HOUR", "h100-sxm", "term=reserved_1y"]
    done = subprocess.run(call, env={**os.environ, "SIZEBOOK_DATA": str(folder)}, capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("1.8", "")
    assert [path.name for path in folder.iterdir()] == ["prices.csv"]


def test_nothing_is_added_when_a_row_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path / "mine.csv", [CONTRACT, {**CONTRACT, "region": "elsewhere", "usd_per_gpu_hour": "0.19"}])
    result = run("add", "prices", file, folder=tmp_path / "settings")
    assert result.exit_code == 1
    assert result.output.splitlines()[-1] == "nothing added: correct the findings first"
    assert not (tmp_path / "settings").exists()


@pytest.mark.parametrize(*listed("cli", "test_files_that_are_no_table"))
def test_files_that_are_no_table(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(text, encoding="utf-8")
    error = run("check", file, folder=tmp_path).exception
    assert isinstance(error, InputError)
    assert str(error) == message.format(file=file)


def test_a_table_that_lacks_columns_names_those_of_the_table_asked_for(tmp_path: Path) -> None:
    """It named those of prices, because they lack fewer."""
    row = {name: value for name, value in table("engines")[0].items() if name in ("key", "engine", "utilization")}
    error = str(run("add", "engines", written(tmp_path / "mine.csv", [row]), folder=tmp_path).exception)
    assert error.startswith(
        "not a table of sizebook: got columns key, engine, utilization, want those of engines. For engines add version"
    )


def test_a_grid_is_not_added_to_prices(tmp_path: Path) -> None:
    file = written(tmp_path / "mine.csv", [table("grid")[0]])
    error = run("add", "prices", file, folder=tmp_path).exception
    assert str(error) == (
        f"another table: got a table of grid in {file}, want prices. Use 'sizebook data add grid', or give a table of "
        "prices."
    )


VR200: Row = {
    **dict.fromkeys(table("hardware")[0], ""),
    "key": "vr200",
    "name": "Vera Rubin NVL144, as announced",
    "maker": "NVIDIA",
    "generation": "rubin",
    "form": "sxm",
    "memory_bytes": "309237645312",
    "memory_bandwidth_bytes_per_s": "13000000000000",
    "peak_bf16_flop_per_s": "4000000000000000",
    "peak_fp8_flop_per_s": "8000000000000000",
    "gpus_per_node": "4",
    "scale_up_bytes_per_s": "1800000000000",
    "scale_up_domain": "72",
    "source": "typed by hand",
    "retrieved": "2026-11-25",
}


SCENARIO = """
plan = "training"
model = "llama-3.1-8b"
gpu = "h100-sxm"
gpus = 64
batch = 512
tokens = "1T"
as_of = 2026-11-01
"""


def sizebook(*words: str, folder: Path) -> str:
    """Return what a command of its own process prints: a process reads its tables once."""
    call = [sys.executable, "-m", "sizebook", *words]
    done = subprocess.run(call, env={**os.environ, "SIZEBOOK_DATA": str(folder)}, capture_output=True, text=True)
    return (done.stdout + done.stderr).strip()


def test_an_own_accelerator_is_known_everywhere(tmp_path: Path) -> None:
    folder = tmp_path / "settings"
    assert run("add", "hardware", written(tmp_path / "mine.csv", [VR200]), folder=folder).exit_code == 0
    assert sizebook("call", "GPU_SPEC", "vr200", "memory_bytes", folder=folder) == "309237645312"
    assert "typed by hand" in sizebook("call", "SIZEBOOK_SOURCE", "hardware", "vr200", "form", folder=folder)
    trained = tmp_path / "run.toml"
    trained.write_text(SCENARIO.replace("h100-sxm", "vr200"))
    served = tmp_path / "chat.toml"
    served.write_text(
        'model = "llama-3.1-8b"\ngpu = "vr200"\nrequests_per_day = 1e6\ninput_tokens = 1000\noutput_tokens = 200'
    )
    for kind, file in (("train", trained), ("serve", served)):
        assert "vr200 is your own row; nothing was measured on it." in sizebook("plan", kind, str(file), folder=folder)


def test_a_row_of_the_same_key_replaces_the_shipped_one(tmp_path: Path) -> None:
    shipped = next(row for row in table("hardware") if row["key"] == "h100-sxm")
    mine = written(tmp_path / "mine.csv", [{**shipped, "tdp_watts": "650"}])
    assert run("add", "hardware", mine, folder=tmp_path / "settings").exit_code == 0
    assert sizebook("call", "GPU_SPEC", "h100-sxm", "tdp_watts", folder=tmp_path / "settings") == "650"


def test_the_table_of_a_price_is_named(tmp_path: Path) -> None:
    folder, scenario = tmp_path / "settings", tmp_path / "run.toml"
    contract = {**CONTRACT, "term": "on_demand", "contract": "4711"}
    assert run("add", "prices", written(tmp_path / "mine.csv", [contract]), folder=folder).exit_code == 0
    scenario.write_text(SCENARIO)
    answer = sizebook("plan", "train", str(scenario), folder=folder)
    assert "price       1.9 USD a GPU-hour\n" in answer
    assert "Price of a GPU-hour: your price table: on demand, ourcloud (4711), 2026-10-01." in answer
    assert "data/prices.csv" not in answer


@pytest.mark.parametrize(*listed("cli", "test_a_contract_that_does_not_hold_is_refused_and_an_old_one_said"))
def test_a_contract_that_does_not_hold_is_refused_and_an_old_one_said(tmp_path: Path, cells: Row, said: str) -> None:
    folder, scenario = tmp_path / "settings", tmp_path / "run.toml"
    contract = {**CONTRACT, "term": "on_demand", "contract": "4711", **cells}
    assert run("add", "prices", written(tmp_path / "mine.csv", [contract]), folder=folder).exit_code == 0
    scenario.write_text(SCENARIO)
    assert said in sizebook("plan", "train", str(scenario), folder=folder)


@pytest.mark.parametrize(*listed("cli", "test_where_the_users_tables_are"))
def test_where_the_users_tables_are(
    monkeypatch: pytest.MonkeyPatch, platform: str, environment: dict[str, str], folder: str
) -> None:
    for name in ("SIZEBOOK_DATA", "XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert user_folder() == Path(folder)


@pytest.mark.parametrize(*listed("cli", "test_a_row_that_data_check_finds_fault_with_is_not_read_either"))
def test_a_row_that_data_check_finds_fault_with_is_not_read_either(tmp_path: Path, cells: Row, problem: str) -> None:
    """Whether `data add` reads it or somebody wrote the table by hand."""
    contract = {**CONTRACT, "valid_from": "", "valid_to": "", "allow_expired": "", **cells}
    added = run("add", "prices", written(tmp_path / "mine.csv", [contract]), folder=tmp_path / "settings")
    assert added.exit_code == 1 and problem in added.output
    folder = tmp_path / "by_hand"
    folder.mkdir()
    written(folder / "prices.csv", [contract])
    named = f"ourcloud h100-sxm reserved_1y {contract['date']}"
    assert sizebook("call", "PRICE_USD_PER_GPU_HOUR", "h100-sxm", "term=reserved_1y", folder=folder) == (
        f"sizebook: row of a price table, {named}: {problem}"
    )


def test_a_column_that_is_not_read_is_named(tmp_path: Path) -> None:
    mine = written(tmp_path / "mine.csv", [{**CONTRACT, "valid_too": "2027-01-01"}])
    assert run("add", "prices", mine, folder=tmp_path / "settings").output.splitlines()[0] == (
        f"{mine}: column not read: 'valid_too' is none of a table of prices. Did you mean 'valid_to'?"
    )


def test_contracts_of_one_provider_stand_beside_each_other(tmp_path: Path) -> None:
    """Two regions, of other dates: both count, 1.9 and 2.9, whatever the case of the provider's name."""
    dearer = {**CONTRACT, "provider": "OurCloud", "region": "eu", "usd_per_hour": "23.2", "usd_per_gpu_hour": "2.9"}
    mine = written(tmp_path / "mine.csv", [CONTRACT, {**dearer, "date": "2026-10-05"}])
    assert run("add", "prices", mine, folder=tmp_path / "settings").exit_code == 0
    asked = ("call", "PRICE_USD_PER_GPU_HOUR", "h100-sxm", "term=reserved_1y")
    assert sizebook(*asked, folder=tmp_path / "settings") == "2.4"


def test_a_contract_that_no_price_is_taken_from_stops_nothing(tmp_path: Path) -> None:
    folder, scenario = tmp_path / "settings", tmp_path / "run.toml"
    ended = {**CONTRACT, "term": "on_demand", "valid_to": "2020-01-01"}
    assert run("add", "prices", written(tmp_path / "mine.csv", [ended]), folder=folder).exit_code == 0
    scenario.write_text(
        'plan = "serving"\nmodel = "llama-3.1-8b"\ngpu = "h100-sxm"\nrequests_per_day = 1e5\ninput_tokens = 1000\n'
        "output_tokens = 200\non_demand_usd_per_gpu_hour = 2\nreserved_usd_per_gpu_hour = 1\n"
    )
    assert "Price of a GPU-hour: given in the scenario." in sizebook("plan", "serve", str(scenario), folder=folder)


def test_a_folder_in_place_of_a_table_is_said(tmp_path: Path) -> None:
    (tmp_path / "prices.csv").mkdir()
    assert sizebook("call", "PRICE_USD_PER_GPU_HOUR", "h100-sxm", folder=tmp_path) == (
        f"sizebook: no own table: got {tmp_path / 'prices.csv'} that is no file, want a table of prices. Move it away."
    )
