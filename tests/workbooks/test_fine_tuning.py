"""`fine_tuning.xlsx`: its money by hand from the plan's GPU-hours, and what does not fit."""

import re
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from sizebook.core.errors import SizebookError
from sizebook.plans.training.inputs import settled
from sizebook.plans.training.plan import unchecked_plan
from sizebook.scenarios.scenario_files import parse
from sizebook.scenarios.training import TrainingScenario
from sizebook.sources.bundled import bundled
from sizebook.training.tuning import TUNING_NAMES
from sizebook.workbooks.filling import fill
from tests.refused import message_of
from tests.workbooks.shipped import checks, timeline

BOOK = bundled("workbooks") / "fine_tuning.xlsx"
SHARED: dict[str, Any] = {
    "model": "llama-3.1-70b", "gpu": "h100-sxm", "gpus": 8, "batch": 64, "seq": 8192, "zero_stage": 3, "tp": 1,
    "stack": "torchtune", "example_tokens": 800, "price_usd_per_gpu_hour": 2, "grams_per_kwh": 400, "pue": 1.25,
}  # fmt: skip
OWN: dict[str, Any] = {
    "n_examples": 200_000, "epochs": 3, "runs": 4, "evaluation_share": 0.1, "usd_per_example": 0.02, "tuning": "lora",
    "currency": "EUR", "rate_date_1": date(2027, 1, 1), "rate_per_usd_1": 0.5, "lora_rank": 16, "lora_on": "all",
}  # fmt: skip


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    path = tmp_path_factory.mktemp("tuning") / "out.xlsx"
    assert fill(BOOK, SHARED | OWN, path).problems == []
    book = load_workbook(path, data_only=True)
    found: dict[str, list[Any]] = {}  # the first line of a label; those of both tables of charts by their number
    for name in ("Ways", "Money"):
        for label, *values in book[name].iter_rows(min_col=2, max_col=7, values_only=True):
            if label in TUNING_NAMES.values():
                label = f"{label}: {1 + (f'{label}: 1' in found)}"
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
    hours = unchecked_plan(
        settled(scenario.model, scenario.gpu, scenario.inputs, stated=scenario.stated)
    ).middle.gpu_hours
    assert shown["GPU-hours of a run"][column] == pytest.approx(hours, rel=1e-12)
    usd = hours * 4 * 1.1 * 2 + 200_000 * 0.02
    assert shown["Cost"][column] == pytest.approx(usd / 2, rel=1e-12)
    # 700 W x 1.3 of the host x 1.25
    assert shown["Energy"][column] == pytest.approx(hours * 4.4 * 0.7 * 1.3 * 1.25, rel=1e-12)


def test_full_tuning_does_not_fit_and_says_what_is_missing(shown: dict[str, list[Any]]) -> None:
    assert shown["Fits"][:5] == ["no", "yes", "yes", "yes", "yes"]
    needed, usable = shown["Needed"][0], shown["There is"][0]
    missing = f"{(needed - usable) / 2**30:.3g}"
    assert shown["Why not"][0] == f"does not fit: {missing}\xa0GiB too much a GPU"
    assert shown["The cheapest that fits"][0] == "LoRA"


def test_charts_draw_ways_that_do_not_fit_in_stripes(shown: dict[str, list[Any]]) -> None:
    """Each way is drawn once: what fits in the first column of memory and of cost, the others in the second."""
    gib, usable = [needed / 2**30 for needed in shown["Needed"][:5]], shown["There is"][0] / 2**30
    gpus = [run + judged for run, judged in zip(shown["Training"][:5], shown["Evaluation"][:5], strict=True)]
    assert shown["Full fine-tuning: 1"][:3] == pytest.approx([0, gib[0], usable])
    assert shown["Full fine-tuning: 2"][:2] == pytest.approx([0, gpus[0]])
    for at, way in enumerate(("LoRA", "QLoRA", "DoRA", "QDoRA"), 1):
        assert shown[f"{way}: 1"][:3] == pytest.approx([gib[at], 0, usable])
        assert shown[f"{way}: 2"][:2] == pytest.approx([gpus[at], 0])
    with zipfile.ZipFile(BOOK) as archive:
        for chart in ("chart1", "chart2"):
            assert re.findall(r'<a:pattFill[^>]*prst="(\w+)"', archive.read(f"xl/charts/{chart}.xml").decode()) == [
                "wdUpDiag"
            ]


