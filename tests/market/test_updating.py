"""Saved answers become rows of prices: appended to their series, or named and left as they were.

The answers are rows of real ones, pages with thinned markup: ewyluda/gpu-price-index@ab49c80 (its tests/fixtures hold
those of AWS, Azure, Oracle, RunPod, Google, CoreWeave and Nebius), skypilot-org/skypilot-catalog@000c1d0,
datareceipts/data-receipts (read 2026-11-09); Azure's reservation is the example of its documentation. AWS's price list
and Lambda's answer need an account or gigabytes: heads and keys are theirs, the rows are ours.
"""

from pathlib import Path

import pytest

from sizebook.core import data_records as reading
from sizebook.core.errors import InputError
from sizebook.core.tables import Row, read, shipped
from sizebook.market.answers import catalogs, offers
from sizebook.market.updating import offers_as_rows, updates
from sizebook.tables.hardware import accelerators
from tests.commands import run
from tests.csv_files import written
from tests.row_lists import listed

ANSWERS = Path(__file__).parent / "answers"
INDEX = "gpu-price-index-2026-10-10.csv"
TODAY = "2026-11-25"


def priced(row: Row, **changes: str) -> Row:
    return {**row, **changes}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    answers = tmp_path / "answers"
    answers.mkdir()
    (answers / INDEX).write_bytes((ANSWERS / INDEX).read_bytes())
    return answers


@pytest.fixture
def earlier(folder: Path) -> list[Row]:
    """The rows of the answer as a table had them ten days before."""
    (update,) = updates(folder, {"prices": ()}, TODAY, with_new=True)
    return [priced(row, date="2026-09-30") for row in update.added]


@pytest.mark.parametrize(
    ("file", "catalog", "named", "unnamed"),
    [
        (INDEX, "gpu-price-index", {}, {"Vast.ai H100": 1}),
        ("skypilot-verda-2026-10.csv", "skypilot", {"provider": "verda", "day": "2026-10"}, {"verda B300": 1}),
        ("data-receipts-vendors-2026-11-09.json", "data-receipts vendors", {}, {}),
        ("data-receipts-hyperscalers-2026-11-09.json", "data-receipts instances", {}, {}),
        ("aws-on-demand-us-east-1-2026-09-29.json", "aws on demand", {"region": "us-east-1", "day": "2026-09-29"}, {}),
        ("aws-price-list-2026-09-01.csv", "aws price list", {"day": "2026-09-01"}, {}),
        ("aws-capacity-blocks-2026-01-31.json", "aws capacity blocks", {"day": "2026-01-31"}, {}),
        # A reservation, read as 25,007 / 8,760 USD an hour, of a machine without accelerators.
        (
            *("azure-retail-2026-09-29.json", "azure retail"),
            {"day": "2026-09-29"},
            {"Microsoft Azure Standard_E64_v4": 1},
        ),
        (
            *("oracle-price-list-2026-10-01.json", "oracle price list"),
            {},
            {"Oracle Compute - Bare Metal GPU Standard - X7": 1},
        ),
        ("runpod-2026-09-29.json", "runpod", {"day": "2026-09-29"}, {}),
        ("lambda-2026-10-01.json", "lambda", {"day": "2026-10-01"}, {}),
        ("google-2026-10-01.html", "google", {"day": "2026-10-01"}, {}),
        ("coreweave-2026-10-10.html", "coreweave", {"day": "2026-10-10"}, {}),
        ("nebius-2026-09-30.html", "nebius", {"day": "2026-09-30"}, {}),
    ],
)
def test_a_real_answer(file: str, catalog: str, named: dict[str, str], unnamed: dict[str, int]) -> None:
    """Rows read off the answers by hand; Oracle's list prices one accelerator where the machine has eight."""
    (source,) = (each for each in catalogs() if each.name == catalog)
    answer = offers(source, (ANSWERS / file).read_bytes(), file, named)
    found, left = offers_as_rows(source, answer, TODAY)
    expected = [row for row in read(Path(__file__).parent / "expected_rows.csv") if row.pop("answer") == file]
    assert [{name: row[name] for name in expected[0]} for row in found] == expected
    assert left == unnamed


def test_a_series_keeps_its_dates_and_a_second_run_adds_nothing(folder: Path, earlier: list[Row]) -> None:
    (update,) = updates(folder, {"prices": earlier}, TODAY, with_new=False)
    assert [row["date"] for row in update.added] == ["2026-10-10"] * 4
    assert update.left == ["not in data/market_offers.csv: Vast.ai H100 (1)"]
    (again,) = updates(folder, {"prices": [*earlier, *update.added]}, TODAY, with_new=False)
    assert again.added == []


