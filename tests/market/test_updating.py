"""Saved answers become rows of prices: appended to their series, or named and left as they were.

The answers are rows of real ones, pages with thinned markup: ewyluda/gpu-price-index@ab49c80 (its tests/fixtures hold
those of AWS, Azure, Oracle, RunPod, Google, CoreWeave and Nebius), skypilot-org/skypilot-catalog@000c1d0,
datareceipts/data-receipts (read 2026-11-09); Azure's reservation is the example of its documentation. AWS's price list
and Lambda's answer need an account or gigabytes: heads and keys are theirs, the rows are ours.
"""

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner

from sizebook.cli import app
from sizebook.core.errors import InputError
from sizebook.core.tables import Row, read, shipped
from sizebook.market.answers import catalogs, offers
from sizebook.market.updating import translated, updates
from sizebook.tables.hardware import accelerators

ANSWERS = Path(__file__).parent / "answers"
INDEX = "gpu-price-index-2026-10-10.csv"
TODAY = "2026-11-25"


def told(row: Row) -> tuple[str, ...]:
    columns = ("provider", "instance", "gpu", "gpus", "region", "term", "usd_per_hour", "usd_per_gpu_hour", "date")
    return tuple(row[column] for column in columns)


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
    ("file", "catalog", "named", "rows", "unnamed"),
    [
        (
            INDEX,
            "gpu-price-index",
            {},
            [
                ("coreweave", "HGX H100", "h100-sxm", "8", "north-america", "spot", "19.71", "2.46375", "2026-10-10"),
                ("crusoe", "NVIDIA L40S 48GB", "l40s", "1", "all", "on_demand", "1.5", "1.5", "2026-10-10"),
                # Oracle's list prices one accelerator; the machine has eight.
                ("oracle", "BM.GPU.H100.8", "h100-sxm", "8", "all", "on_demand", "80", "10", "2026-10-10"),
                (
                    *("runpod", "NVIDIA H100 SXM (secure cloud)", "h100-sxm", "1", "all", "on_demand"),
                    *("3.99", "3.99", "2026-10-10"),
                ),
            ],
            {"Vast.ai H100": 1},
        ),
        (
            "skypilot-verda-2026-10.csv",
            "skypilot",
            {"provider": "verda", "day": "2026-10"},
            [
                ("verda", "B300 SXM6", "b300-sxm", "1", "all", "on_demand", "6.99", "6.99", "2026-10"),
                ("verda", "B300 SXM6", "b300-sxm", "1", "all", "spot", "2.447", "2.447", "2026-10"),
            ],
            {"verda B300": 1},
        ),
        (
            "data-receipts-vendors-2026-11-09.json",
            "data-receipts vendors",
            {},
            [
                (
                    *("runpod", "NVIDIA H100 SXM (secure cloud)", "h100-sxm", "1", "all", "on_demand"),
                    *("3.99", "3.99", "2026-11-09"),
                ),
                (
                    *("runpod", "NVIDIA A100 PCIe (secure cloud)", "a100-pcie-80gb", "1", "all", "on_demand"),
                    *("1.79", "1.79", "2026-11-09"),
                ),
            ],
            {},
        ),
        (
            "data-receipts-hyperscalers-2026-11-09.json",
            "data-receipts instances",
            {},
            [
                ("aws", "p5.48xlarge", "h100-sxm", "8", "us-east-1", "on_demand", "55.04", "6.88", "2026-11-09"),
                (
                    "azure",
                    "NC48ads_A100_v4",
                    "a100-pcie-80gb",
                    "2",
                    "eastus",
                    "on_demand",
                    "9.554",
                    "4.777",
                    "2026-11-09",
                ),
            ],
            {},
        ),
        (
            "aws-on-demand-us-east-1-2026-09-29.json",
            "aws on demand",
            {"region": "us-east-1", "day": "2026-09-29"},
            [
                (
                    *("aws", "g6e.12xlarge", "l40s", "4", "us-east-1", "on_demand"),
                    *("10.49264", "2.62316", "2026-09-29"),
                ),
                ("aws", "p5.48xlarge", "h100-sxm", "8", "us-east-1", "on_demand", "55.04", "6.88", "2026-09-29"),
            ],
            {},
        ),
        (
            "aws-price-list-2026-09-01.csv",
            "aws price list",
            {"day": "2026-09-01"},
            [
                ("aws", "p5.48xlarge", "h100-sxm", "8", "us-east-1", "on_demand", "55.04", "6.88", "2026-09-01"),
                (
                    *("aws", "p4d.24xlarge", "a100-sxm-40gb", "8", "us-east-1", "reserved_1y"),
                    *("14.22", "1.7775", "2026-09-01"),
                ),
            ],
            {},
        ),
        (
            "aws-capacity-blocks-2026-01-31.json",
            "aws capacity blocks",
            {"day": "2026-01-31"},
            [
                (
                    *("aws", "p5.48xlarge", "h100-sxm", "8", "us-east-1", "capacity_block"),
                    *("31.464", "3.933", "2026-01-31"),
                ),
                (
                    *("aws", "p5.48xlarge", "h100-sxm", "8", "us-west-1", "capacity_block"),
                    *("39.33", "4.91625", "2026-01-31"),
                ),
            ],
            {},
        ),
        (
            "azure-retail-2026-09-29.json",
            "azure retail",
            {"day": "2026-09-29"},
            [
                (
                    *("azure", "NC48ads_A100_v4", "a100-pcie-80gb", "2", "eastus2", "on_demand"),
                    *("7.346", "3.673", "2026-09-29"),
                ),
                (
                    *("azure", "NC96ads_A100_v4", "a100-pcie-80gb", "4", "southcentralus", "spot"),
                    *("3.258024", "0.814506", "2026-09-29"),
                ),
            ],
            # A reservation, read as 25,007 / 8,760 USD an hour, of a machine without accelerators.
            {"Microsoft Azure Standard_E64_v4": 1},
        ),
        (
            "oracle-price-list-2026-10-01.json",
            "oracle price list",
            {},
            [("oracle", "BM.GPU.MI355X.8", "mi355x", "8", "all", "on_demand", "68.8", "8.6", "2026-10-01")],
            {"Oracle Compute - Bare Metal GPU Standard - X7": 1},
        ),
        (
            "runpod-2026-09-29.json",
            "runpod",
            {"day": "2026-09-29"},
            [
                (
                    *("runpod", "NVIDIA H200 NVL (secure cloud)", "h200-nvl", "1", "all", "on_demand"),
                    *("3.79", "3.79", "2026-09-29"),
                ),
                ("runpod", "NVIDIA L40 (secure cloud)", "l40", "1", "all", "on_demand", "0.82", "0.82", "2026-09-29"),
                (
                    *("runpod", "NVIDIA L40 (community cloud)", "l40", "1", "all", "on_demand"),
                    *("0.69", "0.69", "2026-09-29"),
                ),
                (
                    *("runpod", "NVIDIA V100 SXM2 (community cloud)", "v100-sxm-16gb", "1", "all", "on_demand"),
                    *("0.23", "0.23", "2026-09-29"),
                ),
            ],
            {},
        ),
        (
            "lambda-2026-10-01.json",
            "lambda",
            {"day": "2026-10-01"},
            [("lambda", "8 x NVIDIA H100 SXM", "h100-sxm", "8", "all", "on_demand", "35.92", "4.49", "2026-10-01")],
            {},
        ),
        (
            "google-2026-10-01.html",
            "google",
            {"day": "2026-10-01"},
            [
                (*("gcp", machine, gpu, "8", "us-central1"), *priced, "2026-10-01")
                for machine, gpu, *priced in (
                    ("a3-highgpu-8g", "h100-sxm", "on_demand", "88.49", "11.06125"),
                    ("a2-ultragpu-8g", "a100-sxm-80gb", "on_demand", "40.550383", "5.0687979"),
                    ("a4-highgpu-8g", "b200-sxm", "spot", "39.6336", "4.9542"),
                    ("a3-highgpu-8g", "h100-sxm", "spot", "52.962297", "6.6202871"),
                    ("a2-ultragpu-8g", "a100-sxm-80gb", "spot", "24.3299", "3.0412375"),
                    ("a4-highgpu-8g", "b200-sxm", "reserved_1y", "88.9272", "11.1159"),
                    ("a3-highgpu-8g", "h100-sxm", "reserved_1y", "61.383674", "7.6729593"),
                    ("a4-highgpu-8g", "b200-sxm", "reserved_3y", "56.7072", "7.0884"),
                    ("a3-highgpu-8g", "h100-sxm", "reserved_3y", "38.864383", "4.8580479"),
                )
            ],
            {},
        ),
        (
            "coreweave-2026-10-10.html",
            "coreweave",
            {"day": "2026-10-10"},
            [
                ("coreweave", *row, "2026-10-10")
                for row in (
                    ("GB200 NVL72 (4 of 72)", "gb200", "4", "north-america", "on_demand", "42", "10.5"),
                    ("L40", "l40", "8", "north-america", "on_demand", "10", "1.25"),
                    ("HGX H200", "h200-sxm", "8", "north-america", "on_demand", "50.44", "6.305"),
                    ("L40", "l40", "8", "north-america", "spot", "6.27", "0.78375"),
                    ("HGX H200", "h200-sxm", "8", "north-america", "spot", "20.93", "2.61625"),
                    ("HGX B300", "b300-sxm", "8", "europe", "spot", "36.7", "4.5875"),
                )
            ],
            {},
        ),
        (
            "nebius-2026-09-30.html",
            "nebius",
            {"day": "2026-09-30"},
            [
                ("nebius", "HGX B200", "b200-sxm", "1", "all", "on_demand", "7.15", "7.15", "2026-09-30"),
                ("nebius", "HGX H100", "h100-sxm", "1", "all", "on_demand", "3.85", "3.85", "2026-09-30"),
            ],
            {},
        ),
    ],
)
def test_a_real_answer(
    file: str, catalog: str, named: dict[str, str], rows: list[tuple[str, ...]], unnamed: dict[str, int]
) -> None:
    (source,) = (each for each in catalogs() if each.name == catalog)
    answer = offers(source, (ANSWERS / file).read_bytes(), file, named)
    found, left = translated(source, answer, TODAY)
    assert [told(row) for row in found] == rows
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


def test_the_command_appends_and_says_so(folder: Path, earlier: list[Row], tmp_path: Path) -> None:
    table = tmp_path / "prices.csv"
    with table.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, list(earlier[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(earlier)
    before = table.read_text(encoding="utf-8")
    result = CliRunner().invoke(app, ["data", "update", "--from", str(folder), "--tables", str(tmp_path)])
    assert result.output.splitlines() == [
        f"{INDEX}: 4 rows added to prices",
        "  left as it was: not in data/market_offers.csv: Vast.ai H100 (1)",
        f"{table}: 8 rows of prices, no findings",
    ]
    assert table.read_text(encoding="utf-8").startswith(before)
    assert len(read(table)) == 8


def test_the_tables_name_what_there_is() -> None:
    named = {row["catalog"] for row in shipped("market_offers")} - {""}
    assert named <= {catalog.name for catalog in catalogs() if catalog.table in ("prices", "hardware")}
    assert {row["gpu"] for row in shipped("market_offers")} <= accelerators().keys()
