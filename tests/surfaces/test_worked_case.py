"""The worked case of the documentation: users, a contract, euros and two services, the same digits on every surface."""

import json
import re
from pathlib import Path

import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

from sizebook.batch.plan_kinds import PlannedScenario, plan_scenario
from sizebook.scenarios.scenario_files import read_toml
from tests.commands import run
from tests.libreoffice.office import Office, assert_stored_is_recalculated
from tests.surfaces.grid import bare
from tests.workbooks.shipped import totals_of

PAGE = Path(__file__).resolve().parents[2] / "docs" / "worked_case.md"
LEVELS = (0.92,) * 12 + (0.95,) * 24  # EUR for 1 USD on the first day of each month


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scenario as the page has it."""
    [block] = re.findall(r'```toml title="two.toml"\n(.*?)```', PAGE.read_text(encoding="utf-8"), re.DOTALL)
    file = tmp_path_factory.mktemp("case") / "two.toml"
    file.write_text(block, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def made(file: Path) -> PlannedScenario:
    return plan_scenario(read_toml(file), "here", file.parent)


def said(made: PlannedScenario) -> tuple[str, str]:
    """Return the cost in euros, and all of it, as every surface says them."""
    assert made.amount is not None and made.statement is not None
    return str(made.amount.said), str(made.statement.said)


def test_users_are_requests_and_a_contract_is_paid_to_its_end(made: PlannedScenario) -> None:
    """40 000 users x 0.6 x 12 requests x 21 days; 16 GPUs at 2.40 for 730 hours, later 8 at 1.80 x 0.99^6."""
    months = made.plan.months
    assert months[0].requests_per_day * 365 / 12 == pytest.approx(6_048_000)
    assert months[0].usd == pytest.approx(16 * 2.40 * 730)
    for_three_years = next(each for _, each in made.plan.contracts if each.term == "3y")
    assert (for_three_years.gpus, for_three_years.first_month, for_three_years.last_month) == (8, 7, 42)
    assert for_three_years.usd_per_gpu_hour == pytest.approx(1.8 * 0.99**6)


def test_euros_and_present_value_by_hand(made: PlannedScenario) -> None:
    """Each month at its rate; 10 000 for people and a tenth over both; discounted at 8 % a year."""
    usd = [month.usd for month in made.plan.months]
    assert made.amount is not None and made.statement is not None
    assert made.amount.middle == pytest.approx(sum(a * b for a, b in zip(usd, LEVELS, strict=True)))
    whole = [1.1 * (of_gpus + 10_000) * level for of_gpus, level in zip(usd, LEVELS, strict=True)]
    here = made.statement.data["in_currency"]
    assert here["whole"] == pytest.approx(sum(whole))
    assert here["present"] == pytest.approx(sum(each / 1.08 ** (n / 12) for n, each in enumerate(whole, 1)))
    assert here["years"] == pytest.approx(
        {"FY2026": sum(whole[:3]), "FY2027": sum(whole[3:15]), "FY2028": sum(whole[15:27]), "FY2029": sum(whole[27:])}
    )


def test_bought_and_called_by_hand(made: PlannedScenario) -> None:
    """A request of the assistant is 2 000 x 0.13 + 400 x 0.40 for a million, one of the summaries 3 000 x 0.02 + 200 x
    0.06. The contract holds the assistant's two nodes to month 6; a node of eight GPUs is 176 000.

    A fifth of that is left after 48 months. In euros nodes are paid as their month begins, all else at its end.
    """
    months = made.plan.alternative_months
    held = 16 * 2.40 * 730
    assert months[0].api_usd == pytest.approx(held + 6_048_000 * 420e-6)
    assert months[3].api_usd == pytest.approx(held + 6_048_000 * 1.02**3 * 420e-6 + 3e6 * 730 / 24 * 72e-6)
    bought = {at: month.capex_usd for at, month in enumerate(months, 1) if month.bought_gpus}
    assert bought == {4: 352_000, 7: 352_000}
    assert months[-1].owned_usd - months[-1].running_usd == pytest.approx(4 * 176_000 * 0.8 / 48)
    in_euros = list(zip(months, LEVELS, strict=True))
    left = sum((month.capex_usd + month.running_usd - month.owned_usd) * level for month, level in in_euros)
    paid = [
        (month.capex_usd * 1.08 ** (1 / 12) + month.running_usd) * level / 1.08 ** (n / 12)
        for n, (month, level) in enumerate(in_euros, 1)
    ]
    called = [month.api_usd * level / 1.08 ** (n / 12) for n, (month, level) in enumerate(in_euros, 1)]
    assert made.statement is not None
    here = made.statement.data["in_currency"]
    assert here["owned_present"] == pytest.approx(sum(paid) - left / 1.08**3)
    assert here["api_present"] == pytest.approx(sum(called))


def test_command_json_and_page_say_the_same(made: PlannedScenario, file: Path) -> None:
    text = run("plan", "fleet", file).output
    data = json.loads(run("plan", "fleet", file, "--json").output)
    page = PAGE.read_text(encoding="utf-8")
    for sentence in said(made):
        assert sentence in text and sentence in page
    assert made.amount is not None and made.statement is not None
    assert (data["money"], data["statement"]) == (made.amount.data, made.statement.data)
    assert f"{data['statement']['in_currency']['whole']:.2f}" in page
    found = {figure.name: figure.value for figure in made.contents.figures}
    for name in ("owned_usd", "owned_left_usd", "api_usd", "buy_beats_rent_month", "buy_beats_rent_times"):
        assert data["figures"][name] == found[name] == getattr(made.plan.alternatives, name)
    for way in ("rented_usd", "owned_usd", "api_usd"):
        total = sum(month[way] for month in data["alternatives"])
        assert f"{total:,.0f}" in page and f"{total:,.0f}" in text
    for sentence in made.plan.alternatives.sentences:
        assert sentence in text


@pytest.mark.ci
def test_report_workbook_and_libreoffice_say_the_same(
    made: PlannedScenario, file: Path, tmp_path: Path, calc_office: Office
) -> None:
    as_libreoffice = ["fill", "fleet_plan.xlsx", str(file), "--target", "libreoffice"]
    for command, name in ((["report", str(file)], "case.pdf"), (as_libreoffice, "case.xlsx")):
        asked = [*command, "-o", str(tmp_path / name)]
        assert run(*asked).exit_code == 0
    first = bare(PdfReader(tmp_path / "case.pdf").pages[0].extract_text())
    for sentence in said(made):
        assert bare(sentence) in first
    beside = bare(PdfReader(tmp_path / "case.pdf").pages[2].extract_text())
    for sentence in made.plan.alternatives.sentences:
        assert bare(sentence) in beside
    for way in ("rented_usd", "owned_usd", "api_usd"):
        assert f"{sum(getattr(month, way) for month in made.plan.alternative_months):.0f}" in beside
    assert made.amount is not None and made.statement is not None
    here, found = (
        made.statement.data["in_currency"],
        totals_of(load_workbook(tmp_path / "case.xlsx", data_only=True), "Months"),
    )
    shown = [found[label] for label in ("Cost", "Whole cost", "Whole cost, present value")]
    assert shown == pytest.approx([made.amount.middle, here["whole"], here["present"]], rel=1e-12)
    for label, of in (
        ("Bought", "owned_usd"),
        ("Purchase", "capex_usd"),
        ("Running cost", "running_usd"),
        ("API", "api_usd"),
    ):
        months = zip(made.plan.alternative_months, LEVELS, strict=True)
        assert found[label] == pytest.approx(sum(getattr(month, of) * level for month, level in months))
    assert_stored_is_recalculated(calc_office, tmp_path / "case.xlsx")
