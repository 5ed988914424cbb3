"""The price of one contract on every surface: 1.539 EUR at 0.9 EUR a USD are 1.71 USD a GPU-hour."""

import hashlib
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tomli_w import dumps

import sizebook
from sizebook.batch.plan_kinds import PlannedScenario, plan_scenario
from sizebook.core.cells import call
from sizebook.core.errors import InputError
from sizebook.functions import load
from sizebook.reports.document import texts_of
from sizebook.sweeps.training import sweep
from tests.commands import plan_printed
from tests.refused import message_of
from tests.surfaces.kinds import scenarios, workbook_that_holds

load()
USD = pytest.approx(1.71, rel=1e-12)
AS_OF = "2026-11-21"
CONTRACT = {
    "provider": "ourcloud",
    "gpu": "h100-sxm",
    "price_per_gpu_hour": 1.539,
    "currency": "EUR",
    "rate_per_usd": 0.9,
    "contract": "4711",
    "valid_from": "2026-01-01",
    "valid_to": "2026-12-31",
    "approver": "A. Planner",
    "source": "frame contract",
}
BASIS = "price book contract.toml: {}, ourcloud (4711), 2026-01-01; 1.539 EUR at 0.9 a USD; approved by A. Planner"
ON_DEMAND = BASIS.format("on demand")
PRICE_OF: dict[str, Callable[[Any], float]] = {
    "serving": lambda result: result.plan.rates.on_demand_usd,
    "training": lambda plan: plan.inputs.costs.price_usd_per_gpu_hour,
    "fleet": lambda plan: plan.services[0].rates.reserved_usd,
    "programme": lambda plan: plan.phases[0].training.inputs.costs.price_usd_per_gpu_hour,
}
every_kind = pytest.mark.parametrize("kind", PRICE_OF)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("contract"))


def written(folder: Path, second_tier: int = 0, **cells: Any) -> Path:
    """Return a price book of the contract, or of one of 2 USD that asks 1.80 from so many GPUs on."""
    tiers = [
        {"currency": "USD", "price_per_gpu_hour": usd, "from_gpus": n} for n, usd in ((1, 2.0), (second_tier, 1.8))
    ]
    terms, rows = ("on_demand", "reserved_1y"), tiers if second_tier else [{}]
    rows = [{**CONTRACT, **cells, **row, "term": term} for term in terms for row in rows]
    path = folder / "contract.toml"
    path.write_text(dumps({"price": rows}))
    return path


def scenario(kind: str, path: Path) -> dict[str, Any]:
    return {**scenarios({"price_book": str(path)}, {"months": 2}, {})[kind], "as_of": AS_OF}


@cache
def planned(kind: str, path: Path) -> PlannedScenario:
    return plan_scenario(scenario(kind, path), "here", Path())


@every_kind
def test_every_plan_takes_the_price_and_says_so(kind: str, book: Path, tmp_path: Path) -> None:
    made = planned(kind, book)
    assert PRICE_OF[kind](made.plan) == USD
    data, text = plan_printed(scenario(kind, book), tmp_path)
    for said in (" ".join(text.split()), json.dumps(data, ensure_ascii=False)):
        assert ON_DEMAND in said and "data/prices.csv" not in said
    assert any(ON_DEMAND in warning for warning in made.warnings)  # page 1
    assert any(ON_DEMAND in each for each in texts_of(made.report))
    assert made.record["inputs"][str(book)] == hashlib.sha256(book.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    "kind",
    ["serving", "training", pytest.param("fleet", marks=pytest.mark.ci), "programme"],  # a fleet is long
)
def test_a_filled_workbook_costs_the_same(kind: str, book: Path) -> None:
    made = planned(kind, book)
    book = workbook_that_holds(made)
    values = {cell for sheet in book for row in sheet.iter_rows(values_only=True) for cell in row}
    assert any(isinstance(value, float) and value == USD for value in values)


def test_cells_sweeps_and_python_give_the_same(book: Path) -> None:
    assert call("PRICE_USD_PER_GPU_HOUR", "h100-sxm", None, None, None, None, str(book)) == USD
    assert sizebook.price_usd_per_gpu_hour("h100-sxm", price_book=str(book)) == USD
    ledger = call("SERVING_LEDGER", "llama-3.1-8b", "h100-sxm", [[n, v] for n, v in scenario("serving", book).items()
                  if n not in ("plan", "as_of", "model", "gpu")])  # fmt: skip
    plan = planned("serving", book).plan.plan
    assert isinstance(ledger, list)
    assert [row[ledger[0].index("usd")] for row in ledger[1:]] == [month.usd for month in plan.months]
    row = {key: value for key, value in scenario("training", book).items() if key not in ("plan", "as_of")}
    trained = planned("training", book).plan
    assert sweep(pl.DataFrame([row]))["cost_usd"][0] == pytest.approx(trained.middle.cost_usd)
    assert sizebook.plan(scenario("training", book)).figures["price_usd_per_gpu_hour"] == USD


@every_kind
def test_a_contract_that_has_ended_is_refused_or_said_on_page_1(kind: str, tmp_path: Path) -> None:
    ended = written(tmp_path, valid_to="2026-10-31")
    assert (
        "contract does not hold: got '4711' for 'h100-sxm', which ended on 2026-10-31, want one that holds on "
        f"{AS_OF}. Renew its row with 'sizebook data add prices FILE.csv', remove it, or set its allow_expired to yes."
    ) in message_of(InputError, lambda: plan_scenario(scenario(kind, ended), "here", Path()))
    allowed = plan_scenario(
        scenario(kind, written(tmp_path, valid_to="2026-10-31", allow_expired="yes")), "here", Path()
    )
    assert PRICE_OF[kind](allowed.plan) == USD
    assert any("the contract ended on 2026-10-31" in warning for warning in allowed.warnings)


@pytest.mark.parametrize(("gpus", "usd"), [(96, 2.0), (104, 1.8)])
def test_a_tier_follows_the_gpus_of_a_run_into_its_workbook(tmp_path: Path, gpus: int, usd: float) -> None:
    """2 USD, 1.80 from 100 GPUs on: nodes of eight on both sides of it."""
    path = written(tmp_path, second_tier=100)
    made = plan_scenario({**scenario("training", path), "gpus": gpus, "batch": gpus * 8}, "here", Path())
    assert made.plan.inputs.costs.price_usd_per_gpu_hour == usd
    workbook_that_holds(made)


def test_a_tier_counts_the_fleet_at_its_most_and_a_workbook_keeps_the_number(tmp_path: Path) -> None:
    """Two services of the same offer count together; the number stands in the workbook's inputs."""
    path = written(tmp_path, second_tier=3)
    alone = plan_scenario(scenario("serving", path), "here", Path())
    assert {month.peak_gpus for month in alone.plan.plan.months} == {2}  # below the tier
    assert alone.plan.plan.rates.on_demand_usd == 2.0
    service = scenario("fleet", path)["service"][0]
    two = {**scenario("fleet", path), "service": [service, {**service, "name": "Search"}]}
    fleet = plan_scenario(two, "here", Path())
    assert fleet.plan.months[0].peak_gpus >= 3
    assert [each.rates.on_demand_usd for each in fleet.plan.services] == [1.8, 1.8]
    workbook_that_holds(alone)
