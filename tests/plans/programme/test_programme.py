"""Programmes worked out by hand: hours, reference models, generated answers, experiments, storage, months, power."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.core.sections import leaves, put_together
from sizebook.functions import load
from sizebook.plans.programme.inputs import Phase, ProgrammeInputs, ProgrammeTerms
from sizebook.plans.programme.plan import PARTS, ProgrammeMonth, ProgrammePlan, plan_programme, warnings
from sizebook.plans.programme.steps import derivations
from sizebook.plans.training.plan import unchecked_plan
from tests.plans.training.training_runs import run_of
from tests.refused import message_of

load()
# GPT-2 at 40 % of 312 TFLOP/s: 797 815 296 FLOPs a token, steady state alone, no failures, 2 USD an hour.
GPT_2: dict[str, Any] = {
    "name": "Pre-training", "model": "gpt-2-small", "gpu": "a100-sxm-80gb", "gpus": 8, "tokens": 10e12, "batch": 64,
    "seq": 1024, "dp": 8, "recompute": "none", "mfu": 0.4, "price_usd_per_gpu_hour": 2.0, "grams_per_kwh": 400.0,
    "programme_factor": 1.0, "gpu_mtbf_hours": 1e15,
}  # fmt: skip
LLAMA = {"name": "RL", "model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 16, "tokens": 2e9, "batch": 64, "tp": 2,
         "kind": "reinforcement", "price_usd_per_gpu_hour": 2.0, "rollout_input_tokens": 500,
         "rollout_output_tokens": 1500, "rollout_concurrency": 64}  # fmt: skip
HOURS = 10e12 * 797_815_296 / (0.4 * 312e12) / 3600
# 400 W, 30 % for the host, PUE 1.25.
WATTS = 400 * 1.3 * 1.25
NOTHING: dict[str, Any] = {"ablation_share": 0.0}
PRICED = (
    "Price of a GPU-hour: price given in the scenario, USD.",
    "The range of cost covers how fast the GPUs are. The price of a GPU-hour is taken as certain.",
)
SMALL = (
    "RL: No whole run on fewer than 64 GPUs is published: the factor of 1.31 comes from larger runs. Give "
    "programme_factor."
)


def phase(**given: Any) -> Phase:
    return replace(put_together(Phase, given), stated=frozenset(given))


def programme(*phases: dict[str, Any], **terms: Any) -> ProgrammePlan:
    asked = tuple(phase(**each) for each in phases)
    return plan_programme(ProgrammeInputs(phases=asked, terms=put_together(ProgrammeTerms, terms)))


def refusal(*phases: dict[str, Any]) -> str:
    return message_of(SizebookError, programme, *phases)


def test_a_phase_is_its_training_plan() -> None:
    """With nothing beside it a programme of one phase is the whole run of that plan."""
    plan = programme({**LLAMA, "kind": "training"}, **NOTHING)
    given = {name: value for name, value in LLAMA.items() if name not in ("name", "model", "gpu", "kind")
             and not name.startswith("rollout")}  # fmt: skip
    alone = unchecked_plan(run_of("llama-3.1-8b", "h100-sxm", **given))
    for case, found in zip(alone.cases, plan.phases[0].cases, strict=True):
        assert (found.gpu_hours, found.usd) == (case.programme_gpu_hours, case.programme_cost_usd)
    assert plan.middle.phases_usd == alone.middle.programme_cost_usd


def test_the_budget_by_hand() -> None:
    """Half as much again for ablations, 2 % for evaluation; data, checkpoints and egress at their prices."""
    plan = programme(
        {**GPT_2, "other_usd": 1000.0}, ablation_share=0.5, evaluation_share=0.02, data_cpu_hours=1e5,
        usd_per_cpu_hour=0.04, licences_usd=250.0, retention_months=6.0, usd_per_tb_month=20.0, egress_tb=3.0,
        usd_per_egress_tb=80.0,
    )  # fmt: skip
    budget = plan.middle
    assert budget.gpu_hours == pytest.approx(1.52 * HOURS)
    assert budget.phases_usd == pytest.approx(2 * HOURS + 1000)
    assert budget.ablation_usd == pytest.approx(HOURS)
    assert budget.evaluation_usd == pytest.approx(0.04 * HOURS)
    assert budget.data_usd == 4250
    assert budget.storage_usd == pytest.approx(10 * 124_439_808 * 14 / 1e12 * 6 * 20)
    assert budget.egress_usd == 240
    assert budget.usd == pytest.approx(sum(getattr(budget, part) for part in PARTS))
    assert budget.energy_kwh == pytest.approx(1.52 * HOURS * WATTS / 1000)
    assert budget.co2e_kg == pytest.approx(0.4 * budget.energy_kwh)
    assert budget.peak_mw == pytest.approx(1.52 * 8 * WATTS / 1e6)
    assert budget.days == pytest.approx(HOURS / 8 / 24)
    assert [each.usd for each in plan.budgets] == [budget.usd] * 3  # an MFU that is given has no band


def test_a_reference_model_is_a_third_more_work_and_a_copy_of_the_weights() -> None:
    """Forward is a third of forward and backward; the copy takes two bytes of each parameter."""
    plan = programme({**GPT_2, "kind": "preference"}, **NOTHING)
    (found,) = plan.phases
    assert found.cases[1].forward_gpu_hours == pytest.approx(HOURS / 3)
    assert found.cases[1].gpu_hours == pytest.approx(4 / 3 * HOURS)
    assert found.reference_bytes == 2 * 124_439_808
    twice = programme({**GPT_2, "kind": "preference", "forward_passes": 2.0}, **NOTHING)
    assert twice.phases[0].cases[1].forward_gpu_hours == pytest.approx(2 * HOURS / 3)
    adapters = programme({**GPT_2, "kind": "preference", "tuning": "lora"}, **NOTHING)
    assert adapters.phases[0].reference_bytes == 0  # the base without its adapters is the reference


def _answers_per_second() -> float:
    """Return the answers of a replica by the functions of the serving model: 64 in flight over the time of one."""
    asked = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "input_tokens": 500, "output_tokens": 1500, "concurrency": 64}
    options = "; ".join(f"{name}={value}" for name, value in asked.items())
    first, each = call("TTFT_SECONDS", options), call("TPOT_SECONDS", options)
    return float(64 / (first + each * 1499))


def test_answers_are_generated_by_the_serving_model_before_each_step() -> None:
    """A million answers of 2 000 tokens with their prompts on sixteen replicas, then trained on."""
    plan = programme(LLAMA, **NOTHING)
    (found,) = plan.phases
    seconds = 2e9 / 2000 / (16 * _answers_per_second())
    case = found.cases[1]
    assert case.rollout_gpu_hours == pytest.approx(16 * seconds / 3600)
    assert case.waiting_gpu_hours == 0
    assert case.gpu_hours == pytest.approx(case.training_gpu_hours + case.forward_gpu_hours + case.rollout_gpu_hours)
    assert case.days == pytest.approx(case.gpu_hours / 16 / 24)
    slower = programme({**LLAMA, "rollout_tail": 2.0, "rollout_reuse": 4.0}, **NOTHING).phases[0].cases[1]
    assert slower.rollout_gpu_hours == pytest.approx(case.rollout_gpu_hours / 2)


@pytest.mark.parametrize("gpus", [2, 64])
def test_beside_training_the_longer_of_the_two_sets_the_pace(gpus: int) -> None:
    (found,) = programme({**LLAMA, "rollout_gpus": gpus}, **NOTHING).phases
    case = found.cases[1]
    generating = 2e9 / 2000 / (gpus * _answers_per_second()) / 3600
    training = (case.training_gpu_hours + case.forward_gpu_hours) / 16
    assert 24 * case.days == pytest.approx(max(generating, training))
    assert case.rollout_gpu_hours == pytest.approx(gpus * generating)
    assert case.gpu_hours == pytest.approx((16 + gpus) * max(generating, training))
    assert case.waiting_gpu_hours == pytest.approx(16 * (max(generating, training) - training)
                                                   + gpus * (max(generating, training) - generating))  # fmt: skip


def test_gpus_that_mostly_wait_are_said() -> None:
    plan = programme({**LLAMA, "rollout_gpus": 64}, **NOTHING)
    waiting = plan.phases[0].cases[1].waiting_gpu_hours / plan.phases[0].cases[1].gpu_hours
    assert warnings(plan) == (
        SMALL,
        f"RL: {100 * waiting:.0f}\u00a0% of its GPU-hours are spent waiting; give more GPUs to the slower of training "
        "and generating.",
        *PRICED,
    )


@pytest.mark.parametrize(("beside", "idle"), [({"rollout_gpus": 12}, 4), ({"rollout_gpus": 9}, 1), ({}, 0)])
def test_gpus_that_no_replica_stands_on_are_said(beside: dict[str, int], idle: int) -> None:
    """Replicas of eight GPUs on twelve, on nine and on the phase's own sixteen."""
    plan = programme({**LLAMA, "rollout_tp": 8, "rollout_tail": 3.0, **beside}, **NOTHING)
    are, them = ("is", "it") if idle == 1 else ("are", "them")
    said = f"RL: {idle} of the GPUs that generate answers {are} idle: no whole replica fits on {them}."
    assert (said in warnings(plan)) == bool(idle)
    assert plan.phases[0].idle_gpus == idle


