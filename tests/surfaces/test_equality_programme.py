"""One programme on every surface: cells, JSON, text and PDF give the same figures, input by input."""

import re
from functools import cache
from pathlib import Path

import pytest

from sizebook.batch.plan_kinds import plan_scenario, scenario_of
from sizebook.core.cells import call
from sizebook.core.sections import flat, leaves
from sizebook.core.units import brief, grouped
from sizebook.functions import load
from sizebook.plans.programme.figures import PhaseFigures, figures
from sizebook.plans.programme.inputs import Phase, ProgrammeTerms
from sizebook.plans.programme.plan import PARTS, Budget, ProgrammeMonth, ProgrammePlan
from sizebook.plans.training.inputs import TrainingInputs
from sizebook.reports.programme.notes import OWN_ROWS
from sizebook.scenarios.programme import ProgrammeScenario, plan_programme_scenario
from tests.commands import plan_printed
from tests.surfaces.grid import Values, assert_prints, bare, first_in_make_test, in_print

load()
pytestmark = pytest.mark.usefixtures("on_the_day_of_the_grid")
FIRST: Values = {
    "name": "Pre-training", "model": "mixtral-8x7b", "gpu": "h200-sxm", "gpus": 64, "tokens": 1e12, "batch": 256,
    "tp": 4, "ep": 8, "start_hours": 6.0,
}  # fmt: skip
LAST: Values = {
    "name": "RL", "kind": "reinforcement", "model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 16, "tokens": 4e9,
    "batch": 64, "tp": 2, "gap_days": 3.0, "rollout_input_tokens": 400,
}  # fmt: skip
BASE: Values = {"plan": "programme", "as_of": "2026-11-21", "data_cpu_hours": 50_000.0, "egress_tb": 12.0}
# Every input of the terms away from its default, and every one of a phase that no training plan has.
TERMS: Values = {
    "start": "2027-03-01", "ablation_share": 0.8, "evaluation_share": 0.05, "data_cpu_hours": 70_000.0,
    "usd_per_cpu_hour": 0.07, "licences_usd": 12_345.0, "checkpoint_bytes_per_parameter": 16.0,
    "retention_months": 9.0, "usd_per_tb_month": 18.0, "egress_tb": 31.0, "usd_per_egress_tb": 75.0,
}  # fmt: skip
PHASE: Values = {
    "kind": "preference", "forward_passes": 3.0, "gap_days": 11.0, "kept_checkpoints": 4.0, "rollout_input_tokens": 700,
    "rollout_output_tokens": 2100, "rollout_reuse": 3.0, "rollout_gpus": 8, "rollout_tp": 2, "rollout_concurrency": 40,
    "rollout_weight_dtype": "fp8", "rollout_tail": 1.4,
}  # fmt: skip
# Inputs of a training plan, of which its own suite varies each.
TRAINED: Values = {"tuning": "qdora", "mfu": 0.35, "price_usd_per_gpu_hour": 2.75, "example_tokens": 900.0,
                   "programme_factor": 1.4, "other_usd": 777.0, "watts": 650.0, "grams_per_kwh": 123.0}  # fmt: skip
CASES: dict[str, tuple[Values, Values]] = {
    "base": ({}, {}),
    **{name: ({name: value}, {}) for name, value in TERMS.items()},
    **{name: ({}, {name: value}) for name, value in (PHASE | TRAINED).items()},
    "searched": ({}, {"tp": None}),
    "all": (TERMS, {**PHASE, **TRAINED, "kind": "reinforcement", "packed": False, "tuning": None}),
}
REPORTED = ("all", "rollout_gpus", "kind", "base")
every_case = pytest.mark.parametrize("name", CASES)


def _values(name: str) -> Values:
    terms, changed = CASES[name]
    last = {key: value for key, value in {**LAST, **changed}.items() if value is not None}
    return {**BASE, **terms, "phases": [FIRST, last]}


@cache
def _plan(name: str) -> ProgrammePlan:
    scenario = scenario_of(_values(name), "grid", Path())
    assert isinstance(scenario, ProgrammeScenario)
    return plan_programme_scenario(scenario)


def test_every_input_is_away_from_its_default_somewhere() -> None:
    own = {leaf.name for leaf in leaves(Phase)} - {leaf.name for leaf in leaves(TrainingInputs)}
    assert own - {"name", "model", "gpu"} == set(PHASE)
    assert {leaf.name for leaf in leaves(ProgrammeTerms)} == set(TERMS)