def test_adapters_of_rank_16_on_all_of_llama_3_70b(shown: dict[str, list[Any]]) -> None:
    # 80 layers x 16 x (q and o: 2 x 16384, k and v: 2 x 9216, gate, up, down: 3 x 36864)
    assert shown["Trained parameters"][1] == 80 * 16 * (2 * 16384 + 2 * 9216 + 3 * 36864) == 207_093_760


DATED: dict[str, Any] = {
    "runs": 6, "months": 5, "start": date(2027, 2, 14), "price_date_1": date(2027, 4, 1), "price_level_1": 0.8,
    "rate_date_1": date(2027, 1, 1), "rate_per_usd_1": 0.9, "rate_date_2": date(2027, 6, 1), "rate_per_usd_2": 0.7,
    "other_usd": 1000,
}  # fmt: skip


def test_months_by_hand(shown: dict[str, list[Any]], tmp_path: Path) -> None:
    """Five months of 1.2 runs; from the third, 14 April, prices are 0.8; the fifth, 14 June, has the second rate."""
    path = fill(BOOK, SHARED | OWN | DATED, tmp_path / "out.xlsx").path
    months = timeline(path)
    hours = shown["GPU-hours of a run"][1] * 1.2 * 1.1
    usd = [hours * 2 * level + 200 for level in (1, 1, 0.8, 0.8, 0.8)]
    usd[0] += 4000  # 200 000 examples at 0.02
    amounts = [each * rate for each, rate in zip(usd, (0.9, 0.9, 0.9, 0.9, 0.7), strict=True)]
    assert [day.strftime("%Y-%m-%d") for day in months["Starts"][1:3]] == ["2027-02-14", "2027-03-14"]
    assert months["Runs"][:6] == pytest.approx([6, *[1.2] * 5])
    assert months["Cost"][:6] == pytest.approx([sum(amounts), *amounts], rel=1e-12)
    assert months["Cost to date"][3] == pytest.approx(sum(amounts[:3]))
    assert set(months["Cost"][6:61]) == {0}
    money = timeline(path, "Money")
    assert money["Cost"][0] == pytest.approx(sum(amounts), rel=1e-12)
    years = timeline(path, "Years")["Cost"]
    assert years[:3] == pytest.approx([sum(amounts), sum(amounts), 0])
    assert {label: text for label, text in checks(path).items() if text != "OK"} == {}


def test_blank_months_are_those_that_runs_take_one_after_another(shown: dict[str, list[Any]], tmp_path: Path) -> None:
    path = fill(BOOK, SHARED | OWN | {"runs": 300}, tmp_path / "out.xlsx").path
    # 1.1 of evaluation, 8 GPUs, months of 730 hours
    n_months = -(-shown["GPU-hours of a run"][1] * 300 * 1.1 / 8 // 730)
    assert n_months > 2
    months = timeline(path)
    assert months["In the plan"][0] == n_months
    assert 0.9 < months["Machines at work, mean"][0] <= 1


def test_more_runs_than_sixty_months_hold_are_found(tmp_path: Path) -> None:
    path = fill(BOOK, SHARED | OWN | {"runs": 10_000}, tmp_path / "out.xlsx").path
    assert {label for label, text in checks(path).items() if text != "OK"} == {
        "Every month asked for is there 1",
        "All checks 1",
    }


def test_a_year_is_no_day_and_a_currency_has_a_rate(tmp_path: Path) -> None:
    """`start = 2027` was July 1905; amounts in EUR without a rate were those in USD, and every check said OK."""
    asked = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 8, "batch": 16, "n_examples": 1000}
    assert "start is not a day: got 2027, want a day such as 2026-12-31" in message_of(
        SizebookError, fill, BOOK, {**asked, "start": 2027}, tmp_path / "out.xlsx"
    )
    assert not (tmp_path / "out.xlsx").exists()
    with pytest.raises(
        SizebookError, match="currency without a rate: got currency 'EUR' without rates, want what 1 USD is"
    ):
        fill(BOOK, {**asked, "currency": "EUR"}, tmp_path / "out.xlsx")
    assert not (tmp_path / "out.xlsx").exists()
    rates = {"rate_date_1": date(2027, 1, 1), "rate_per_usd_1": 0.9}
    path = fill(BOOK, {**asked, "currency": "EUR", **rates}, tmp_path / "out.xlsx").path
    rows = load_workbook(path, data_only=True)["Checks"].iter_rows(values_only=True)
    assert [row[2] for row in rows if row[1] == "Amounts in another currency have a rate"] == ["OK"]
