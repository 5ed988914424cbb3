"""Serving backwards: of what is given the most, within one replica of the plan that is asked forward."""

from typing import Any

import pytest

from sizebook.core.errors import InputError, RangeError
from sizebook.core.sections import put_together
from sizebook.plans.serving.backwards import MostServed, most_served
from sizebook.plans.serving.inputs import ServingInputs
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from tests.commands import run
from tests.refused import message_of

ASKED: dict[str, Any] = {
    "requests_per_day": 100_000, "input_tokens": 2000, "output_tokens": 400, "months": 1, "concurrency": 32, "tp": 4,
    "weight_dtype": "fp8", "on_demand_usd_per_gpu_hour": 4.0, "reserved_usd_per_gpu_hour": 2.0, "pue": 1.25,
}  # fmt: skip


def plan(**changes: Any) -> ServingPlan:
    return plan_serving("llama-3.1-70b", "h100-sxm", put_together(ServingInputs, ASKED | changes))


@pytest.fixture(scope="module")
def asked() -> ServingPlan:
    return plan()


def taken(found: MostServed, given: str, **changes: Any) -> float:
    """Return what the plan of the found traffic takes, asked forward."""
    forward = plan(requests_per_day=found.requests_per_day, **changes)
    month = forward.months[0]
    if given == "usd_per_mtok":
        return month.usd_per_mtok_output
    return {"gpus": month.peak_gpus, "usd_per_month": month.usd, "kw": month.peak_gpus * 0.7 * 1.3 * 1.25}[given]


@pytest.mark.parametrize(
    ("given", "limit", "replicas", "one_more"),
    [
        ("gpus", 43, 10, 44),  # replicas of four GPUs, one of them spare
        ("usd_per_month", 60_000, 10, 11 * 4 * 730 * 2),
        ("kw", 46, 10, 11 * 4 * 0.7 * 1.3 * 1.25),
    ],
)
def test_the_most_is_what_whole_replicas_take(
    asked: ServingPlan, given: str, limit: float, replicas: int, one_more: float
) -> None:
    found = most_served(asked, given, limit)
    assert found.replicas == replicas
    assert found.requests_per_day == pytest.approx(9 * asked.replica.requests_per_second * 0.8 * 86_400)
    assert found.taken == pytest.approx(one_more * 10 / 11) and found.taken <= limit
    assert found.taken_with_one_more == pytest.approx(one_more) and one_more > limit


@pytest.mark.parametrize("given", ["gpus", "usd_per_month", "kw", "usd_per_mtok"])
@pytest.mark.parametrize("shape", ["flat", "office", "consumer"])
@pytest.mark.parametrize("whole_nodes", [False, True])
def test_forward_of_backward_is_within_one_replica(given: str, shape: str, whole_nodes: bool) -> None:
    changes = {"shape": shape, "whole_nodes": whole_nodes, "burst_factor": 1.2}
    start = plan(**changes)
    at_small = taken(most_served(start, "gpus", 24), given, **changes)
    limit = at_small * (0.9 if given == "usd_per_mtok" else 3.1)
    found = most_served(start, given, limit)
    assert taken(found, given, **changes) == pytest.approx(found.taken, rel=1e-9)
    assert found.taken <= limit and found.taken_with_one_more is not None and found.taken_with_one_more > limit


def test_latency_is_bought_with_replicas() -> None:
    """Fewer requests in flight are faster and need more replicas; one fewer than the best takes more than is given."""
    asked = plan(requests_per_day=400_000)
    found = most_served(asked, "gpus", 16)
    fewest = found.concurrency
    assert fewest is not None and 1 < fewest < 32
    assert plan(requests_per_day=400_000, concurrency=fewest).months[0].peak_gpus <= 16
    assert plan(requests_per_day=400_000, concurrency=fewest - 1).months[0].peak_gpus > 16
    assert found.tpot_seconds is not None and found.tpot_seconds < float(asked.replica.at_knee.tpot_seconds)


def test_the_largest_of_some_models_is_the_one_that_is_had(asked: ServingPlan) -> None:
    models = ("llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b")  # 405 GB of fp8 do not fit on four
    assert most_served(asked, "gpus", 40, models).largest_model == "llama-3.1-70b"
    assert most_served(asked, "gpus", 8, models[:1]).largest_model == "llama-3.1-8b"


def test_what_is_not_had_is_refused(asked: ServingPlan) -> None:
    for given, limit, message in (
        ("gpus", 5, "too little: got 5 GPUs, want 8 or more, for 2 replicas. Raise it."),
        ("usd_per_month", 100, "too little: got 100 USD a month, want 1.168e+04 or more, for 2 replicas. Raise it."),
    ):
        assert message_of(RangeError, most_served, asked, given, limit) == message
    with pytest.raises(RangeError, match=r"^too low a price: got 0.01 USD per million output tokens, want "):
        most_served(asked, "usd_per_mtok", 0.01)
    unlisted = plan_serving(
        "llama-3.1-8b",
        "h20",
        put_together(ServingInputs, {"requests_per_day": 1e5, "input_tokens": 500, "concurrency": 8}),
    )
    assert message_of(InputError, most_served, unlisted, "usd_per_month", 1000) == (
        "not listed: got 1000 USD a month and no price or power of h20, want one. State its price."
    )


def test_the_command_says_what_is_had(tmp_path: Any) -> None:
    (tmp_path / "s.toml").write_text(
        'plan = "serving"\nmodel = "llama-3.1-70b"\ngpu = "h100-sxm"\n'
        + "".join(f"{name} = {value!r}\n".replace("'", '"') for name, value in ASKED.items())
    )
    result = run("plan", "serve", tmp_path / "s.toml", "--given", "gpus=43")
    assert "on 10 replicas. That takes 40 GPUs; one replica more would take 44.\n" in result.stdout
    wrong = run("plan", "serve", tmp_path / "s.toml", "--given", "euros=1")
    assert str(wrong.exception) == (
        "not given: got 'euros=1', want one of usd_per_month, gpus, kw, usd_per_mtok with an amount above 0. Write "
        "usd_per_month=50000."
    )
