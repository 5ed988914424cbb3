"""A planner's price book: contracts in CSV, TOML or a sheet, with tiers, currencies and a per cent off the list."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest
from openpyxl import Workbook

from sizebook.cli.data import _loaded
from sizebook.core.errors import InputError
from sizebook.tables.price_book import as_rows, table_rows
from sizebook.tables.price_rows import Price
from sizebook.tables.prices import OwnPrices, quote, valued_on
from sizebook.validation.data_checks import findings
from tests.refused import message_of
from tests.tables.test_findings import KNOWN

# 2 USD an hour up to 99 GPUs, 1.80 from 100 on.
TIERS = """
[[price]]
provider = "ourcloud"
gpu = "h100-sxm"
term = "reserved_1y"
price_per_gpu_hour = 2
contract = "4711"
valid_from = 2026-01-01
valid_to = 2026-12-31
gpus_committed = 64
approver = "A. Planner"
source = "frame contract"

[[price]]
provider = "ourcloud"
gpu = "h100-sxm"
term = "reserved_1y"
price_per_gpu_hour = 1.8
from_gpus = 100
contract = "4711"
valid_from = 2026-01-01
valid_to = 2026-12-31
source = "frame contract"
"""
CONTRACT = KNOWN["rows"]["price_book"]


@pytest.fixture(autouse=True)
def the_day() -> Iterator[None]:
    with valued_on(date(2026, 11, 1)):
        yield


def book(folder: Path, text: str) -> str:
    path = folder / "book.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def contract(folder: Path, **cells: object) -> str:
    lines = (f"{name} = {str(cell)!r}" for name, cell in (CONTRACT | cells).items() if cell is not None)
    return book(folder, "\n".join(("[[price]]", *lines)))


def priced(price_book: str, **asked: object) -> Price:
    return quote("h100-sxm", own=OwnPrices(price_book=price_book), **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize(("gpus", "usd"), [(1, 2), (99, 2), (100, 1.8), (101, 1.8)])
def test_a_tier_changes_the_price_at_exactly_its_gpu(tmp_path: Path, gpus: int, usd: float) -> None:
    found = priced(book(tmp_path, TIERS), term="reserved_1y", gpus=gpus)
    assert (found.usd_per_gpu_hour, found.low_usd_per_gpu_hour, found.high_usd_per_gpu_hour) == (usd, usd, usd)
    assert found.tiers == (100,)


def test_the_basis_says_contract_tier_commitment_and_approver(tmp_path: Path) -> None:
    path = book(tmp_path, TIERS)
    assert priced(path, term="reserved_1y").basis == (
        "price book book.toml: one-year reservation, ourcloud (4711), 2026-01-01; 64 GPUs committed; approved by "
        "A. Planner"
    )
    assert priced(path, term="reserved_1y", gpus=100).basis.endswith("ourcloud (4711), 2026-01-01; tier from 100 GPUs")


def test_a_book_comes_before_the_catalog_and_only_where_it_answers(tmp_path: Path) -> None:
    path = contract(tmp_path)
    assert priced(path).usd_per_gpu_hour == 1.8
    assert priced(path, region="anywhere").usd_per_gpu_hour == 1.8  # a contract for all regions
    assert priced(path, term="spot") == quote("h100-sxm", term="spot")
    assert priced(path, provider="aws") == quote("h100-sxm", "aws")


def test_a_price_in_euros_is_taken_at_its_own_rate(tmp_path: Path) -> None:
    found = priced(contract(tmp_path, currency="EUR", rate_per_usd="0.9"))
    assert found.usd_per_gpu_hour == pytest.approx(2.0)  # 1.80 / 0.90
    assert "1.8 EUR at 0.9 a USD" in found.basis


def test_per_cent_off_list_names_the_list_row(tmp_path: Path, listed: Callable[..., None]) -> None:
    listed(("aws", "a100-sxm-40gb", "us-east-1", "on_demand", 2.75, "2026-10-10"))
    off = {"provider": "aws", "gpu": "a100-sxm-40gb", "region": "us-east-1", "price_per_gpu_hour": None}
    path = contract(tmp_path, **off, percent_off_list="30", instance="8x")
    found = quote("a100-sxm-40gb", own=OwnPrices(price_book=path))
    assert found.usd_per_gpu_hour == pytest.approx(0.7 * 2.75)
    (row,) = found.rows
    assert row.list_row is not None and row.list_row in quote("a100-sxm-40gb", "aws", "us-east-1").rows
    assert "30\u00a0% off aws 8x in us-east-1 on demand of 2026-10-10, 2.75 USD" in found.basis


def test_a_tier_that_is_not_reached_is_no_price_of_the_contract(tmp_path: Path) -> None:
    assert message_of(InputError, lambda: priced(contract(tmp_path, from_gpus="100"), gpus=99)) == (
        "volume tier not reached: got 99 GPUs of 'h100-sxm', want at least 100, the least of 'contract 4711'. Give it "
        "a row for fewer, state all GPUs that it covers as rented_gpus, or state a price."
    )


def test_a_contract_in_force_is_not_old_and_one_that_ended_is_said(tmp_path: Path) -> None:
    other = contract(tmp_path, valid_from="2024-01-01", valid_to="2026-12-31")
    assert priced(other).remarks == ()
    ended = contract(tmp_path, valid_to="2026-10-31")
    with pytest.raises(InputError, match="which ended on 2026-10-31, want one that holds on 2026-11-01"):
        priced(ended)
    both = (
        Path(ended).read_text()
        + "\n[[price]]\n"
        + "\n".join(f"{name} = {cell!r}" for name, cell in (CONTRACT | {"provider": "other", "contract": "8"}).items())
    )
    assert priced(book(tmp_path, both)).basis.endswith(
        "left out: contract 4711, which ended on 2026-10-31; 1 of 1 prices over 180 days old"
    )


def test_toml_csv_and_a_sheet_give_the_same_rows(tmp_path: Path) -> None:
    toml = _loaded(Path(book(tmp_path, TIERS)))
    columns = list(dict.fromkeys(name for row in toml[1] for name, cell in row.items() if cell))
    csv = tmp_path / "book.csv"
    csv.write_text("\n".join(",".join(cells) for cells in (columns, *([row[c] for c in columns] for row in toml[1]))))
    sheet = Workbook()
    sheet.active.append(columns)
    days = {"valid_from": date(2026, 1, 1), "valid_to": date(2026, 12, 31)}
    for row in toml[1]:
        numbers = {c: float(row[c]) for c in ("price_per_gpu_hour", "from_gpus", "gpus_committed") if row[c]}
        sheet.active.append([(row | days | numbers)[c] or None for c in columns])
    sheet.save(tmp_path / "book.xlsx")
    assert _loaded(csv) == toml == _loaded(tmp_path / "book.xlsx")


FOCUS = {
    "ContractCommitmentId": "cc-1",
    "ContractCommitmentCategory": "Usage",
    "ContractCommitmentType": "Reserved instances",
    "ContractCommitmentPeriodStart": "2026-01-01T00:00:00Z",
    "ContractCommitmentPeriodEnd": "2027-01-01T00:00:00Z",
    "ContractCommitmentCost": "1261440",
    "ContractCommitmentQuantity": "87600",
    "ContractCommitmentUnit": "Instance Hours",
    "BillingCurrency": "USD",
    "x_provider": "ourcloud",
    "x_gpu": "h100-sxm",
    "x_gpus": "8",
}


def test_a_commitment_of_focus_is_a_contract() -> None:
    # 87,600 hours are ten instances for a year: 80 GPUs; 1,261,440 USD / 700,800 GPU-hours = 1.80.
    (row,) = as_rows([FOCUS])
    assert row == {
        "contract": "cc-1",
        "provider": "ourcloud",
        "gpu": "h100-sxm",
        "term": "reserved_1y",
        "currency": "USD",
        "valid_from": "2026-01-01",
        "valid_to": "2026-12-31",
        "source": "FOCUS contract commitment cc-1",
        "price_per_gpu_hour": "1.8",
        "gpus_committed": "80",
    }
    assert findings("prices", [row]) == []


def test_spending_needs_a_price_beside_it() -> None:
    spending = FOCUS | {"ContractCommitmentCategory": "Spend", "ContractCommitmentUnit": "USD"}
    assert message_of(InputError, lambda: list(as_rows([spending]))) == (
        "no price in a commitment: got Spend in USD for 'cc-1', want Usage in hours with its cost and quantity. Add a "
        "column x_price_per_gpu_hour or x_percent_off_list."
    )
    (row,) = as_rows([spending | {"x_price_per_gpu_hour": "1.9", "x_gpus": ""}])
    assert row["price_per_gpu_hour"] == "1.9" and findings("prices", [row]) == []


def test_files_that_are_no_book(tmp_path: Path) -> None:
    assert (
        message_of(InputError, lambda: list(table_rows(tmp_path / "book.pdf")))
        == "unknown table: got 'book.pdf', want a name that ends in .csv or .toml. Save it so."
    )
    assert message_of(InputError, lambda: priced(book(tmp_path, "price = 2\n"))) == (
        "not a table: got price in book.toml, want [[price]] tables alone. Write one for each row."
    )