def test_settings_of_a_phase_that_do_nothing_are_said() -> None:
    told = warnings(programme({**LLAMA, "kind": "training", "recompute_modules": "moe_act"}, **NOTHING))
    assert told == (
        SMALL,
        "RL: Without effect in the recipe: moe_act.",
        "RL: it states rollouts, but only phases of kind reinforcement generate answers.",
        *PRICED,
    )
    longer = warnings(programme({**LLAMA, "seq": 1024}, **NOTHING))
    assert longer[1] == (
        "RL: prompts with their answers have 2\u202f000 tokens, more than the 1\u202f024 of a sequence that is trained "
        "on."
    )


def test_months_add_up_to_the_budget() -> None:
    second = {**GPT_2, "name": "DPO", "kind": "preference", "tokens": 1e12, "gap_days": 40.0, "other_usd": 500.0}
    plan = programme(GPT_2, second, data_cpu_hours=1e4, egress_tb=2.0, evaluation_share=0.1)
    for name in ("gpu_hours", *PARTS, "usd", "energy_kwh", "co2e_kg"):
        total = sum(getattr(month, name) for month in plan.months)
        assert total == pytest.approx(getattr(plan.middle, name)), name
    for month in plan.months:
        assert month.mean_mw == pytest.approx(month.energy_kwh / 730 / 1000)
    # 92.49 days, 40 of nothing, 12.33: the fourth month is idle from its second day on, the fifth from half its way.
    first, *_, last = plan.months
    assert len(plan.months) == 5
    assert first.gpu_hours == pytest.approx(1.6 * 8 * 730)
    assert (first.data_usd, last.egress_usd) == (500, 180)
    assert plan.starts == pytest.approx((0, HOURS / 8 / 24 + 40))
    assert [month.peak_mw for month in plan.months] == pytest.approx([1.6 * 8 * WATTS / 1e6] * 5)
    assert [bool(month.storage_usd) for month in plan.months] == [False, False, False, True, True]
    assert {leaf.name for leaf in leaves(ProgrammeMonth)} >= set(PARTS)


