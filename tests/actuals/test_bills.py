"""Bills in FOCUS: added up by hand, broken rules named with their row, and columns of others left alone."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sizebook.actuals.bills import read_bill
from sizebook.core.errors import InputError
from sizebook.core.tables import table
from tests.commands import run
from tests.csv_files import rows_of, written
from tests.refused import message_of

USED: dict[str, Any] = {
    "BilledCost": "100.5",
    "BillingAccountId": "a1",
    "BillingAccountName": "Acme",
    "BillingCurrency": "EUR",
    "BillingPeriodStart": "2026-10-01T00:00:00Z",
    "BillingPeriodEnd": "2026-11-01T00:00:00Z",
    "ChargeCategory": "Usage",
    "ChargeClass": "",
    "ChargeDescription": "eight H100 for an hour",
    "ChargePeriodStart": "2026-10-03T00:00:00Z",
    "ChargePeriodEnd": "2026-10-03T10:00:00Z",
    "ContractedCost": "110",
    "EffectiveCost": "100",
    "InvoiceIssuerName": "Cloud",
    "ListCost": "120",
    "PricingQuantity": "10",
    "PricingUnit": "Hours",
    "ProviderName": "Cloud",
    "PublisherName": "Cloud",
    "ServiceCategory": "Compute",
    "ServiceName": "Machines",
    "ConsumedQuantity": "10",
    "ConsumedUnit": "Hours",
    "SkuPriceDetails": '{"GpuCount": 8, "InstanceType": "p5.48xlarge"}',
    "CommitmentDiscountStatus": "",
    "Tags": '{"team": "chat"}',
    "x_note": "ours",
}
NOT_CONSUMED = {"ConsumedQuantity": "", "ConsumedUnit": ""}
UNUSED = USED | NOT_CONSUMED | {"EffectiveCost": "30", "CommitmentDiscountStatus": "Unused", "Tags": ""}
UNTAGGED = USED | {"EffectiveCost": "7", "Tags": '{"owner": "nobody"}'}
DISK = USED | {"EffectiveCost": "5", "SkuPriceDetails": "", "ServiceName": "Disks", "ConsumedUnit": "GB-Months"}
NOVEMBER = USED | {"ChargePeriodStart": "2026-11-01T00:00:00Z", "ChargePeriodEnd": "2026-11-01T01:00:00Z"}
ROWS = [USED, UNUSED, UNTAGGED, DISK, NOVEMBER]


def saved(folder: Path, rows: list[Mapping[str, Any]], name: str = "bill.csv") -> Path:
    return written(folder / name, rows)


def test_a_bill_by_hand(tmp_path: Path) -> None:
    """October: chat used 100; 30 unused and 7 have no tag; each used row is 10 hours on 8 GPUs; disks count no GPU."""
    found = read_bill(saved(tmp_path, ROWS), tag="team")
    assert (found.currency, found.unknown_columns) == ("EUR", ("x_note",))
    disks, nobody, october, november = found.services
    assert (october.month, october.service, october.tag, november.month) == ("2026-10", "Machines", "chat", "2026-11")
    assert (nobody.tag, nobody.effective_cost, nobody.unused_cost, nobody.untagged_cost) == ("", 37, 30, 7)
    assert (nobody.gpu_hours, nobody.no_gpu_cost, nobody.billed_cost) == (80, 0, 201)
    assert (october.effective_cost, october.unused_cost, october.untagged_cost) == (100, 0, 0)
    assert (october.gpu_hours, october.no_gpu_cost, october.billed_cost) == (80, 0, 100.5)
    assert (disks.effective_cost, disks.no_gpu_cost, disks.gpu_hours) == (5, 5, 0)


def test_no_cost_is_in_two_parts(tmp_path: Path) -> None:
    """A disk that nobody tagged has no tag, and is not counted again as no GPU: 100 + 30 + (7 + 3) + 5 are 145."""
    found = read_bill(saved(tmp_path, [*ROWS[:4], DISK | {"EffectiveCost": "3", "Tags": ""}]), tag="team").services
    untagged = [each for each in found if not each.tag]
    assert [(each.service, each.untagged_cost, each.no_gpu_cost) for each in untagged] == [
        ("Disks", 3, 0), ("Machines", 7, 0)
    ]  # fmt: skip
    parts = sum(each.unused_cost + each.untagged_cost + each.no_gpu_cost for each in found)
    assert (parts, sum(each.effective_cost for each in found)) == (45, 145)


def test_parquet_with_types_is_the_same_bill(tmp_path: Path) -> None:
    path = saved(tmp_path, ROWS)
    typed = pl.read_csv(path, try_parse_dates=True)
    typed.write_parquet(tmp_path / "bill.parquet")
    assert read_bill(tmp_path / "bill.parquet", "team").services == read_bill(path, "team").services


@pytest.mark.parametrize("as_map", [False, True], ids=["struct", "map"])
def test_tags_of_parquet_that_are_no_text_count_as_such(tmp_path: Path, as_map: bool) -> None:
    """One row with the tag and one without: 7 of 107 are untagged, whatever Parquet holds tags as."""
    told = [{"team": "chat"}, {"owner": 'no"body'}]
    tags: Any = [[{"key": k, "value": v} for k, v in each.items()] for each in told] if as_map else told
    frame = pl.read_csv(saved(tmp_path, [USED, UNTAGGED]), infer_schema=False).with_columns(Tags=pl.Series(tags))
    frame.write_parquet(tmp_path / "bill.parquet")
    costs = {each.tag: each.effective_cost for each in read_bill(tmp_path / "bill.parquet", "team").services}
    assert costs == {"chat": 100, "": 7}


def test_a_column_of_ones_own_stands_in_place_of_a_tag(tmp_path: Path) -> None:
    found = read_bill(saved(tmp_path, [USED, USED | {"x_note": ""}, USED | {"x_note": "theirs"}]), "x_note")
    assert [(each.tag, each.untagged_cost, each.effective_cost) for each in found.services] == [
        ("", 100, 100), ("ours", 0, 100), ("theirs", 0, 100)
    ]  # fmt: skip


def test_the_command_prints_and_writes_it(tmp_path: Path) -> None:
    words = ["actuals", "bill", str(saved(tmp_path, ROWS)), "--tag", "team", "--csv", str(tmp_path / "out.csv")]
    done = run(*words)
    assert done.exit_code == 0, done.exception
    assert done.output.splitlines() == [
        "2026-10  Disks, chat: 5.00 EUR, no GPU counted",
        "2026-10  Machines: 37.00 EUR, 80.0 GPU-hours, 30.00 of it for unused commitments, 7.00 without team",
        "2026-10  Machines, chat: 100.00 EUR, 80.0 GPU-hours",
        "2026-11  Machines, chat: 100.00 EUR, 80.0 GPU-hours",
        "together 242.00 EUR",
        "columns that FOCUS does not know, left alone: x_note",
    ]
    assert [row["effective_cost"] for row in rows_of(tmp_path / "out.csv")] == ["5.0", "37.0", "100.0", "100.0"]


def test_columns_of_1_3_stand_for_those_they_replace(tmp_path: Path) -> None:
    names = {"ProviderName": "ServiceProviderName", "PublisherName": "HostProviderName"}
    rows = [{names.get(key, key): value for key, value in row.items()} | {"AllocatedTags": ""} for row in ROWS]
    assert read_bill(saved(tmp_path, rows)).unknown_columns == ("x_note",)
    assert read_bill(saved(tmp_path, rows)).services == read_bill(saved(tmp_path, ROWS, "old.csv")).services


BROKEN = [
    (
        {"BilledCost": ""},
        "nothing in BilledCost, row 3 of bill.csv (1 such rows), want what FOCUS says: BilledCost MUST NOT",
    ),
    (
        {"EffectiveCost": "much"},
        "'much' in EffectiveCost, row 3 of bill.csv (1 such rows), want what FOCUS says: Effecti",
    ),
    ({"EffectiveCost": "nan"}, "'nan' in EffectiveCost"),
    ({"ListUnitPrice": "-1"}, "'-1' in ListUnitPrice"),
    ({"ChargePeriodStart": "03.10.2026"}, "'03.10.2026' in ChargePeriodStart"),
    ({"ChargeCategory": "Gift"}, "'Gift' in ChargeCategory"),
    ({"BillingCurrency": "euro"}, "'euro' in BillingCurrency"),
    ({"Tags": "team=chat"}, "'team=chat' in Tags"),
    ({"BillingPeriodEnd": "2026-09-01T00:00:00Z"}, "'2026-09-01T00:00:00Z' in BillingPeriodEnd"),
    ({"ChargePeriodEnd": "2026-10-02T10:00:00Z"}, "'2026-10-02T10:00:00Z' in ChargePeriodEnd"),
    ({"CommitmentDiscountId": "", "CommitmentDiscountStatus": "Used"}, "'Used' in CommitmentDiscountStatus"),
    ({"CommitmentDiscountId": "c1"}, "nothing in CommitmentDiscountStatus"),
    ({"ChargeCategory": "Credit"}, "'10' in ConsumedQuantity"),
    ({"CommitmentDiscountStatus": "Unused"}, "'10' in ConsumedQuantity"),
    ({"ConsumedQuantity": ""}, "'Hours' in ConsumedUnit"),
    ({"ConsumedUnit": ""}, "nothing in ConsumedUnit"),
    ({"ContractedUnitPrice": "12"}, "'110' in ContractedCost"),
    ({"ListUnitPrice": "13"}, "'120' in ListCost"),
    ({"ChargeCategory": "Tax", **NOT_CONSUMED}, "'10' in PricingQuantity"),
    ({"PricingQuantity": ""}, "nothing in PricingQuantity"),
]


@pytest.mark.parametrize(("changed", "said"), BROKEN)
def test_a_broken_rule_is_named_with_its_row(tmp_path: Path, changed: dict[str, str], said: str) -> None:
    blank = dict.fromkeys(changed, "")
    assert message_of(InputError, lambda: read_bill(saved(tmp_path, [blank | USED, USED | changed]))).startswith(
        f"not FOCUS 1.2: got {said}"
    )


def test_every_rule_between_columns_is_broken_above(tmp_path: Path) -> None:
    said = []
    for changed, _ in BROKEN:
        with pytest.raises(InputError) as refused:
            read_bill(saved(tmp_path, [dict.fromkeys(changed, "") | USED, USED | changed]))
        said.append(str(refused.value))
    rules = {f"want what FOCUS says: {row['column']} {row['rule']}." for row in table("focus_conditions")}
    assert len(rules) > 10 and {rule for rule in rules if any(rule in each for each in said)} == rules


@pytest.mark.parametrize("row", [row for row in table("focus_columns") if row["level"] == "mandatory"])
def test_every_mandatory_column_is_wanted(tmp_path: Path, row: dict[str, str]) -> None:
    rows = [{key: value for key, value in each.items() if key != row["column"]} for each in ROWS]
    with pytest.raises(InputError, match=f"^not FOCUS 1.2: got no column {row['column']} in bill"):
        read_bill(saved(tmp_path, rows))


def test_two_currencies_and_no_row_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^not one currency: got EUR, USD in bill\.csv"):
        read_bill(saved(tmp_path, [USED, USED | {"BillingCurrency": "USD"}]))


DAMAGED = {
    "empty.csv": b"",
    "cut.parquet": b"PAR1 and nothing more",
    "latin.csv": ",".join(USED).encode() + b"\n" + ",".join(map(str, USED.values())).encode() + b"\xe9\n",
    "ragged.csv": ",".join(USED).encode() + b"\n1,2,3" + 40 * b",4" + b"\n",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_bill_is_refused_in_our_words(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(DAMAGED[name])
    with pytest.raises(InputError, match=rf"^(cannot read|not FOCUS 1\.2): got .* (in|of) {name}.*, want "):
        read_bill(tmp_path / name)
