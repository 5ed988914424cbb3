"""Comparisons: order, differences and what nothing betters, by hand."""

import re
from datetime import date

import pytest

from sizebook.core.errors import InputError
from sizebook.core.figure_label import FigureLabel
from sizebook.reports.comparison.ranking import Ranking, rank_scenarios
from sizebook.reports.comparison.report import MOST_ROWS, report
from sizebook.reports.document import Table, texts_of
from sizebook.reports.glossary import glossary
from sizebook.reports.translation import Translator
from tests.refused import message_of
from tests.reports.reading import tables

COST, TIME, MFU = (
    FigureLabel("Cost", "USD"),
    FigureLabel("Time per output token", "seconds"),
    FigureLabel("MFU", "ratio"),
)
SCENARIOS = {
    "a": {TIME: 0.04, COST: 100.0, MFU: 0.4},
    "b": {TIME: 0.02, COST: 150.0, MFU: 0.5},
    "c": {TIME: 0.03, COST: 160.0, MFU: 0.3},  # b betters it in both
    "d": {TIME: 0.01, COST: 400.0},
    "e": {TIME: 0.05},
}


def test_ranking_front_and_changes_by_hand() -> None:
    found = rank_scenarios(SCENARIOS, base="b")
    assert (found.rank_by, found.against) == (COST, TIME)
    assert found.ranked == ["a", "b", "c", "d"]
    assert found.front == ["a", "b", "d"]
    assert found.change("a", COST) == pytest.approx(-1 / 3)
    assert found.change("d", TIME) == pytest.approx(-0.5)
    assert found.change("e", COST) is None


def test_more_is_better_of_a_share_of_the_peak() -> None:
    found = rank_scenarios(SCENARIOS, rank_by="mfu")
    assert found.ranked == ["b", "a", "c"]
    assert found.front == ["b"]  # c is slower than b, a slower too
    assert found.base == "a"


def test_equal_scenarios_are_both_on_the_front() -> None:
    twins = {"a": {COST: 1.0, TIME: 2.0}, "b": {COST: 1.0, TIME: 2.0}, "c": {COST: 2.0, TIME: 3.0}}
    assert rank_scenarios(twins).front == ["a", "b"]


@pytest.mark.parametrize(
    ("scenarios", "asked", "message"),
    [
        ({"a": {COST: 1.0}}, {}, "nothing to compare: got 1 scenarios done, want two or more. Add scenarios."),
        (SCENARIOS, {"base": "aa"}, "unknown base: got 'aa', want a scenario that is done. Did you mean 'a'?"),
        (SCENARIOS, {"rank_by": "costs"}, "unknown figure: got 'costs', want 'Cost, USD', or one of Time per "
        "output token, seconds, MFU, ratio. Correct it."),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused(scenarios: dict[str, dict[FigureLabel, float]], asked: dict[str, str],
                                            message: str) -> None:  # fmt: skip
    assert message_of(InputError, rank_scenarios, scenarios, **asked) == message


def ranked(found: Ranking) -> dict[str, Table]:
    return tables(report(found, date(2026, 11, 22)))


def test_the_report_says_what_was_found() -> None:
    made = report(rank_scenarios(SCENARIOS, base="b"), date(2026, 11, 22))
    assert made.summary == (
        "Best is a: Cost $100, −33.3 % against b. Last is d with $400. Cost and Time per output token together: "
        "nothing betters a, b, d in both."
    )
    shown = ranked(rank_scenarios(SCENARIOS, base="b"))
    assert [row.cells for row in shown["Ranked by Cost"].rows] == [
        ("a", "1", "100", "−33.3"), ("b", "2", "150", "0.0"), ("c", "3", "160", "+6.7"), ("d", "4", "400", "+166.7"),
    ]  # fmt: skip
    assert made.warnings[0] == "1 scenario has no Cost and is left out of the ranking."
    [e] = [row for row in shown["Time per output token and Cost"].rows if row.cells[0] == "e"]
    assert e.cells == ("e", "0.050", "+150.0", "–", "–")


def test_rows_that_are_not_shown_are_counted() -> None:
    many = {f"s{at}": {COST: float(at), TIME: 1.0 + at} for at in range(1, MOST_ROWS + 12)}
    assert (
        ranked(rank_scenarios(many))["Ranked by Cost"].note
        == f"The first {MOST_ROWS} of {len(many)} scenarios are shown."
    )


def test_counts_are_whole_and_a_german_comparison_speaks_german() -> None:
    gpus = FigureLabel("GPUs, first month", "GPUs")
    found = rank_scenarios({"a": {COST: 100.0, TIME: 0.04, gpus: 50.0}, "b": {COST: 90.0, TIME: 0.05, gpus: 60.0}})
    shown = report(found, date(2026, 11, 22))
    said = list(texts_of(Translator("de").translate(shown)))
    assert "50" in said and "60" in said and "50.0" not in list(texts_of(shown))
    english = r"\b(the|and|of|with|are|is|for|from|to|or|less|more|Cost|Time|token)\b"
    assert [each for each in said if re.search(english, each)] == []
    assert "Rangfolge nach Kosten, USD: weniger ist besser. Gleiche Werte stehen in der Reihenfolge der Liste." in said


def test_few_scenarios_share_pages_and_a_batch_is_no_training_step() -> None:
    """On 0.10.0 two scenarios took a page for each table, and the glossary gave "batch" its meaning in training."""
    few, many = (
        report(rank_scenarios({f"s{at}": {COST: at + 1.0, TIME: 9.0 - at} for at in range(n)}), date(2026, 11, 22))
        for n in (2, 9)
    )
    assert {section.new_page for section in few.sections} == {False}
    assert [section.topic for section in many.sections if section.new_page] == ["Differences", "Trade-off"]
    blocks = [block for section in glossary(few) for block in section.blocks]
    terms = [row.cells[0] for block in blocks if isinstance(block, Table) for row in block.rows]
    assert "batch" not in terms
