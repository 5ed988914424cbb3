"""Token lengths given as a histogram: mean and percentiles by hand, and every refusal in full."""

from pathlib import Path

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import InputError, RangeError
from sizebook.functions import load
from sizebook.plans.serving.lengths import histogram
from sizebook.scenarios.csv_files import with_csv_files
from sizebook.scenarios.scenario_files import parse
from sizebook.scenarios.serving import ServingScenario, plan_serving_scenario
from tests.refused import message_of
from tests.row_lists import listed

load()
BINS = [[8000, 0.1], [500, 0.6], [2000, 0.3]]


def _scenario(folder: Path = Path(), **lengths: object) -> ServingScenario:
    """Return the scenario of those lengths, its files beside it in a folder."""
    traffic = {"requests_per_day": 1000, "months": 1, **lengths}
    values = {"plan": "serving", "model": "llama-3.1-8b", "gpu": "h100-sxm", "traffic": traffic}
    return parse(ServingScenario, with_csv_files(values, folder), "s.toml")


def test_mean_and_percentiles_by_hand() -> None:
    found = histogram(BINS, "input_histogram")
    # 500 x 0.6 + 2000 x 0.3 + 8000 x 0.1 = 300 + 600 + 800; below: 60 %, 90 %, 100 %.
    assert found.mean == pytest.approx(1700)
    assert [found.percentile(share) for share in (0.5, 0.6, 0.61, 0.9, 0.95)] == [500, 500, 2000, 2000, 8000]


def test_a_scenario_takes_pairs_and_a_csv(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("tokens,share\n100,0.95\n900,0.05\n", encoding="utf-8")
    traffic = plan_serving_scenario(
        _scenario(tmp_path, input_histogram=BINS, output_histogram="answers.csv")
    ).plan.traffic
    # Answers: 100 x 0.95 + 900 x 0.05 = 140, and 95 % of them are at 100.
    assert (traffic.mean_demand.input_tokens, traffic.mean_demand.output_tokens) == (1700, 140)
    assert traffic.longest == (8000, 100)
    assert traffic.longest_tokens == 8100


def test_a_range_of_cells_is_a_histogram_with_blanks_below() -> None:
    """500 x 0.6 + 2000 x 0.4 = 1100 and 140 tokens a request, at one request in flight."""
    rows = [[500, 0.6], [2000, 0.4], [None, None], ["", ""]]
    text = "months=1; output_tokens=140"
    blanks = [None] * 7  # from input_tokens to months
    given = ["llama-3.1-8b", "h100-sxm", 1000, *blanks, "flat", None, *blanks[:4], rows, text]
    by_range = call("SERVING_FIGURES", *given)
    named = call(
        "SERVING_FIGURES", "llama-3.1-8b", "h100-sxm", 1000, f"input_tokens=1100; input_tokens_p95=2000; {text}"
    )
    assert by_range == named


@pytest.mark.parametrize(*listed("plans/serving", "test_a_histogram_that_is_none_is_refused"))
def test_a_histogram_that_is_none_is_refused(pairs: list[list[float]], message: str) -> None:
    assert (
        message_of(RangeError, lambda: plan_serving_scenario(_scenario(input_histogram=pairs, output_tokens=10)))
        == message
    )


def test_lengths_are_given_once() -> None:
    assert message_of(
        InputError,
        lambda: plan_serving_scenario(
            _scenario(input_histogram=BINS, input_tokens=10, input_tokens_p95=20, output_tokens=9)
        ),
    ) == (
        "lengths given twice: got input_histogram and input_tokens, input_tokens_p95, want one of them. Mean and "
        "percentiles follow from the histogram: remove the others."
    )
    assert message_of(InputError, lambda: plan_serving_scenario(_scenario(input_tokens=10))) == (
        "no lengths: got neither output_tokens nor output_histogram, want one. Add a line 'output_tokens = ...'."
    )


def test_a_csv_without_its_columns_is_refused(tmp_path: Path) -> None:
    (tmp_path / "answers.csv").write_text("tokens,count\n100,1\n", encoding="utf-8")
    assert message_of(InputError, _scenario, tmp_path, input_tokens=10, output_histogram="answers.csv") == (
        "not a histogram: got 'share' in answers.csv, want columns 'tokens' and 'share' of numbers. Mend the file."
    )