def test_offers_without_a_series_are_counted(folder: Path, earlier: list[Row]) -> None:
    (update,) = updates(folder, {"prices": earlier[:1]}, TODAY, with_new=False)
    assert [row["provider"] for row in update.added] == ["coreweave"]
    assert update.left[1:] == ["3 offers of series that the table does not have (--new takes them)"]


def test_a_list_that_drifts_in_price_is_named_and_left(folder: Path, earlier: list[Row]) -> None:
    earlier[0] = priced(earlier[0], usd_per_hour="9.6", usd_per_gpu_hour="1.2")
    (update,) = updates(folder, {"prices": earlier}, TODAY, with_new=False)
    assert [row["provider"] for row in update.added] == ["crusoe", "oracle", "runpod"]
    assert update.left[1:] == ["coreweave h100-sxm spot: the median went from 1.2 to 2.46375 USD a GPU-hour"]


def test_a_list_that_loses_its_offers_is_named_and_left(folder: Path, earlier: list[Row]) -> None:
    earlier.append(priced(earlier[0], region="europe"))
    (update,) = updates(folder, {"prices": earlier}, TODAY, with_new=False)
    assert [row["provider"] for row in update.added] == ["crusoe", "oracle", "runpod"]
    assert update.left[1:] == ["coreweave h100-sxm spot: 1 of 2 offers are missing"]


def test_a_broken_answer_leaves_the_others_alone(folder: Path, earlier: list[Row]) -> None:
    (folder / "gpu-price-index-2026-10-11.csv").write_text("date,provider\n2026-10-11,AWS\n", encoding="utf-8")
    whole, broken = updates(folder, {"prices": earlier}, TODAY, with_new=False)
    assert len(whole.added) == 4
    assert broken.added == []
    assert broken.left == [
        "broken answer: got KeyError 'sku' in gpu-price-index-2026-10-11.csv, want the columns and numbers of "
        "gpu-price-index. Save the answer again; if the catalog has changed, data/catalogs.toml must follow."
    ]


def test_a_page_with_other_columns_is_broken(folder: Path) -> None:
    """A price is read by its column, so a page whose heads have moved gives none at all."""
    page = (ANSWERS / "nebius-2026-09-30.html").read_text(encoding="utf-8")
    (folder / "nebius-2026-10-02.html").write_text(page.replace("On-demand, GPU-hour", "vGPUs"), encoding="utf-8")
    update = next(each for each in updates(folder, {"prices": ()}, TODAY, with_new=True) if "nebius" in each.file)
    assert update.added == []
    assert update.left == [
        "broken answer: got ValueError no table headed Item, vCPUs, RAM, GB, On-demand, GPU-hour in "
        "nebius-2026-10-02.html, want the columns and numbers of nebius. Save the answer again; if the catalog has "
        "changed, data/catalogs.toml must follow."
    ]


def test_a_folder_without_answers(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        updates(tmp_path, {}, TODAY, with_new=False)
    names = ", ".join(catalog.file for catalog in catalogs())
    assert str(error.value) == (
        f"no answers: got no file of a known catalog in {tmp_path}, want names like {names}. Save one."
    )


@pytest.mark.parametrize(*listed("market", "test_a_catalog_that_is_not_whole_is_refused"))
def test_a_catalog_that_is_not_whole_is_refused(
    changes: dict[str, object], said: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = {**reading.toml_tables("catalogs")["skypilot"], **changes}
    told = {"mine": {key: value for key, value in known.items() if value is not None}}
    catalogs.cache_clear()
    monkeypatch.setattr(reading, "toml_tables", lambda name: told if name == "catalogs" else {})
    done = run("data", "update", "--from", folder)
    assert (type(done.exception), str(done.exception)) == (InputError, said)


def test_the_command_appends_and_says_so(folder: Path, earlier: list[Row], tmp_path: Path) -> None:
    table = written(tmp_path / "prices.csv", earlier)
    before = table.read_text(encoding="utf-8")
    result = run("data", "update", "--from", folder, "--tables", tmp_path)
    assert result.output.splitlines() == [
        f"{INDEX}: 4 rows added to prices",
        "  left as it was: not in data/market_offers.csv: Vast.ai H100 (1)",
        f"{table}: 8 rows of prices, no findings",
    ]
    assert table.read_text(encoding="utf-8").startswith(before)
    assert len(read(table)) == 8


def test_the_tables_name_what_there_is() -> None:
    named = {row["catalog"] for row in shipped("market_offers")} - {""}
    known = {catalog.name for catalog in catalogs() if catalog.table in ("prices", "hardware")}
    assert named <= known and "coreweave" in named
    gpus = {row["gpu"] for row in shipped("market_offers")}
    assert gpus <= accelerators().keys() and "h100-sxm" in gpus
