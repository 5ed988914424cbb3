"""`fine_tuning.xlsx`: its money by hand from the plan's GPU-hours, and what does not fit."""

from __future__ import annotations

from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.plans.training.inputs import settled
from sizebook.plans.training.plan import unchecked_plan
from sizebook.scenarios.files import parse
from sizebook.scenarios.training import TrainingScenario
from sizebook.sources.bundled import bundled
from sizebook.workbooks.filling import fill

BOOK = bundled("workbooks") / "fine_tuning.xlsx"
SHARED: dict[str, Any] = {
    "model": "llama-3.1-70b", "gpu": "h100-sxm", "gpus": 8, "batch": 64, "seq": 2048, "zero_stage": 3, "tp": 1,
    "stack": "torchtune", "example_tokens": 800, "price_usd_per_gpu_hour": 2, "grams_per_kwh": 400, "pue": 1.25,
}  # fmt: skip
OWN: dict[str, Any] = {
    "n_examples": 200_000, "epochs": 3, "runs": 4, "evaluation_share": 0.1, "usd_per_example": 0.02, "tuning": "lora",
    "currency": "EUR", "rate_per_usd": 0.5, "lora_rank": 16, "lora_on": "all",
}  # fmt: skip


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    path = tmp_path_factory.mktemp("tuning") / "out.xlsx"
    assert fill(BOOK, SHARED | OWN, path).problems == []
    book = load_workbook(path, data_only=True)
    found: dict[str, list[Any]] = {}  # the first line of a label
    for name in ("Ways", "Money"):
        for label, *values in book[name].iter_rows(min_col=2, max_col=7, values_only=True):
            found.setdefault(str(label), values)
    return found


@pytest.mark.parametrize(("column", "way"), [(0, "full"), (1, "lora"), (4, "qdora")])
def test_money_is_the_plans_gpu_hours_times_runs_and_price(shown: dict[str, list[Any]], column: int, way: str) -> None:
    # 200 000 examples x 3 passes x 800 tokens
    tuned = {} if way == "full" else {"lora_rank": 16, "lora_on": "all"}
    scenario = parse(
        TrainingScenario,
        {"plan": "training", "tokens": 480e6, "tuning": way, "programme_factor": 1, **SHARED, **tuned}, "here",
    )  # fmt: skip
    hours = unchecked_plan(settled(scenario.model, scenario.gpu, scenario.inputs)).middle.gpu_hours
    assert shown["GPU-hours of a run"][column] == pytest.approx(hours, rel=1e-12)
    usd = hours * 4 * 1.1 * 2 + 200_000 * 0.02
    assert shown["Cost"][column] == pytest.approx(usd, rel=1e-12)
    assert shown["Cost in the currency"][column] == pytest.approx(usd / 2, rel=1e-12)
    # 700 W x 1.3 of the host x 1.25
    assert shown["Energy"][column] == pytest.approx(hours * 4.4 * 0.7 * 1.3 * 1.25, rel=1e-12)


def test_full_tuning_does_not_fit_and_says_what_is_missing(shown: dict[str, list[Any]]) -> None:
    assert shown["Fits"][:5] == ["no", "yes", "yes", "yes", "yes"]
    needed, usable = shown["Needed"][0], shown["There is"][0]
    missing = f"{(needed - usable) / 2**30:.3g}"
    assert shown["Why not"][0] == f"does not fit: {missing}\xa0GiB too much a GPU"
    assert shown["The cheapest that fits"][0] == "lora"


def test_adapters_of_rank_16_on_all_of_llama_3_70b(shown: dict[str, list[Any]]) -> None:
    # 80 layers x 16 x (q and o: 2 x 16384, k and v: 2 x 9216, gate, up, down: 3 x 36864)
    assert shown["Trained parameters"][1] == 80 * 16 * (2 * 16384 + 2 * 9216 + 3 * 36864) == 207_093_760