def test_a_start_within_a_month_leaves_the_rest_of_it() -> None:
    """From 16 April half of its thirty days are over: 365 of 730 hours are left, and the last month starts earlier."""
    plan = programme(GPT_2, **NOTHING, start=date(2027, 4, 16))
    whole = programme(GPT_2, **NOTHING, start=date(2027, 4, 1))
    hours = [month.gpu_hours for month in plan.months]
    assert hours == pytest.approx([8 * 365, 8 * 730, 8 * 730, HOURS - 8 * 1825])
    assert [plan.label(at) for at in range(4)] == ["2027-04", "2027-05", "2027-06", "2027-07"]
    assert plan.months[0].mean_mw == pytest.approx(plan.months[0].peak_mw / 2)
    assert (plan.starts_within, whole.starts_within) == (True, False)
    assert plan.budgets == whole.budgets
    assert plan.starts == whole.starts


def test_hours_are_derived_with_the_numbers_that_give_them() -> None:
    """Steady state, factor and start-up of a run; passes and FLOPs of a reference model: each line works out."""
    run = {**GPT_2, "kind": "preference", "programme_factor": 1.5, "start_hours": 100.0}
    plan = programme(run, **NOTHING)
    steps = {step.label: step for step in derivations(plan)}
    assert steps["Pre-training: GPU-hours of training"].formula == (
        "(GPU-hours - start) * whole run over steady state + start"
    )
    for use in ("of training", "of reference models"):
        step = steps[f"Pre-training: GPU-hours {use}"]
        assert eval(step.substituted.replace("\u202f", "")) == pytest.approx(step.value, rel=1e-3)