def test_every_input_moves_a_figure() -> None:
    """An input that no figure answers to would be read and dropped; the first month moves labels only."""
    base = (_plan("base").budgets, _plan("base").months)
    silent = {name for name in CASES if (_plan(name).budgets, _plan(name).months) == base}
    assert silent == {"base", "start", "example_tokens"}


@every_case
def test_the_cells_give_the_plan(name: str) -> None:
    plan, values = _plan(name), _values(name)
    keys = list(dict.fromkeys(key for phase in values["phases"] for key in phase))
    columns = [[key, *(phase.get(key) for phase in values["phases"])] for key in keys]
    options = [[key, value] for key, value in values.items() if key not in ("plan", "as_of", "phases")]
    found = {name: call(f"PROGRAMME_{name}", columns, options) for name in ("BUDGET", "LEDGER", "FIGURES")}
    assert found["BUDGET"] == [[leaf.name for leaf in leaves(Budget)], *(list(flat(b).values()) for b in plan.budgets)]
    months = [[leaf.name for leaf in leaves(ProgrammeMonth)], *(list(flat(month).values()) for month in plan.months)]
    assert found["LEDGER"] == months
    by_phase = [flat(figures(plan, at)) for at in range(2)]
    names = [leaf.name for leaf in leaves(PhaseFigures)]
    assert found["FIGURES"] == [["name", "Pre-training", "RL"], *([key, *(f[key] for f in by_phase)] for key in names)]


@every_case
def test_the_command_line_prints_the_plan(name: str, tmp_path: Path) -> None:
    plan, values = _plan(name), _values(name)
    data, text = plan_printed(values, tmp_path)
    assert data["budget"] == {budget.name: flat(budget) for budget in plan.budgets}
    assert data["months"] == [{"month": plan.label(at), **flat(month)} for at, month in enumerate(plan.months)]
    for at, told in enumerate(data["phases"]):
        assert {key: told[key] for key in flat(figures(plan, at))} == flat(figures(plan, at))
        assert list(told["cases"].values()) == [flat(case) for case in plan.phases[at].cases]
    rates = [each.training.work.rates_basis(each.training.inputs.utilization) for each in plan.phases]
    assert [told["rates_basis"] for told in data["phases"]] == rates
    assert [line for line in text.splitlines() if line.startswith("rates: ")] == [
        f"rates: {basis}" for basis in dict.fromkeys(rates)
    ]
    for budget in plan.budgets:
        for leaf in leaves(Budget):
            assert leaf.name == "name" or brief(getattr(budget, leaf.name), leaf.quantity.unit) in text
    for month in plan.months:
        figures_told = [grouped(round(month.gpu_hours)), grouped(round(month.usd)), brief(month.energy_kwh / 1000, "")]
        assert re.search(r" +".join(map(re.escape, figures_told)), text), figures_told
        assert brief(month.mean_mw, "MW") in text
    for at, each in enumerate(plan.phases):  # side by side: what a phase takes beside its steady state
        case, steady = figures(plan, at).case, each.training.middle
        inputs = each.training.inputs
        start_up = inputs.operations.start_hours * inputs.gpus  # once, whatever else takes longer
        factor = f"{(case.training_gpu_hours - start_up) / (steady.gpu_hours - start_up):.3g}"
        (row,) = [line for line in text.splitlines() if line.startswith(each.phase.name) and ":" not in line]
        for told in (brief(case.days, "days"), brief(case.gpu_hours, "GPU-hours"), brief(steady.gpu_hours, ""),
                      factor, brief(case.usd, "USD"), brief(case.power_mw, "MW")):  # fmt: skip
            assert f"  {told}" in row, (told, row)


@pytest.mark.parametrize("name", first_in_make_test(REPORTED, REPORTED, 1))
def test_the_report_prints_the_plan_and_every_input(name: str, tmp_path: Path) -> None:
    plan, (terms, changed) = _plan(name), CASES[name]
    report = plan_scenario(_values(name), "grid", Path()).report
    text = in_print(report, tmp_path)
    assert_prints(text, report, plan.terms, plan.phases[1].phase, inputs={*terms, *changed} - OWN_ROWS)
    assert all(bare(tile.note) in text for tile in report.tiles)
    for budget in plan.budgets:
        for part in (*PARTS, "usd", "gpu_hours"):
            assert bare(grouped(getattr(budget, part))) in text, part
