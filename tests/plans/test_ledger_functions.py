"""The functions that workbooks stage: ledgers and figures of serving and fleet plans, against the plans and by hand."""

from typing import Any

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import RangeError, SizebookError
from sizebook.core.sections import leaves, put_together
from sizebook.functions import load
from sizebook.plans.commitments import ContractMonth
from sizebook.plans.fleet.figures import ServiceFigures
from sizebook.plans.fleet.inputs import FleetInputs, FleetTerms, Service
from sizebook.plans.fleet.months import FleetMonth
from sizebook.plans.fleet.plan import plan_fleet
from sizebook.plans.ledgers import columns, ledger_rows
from sizebook.plans.serving.months import Month

load()
CHAT: dict[str, Any] = {
    "name": "Chat", "model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 2_000_000, "input_tokens": 1000,
    "output_tokens": 200, "concurrency": 32,
}  # fmt: skip
CODE: dict[str, Any] = {**CHAT, "name": "Code", "model": "qwen3-0.6b", "gpu": "h200-sxm", "concurrency": 8}
TERMS: dict[str, Any] = {"months": 14, "burst_hours": 6, "whole_nodes": True, "spare": 2}


def services(*tables: dict[str, Any] | None) -> list[list[Any]]:
    """Return services as a range: names of the inputs, then a column each, blank where there is none."""
    return [[name, *("" if table is None else table[name] for table in tables)] for name in CHAT]


def test_the_ledger_of_a_fleet_is_the_plan() -> None:
    inputs = FleetInputs(
        service=tuple(put_together(Service, table) for table in (CHAT, CODE)), terms=put_together(FleetTerms, TERMS)
    )
    plan = plan_fleet(inputs)
    expected = ledger_rows(FleetMonth, plan)
    options = [[name, value] for name, value in TERMS.items()]
    as_text = "months=14; burst_hours=6; whole_nodes=yes; spare=2"
    assert call("FLEET_LEDGER", services(CHAT, CODE), options) == expected
    assert call("FLEET_LEDGER", services(CHAT, None, CODE), as_text) == expected
    assert len(expected) == 15
    heads, *months = call("FLEET_COMMITMENTS", services(CHAT, None, CODE), as_text)
    assert heads == [leaf.name for leaf in leaves(ContractMonth)]
    assert months[14:28] == [[""] * len(heads)] * 14
    signed = [row[heads.index("signed_1y_gpus")] for row in months]
    assert [sum(signed[:14]), sum(signed[28:])] == [
        sum(one.gpus for one in each.portfolio.contracts) for each in plan.purchases
    ]
    assert expected[0] == [column.name for column in columns(FleetMonth)]


def test_figures_stand_in_the_columns_of_the_range() -> None:
    rows = call("FLEET_FIGURES", services(CHAT, None, CODE), [["months", 36]])
    assert rows[0] == ["name", "Chat", "", "Code"]
    assert [row[0] for row in rows[1:]] == [leaf.name for leaf in leaves(ServiceFigures)]
    assert all(row[2] == "" for row in rows)
    found = {row[0]: row[1:] for row in rows}
    assert found["concurrency"] == [32, "", 8]
    # Nobody reserves above the price on demand.
    assert all(
        r <= d
        for r, d in zip(found["reserved_usd_per_gpu_hour"][::2], found["on_demand_usd_per_gpu_hour"][::2], strict=True)
    )


def test_what_is_no_input_of_a_service_is_said() -> None:
    with pytest.raises(SizebookError, match=r"^unknown argument: got 'pue_', want one of name, model, "):
        call("FLEET_LEDGER", [*services(CHAT), ["pue_", 1]])


def test_rows_of_a_ledger_are_filled_up_with_blanks() -> None:
    asked = [["requests_per_day", 100_000], ["months", 2], ["tp", 2]]
    short = call("SERVING_LEDGER", "llama-3.1-8b", "h100-sxm", asked)
    padded = call("SERVING_LEDGER", "llama-3.1-8b", "h100-sxm", [*asked, ["rows", 5]])
    assert len(short) == 3
    assert padded == [*short, *[[""] * len(columns(Month))] * 3]
    assert call("SERVING_LEDGER", "llama-3.1-8b", "h100-sxm", [*asked, ["rows", 1]]) == short
    with pytest.raises(RangeError, match="rows is out of range: got 61, want at least 1 and at most 60"):
        call("SERVING_LEDGER", "llama-3.1-8b", "h100-sxm", [*asked, ["rows", 61]])


@pytest.mark.parametrize(
    ("shape", "peak"),
    [
        ("flat", 1.0),
        ("office", 12 * 24 / 129),  # its hours add up to 129
        (", ".join(["1"] * 23 + ["3"]), 3 * 24 / 26),
        ([[1.0] * 12 + [2.0] * 12], 2 * 24 / 36),
    ],
)
def test_peak_of_day_by_hand(shape: Any, peak: float) -> None:
    assert call("PEAK_OF_DAY", shape) == pytest.approx(peak)