def test_low_and_high_are_the_ends_of_both_bands() -> None:
    """Training as the family of runs spreads, answers as throughput does."""
    (found,) = programme(LLAMA, **NOTHING).phases
    low, middle, high = found.cases
    assert found.replica is not None
    band = found.replica.bands["throughput"]
    assert low.rollout_gpu_hours == pytest.approx(middle.rollout_gpu_hours / band.high)
    assert high.rollout_gpu_hours == pytest.approx(middle.rollout_gpu_hours / band.low)
    assert low.training_gpu_hours < middle.training_gpu_hours < high.training_gpu_hours


def test_the_layout_is_searched_where_a_phase_states_no_degree() -> None:
    columns = [[name, value] for name, value in LLAMA.items() if name not in ("tp",) and "rollout" not in name]
    table = call("PROGRAMME_FIGURES", [row for row in columns if row[0] != "kind"])
    found = {row[0]: row[1] for row in table}
    best = call("PLAN_TRAINING", "llama-3.1-8b", "h100-sxm", 16, 64)
    assert found["layout"] == best[1][0]


def test_what_cannot_be_is_refused() -> None:
    assert refusal(GPT_2, GPT_2) == (
        "name twice: got 'Pre-training' for two phases, want each its own. Rename one."
    )  # fmt: skip
    assert refusal(*({**GPT_2, "name": str(n)} for n in range(13))) == (
        "too many phases: got 13, want at most 12. Split the programme."
    )
    assert refusal({**GPT_2, "tokens": 1e15}) == (
        "programme too long: got 305 months, want at most 60. Give its phases more GPUs."
    )
    later = {**GPT_2, "name": "DPO", "gap_days": 2000.0}  # 65.8 months of nothing between two runs of 3.0
    assert refusal(GPT_2, later) == (
        "programme too long: got 72 months, 66 of them gap_days, want at most 60. Shorten gap_days."
    )
    assert refusal({**LLAMA, "rollout_tp": 8, "rollout_gpus": 4}) == (
        "RL: no replica to generate: got 4 GPUs, want at least the 8 of one replica. Give more GPUs or a smaller "
        "rollout_tp."
    )
    assert refusal({**LLAMA, "model": "bert-base-uncased", "tp": 1}) == (
        "RL: no answers to generate: got kind reinforcement for bert-base-uncased, which answers with one pass, want a "
        "model that decodes. Set kind to training."
    )
    # The first of two stages, beside a run that fills the card: 16 layers of 218 112 000 parameters and the table of
    # 525 336 576 are 7.48 GiB in two bytes.
    full = {**LLAMA, "kind": "preference", "gpus": 2, "tp": 1, "pp": 2, "batch": 2, "seq": 512, "gpu": "rtx-a6000"}
    assert refusal(full) == (
        "RL: no room for the reference model: got 6.58\u00a0GiB too much a GPU, want 7.48\u00a0GiB of 47.5\u00a0GiB "
        "free for it. Use more GPUs or zero_stage 3, or train adapters."
    )
