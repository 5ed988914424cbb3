"""A file of own rates on every surface: what it moves, by how much, what says so, and what is refused."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sizebook.batch.plan_kinds import plan_scenario, scenario_of
from sizebook.core.cells import call
from sizebook.core.errors import SizebookError
from sizebook.functions import load
from sizebook.serving.arrivals import Lengths
from sizebook.serving.band import pooled_band, replica_band
from sizebook.serving.case import case_of
from sizebook.serving.load import Stream, simulator
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.shape import shape_of
from sizebook.sweeps import training as training_sweep
from sizebook.sweeps.serving import sweep
from sizebook.tables.hardware import accelerator
from sizebook.tables.own_rates import FACTORS, own_rates
from sizebook.tables.own_rates import SERVING as SERVED
from sizebook.training.machine import rates_of
from sizebook.training.recipe import Method
from tests.commands import run
from tests.refused import message_of

OWN = Path(__file__).resolve().parents[1] / "own_rates.csv"
OWN_KEY = {"rates_file": str(OWN)}
DIGEST = own_rates(str(OWN)).digest
TRAINING = """plan = "training"
model = "mixtral-8x7b"
gpu = "h200-sxm"
gpus = 64
tokens = 1e12
batch = 256
tp = 4
ep = 8
"""
SERVING = """plan = "serving"
model = "llama-3.1-8b"
gpu = "h100-sxm"
requests_per_day = 1e6
input_tokens = 1000
output_tokens = 200
months = 2
concurrency = 16
"""
HEAD = "plan,gpu,software,kind,name,value,runs,groups,meaning\n"


def said(*arguments: str) -> str:
    return run(*arguments).stdout


def test_factors_multiply_the_seconds_they_name() -> None:
    """1.25 on compute and 0.8 on the network, as the file states for training on H200."""
    h200 = accelerator("h200-sxm")
    shipped = rates_of(h200, Method())
    own = rates_of(h200, Method(rates_file=str(OWN)))
    assert own.matmul * 1.25 == pytest.approx(shipped.matmul) and own.memory * 1.25 == pytest.approx(shipped.memory)
    assert own.scale_out * 0.8 == pytest.approx(shipped.scale_out)
    assert own.block_seconds == shipped.block_seconds


def test_factors_of_serving_multiply_the_seconds_they_name() -> None:
    own, shipped = (case_of("llama-3.1-8b", "h100-sxm", Replica(rates_file=path)).rates for path in (str(OWN), ""))
    assert own["product_bandwidth"] * 1.3 == pytest.approx(shipped["product_bandwidth"])
    assert own["product_launch_seconds"] == pytest.approx(1.3 * shipped["product_launch_seconds"])
    assert own["reduce_bandwidth"] * 1.1 == pytest.approx(shipped["reduce_bandwidth"])
    assert own["step_seconds"] == pytest.approx(0.7 * shipped["step_seconds"])
    for name in ("first_token_seconds", "eager_seconds", "queue_share"):
        assert own[name] == pytest.approx(2 * shipped[name])
    untouched = ("draft_growth", "host_requests_per_second", "experts_half")
    assert [own[name] for name in untouched] == [shipped[name] for name in untouched]


def test_a_training_plan_is_the_same_with_the_option_the_key_the_column_and_the_argument(tmp_path: Path) -> None:
    plain, keyed = tmp_path / "plain.toml", tmp_path / "keyed.toml"
    plain.write_text(TRAINING)
    (tmp_path / "acme.csv").write_bytes(OWN.read_bytes())
    keyed.write_text(TRAINING + 'rates_file = "acme.csv"\n')  # beside the scenario
    option = json.loads(said("plan", "train", str(plain), "--json", "--rates", str(OWN)))
    key = json.loads(said("plan", "train", str(keyed), "--json"))
    shipped = json.loads(said("plan", "train", str(plain), "--json"))
    assert option["cases"] == key["cases"] != shipped["cases"]
    step = option["cases"]["middle"]["step_seconds"]
    row = swept({**scenario_values(), "rates_file": str(OWN)})
    assert row["step_seconds"] == step
    cell = ("call", "STEP_SECONDS", "mixtral-8x7b", "h200-sxm", "256", "dp=16", "tp=4", "ep=8")
    assert float(said(*cell, "--rates", str(OWN))) == pytest.approx(step)
    assert option["cases"]["low"]["step_seconds"] == pytest.approx(0.9 * step)  # p10 of the file's experts
    assert call("TRAIN_ERROR", 90, "own experts h200-sxm megatron", str(OWN)) == 1.2
    assert row["run_family"] == "own experts h200-sxm megatron"
    basis = f"sha256 {DIGEST}: 40 runs of training on h200-sxm with megatron"
    assert option["rates_basis"] == row["rates_basis"] == f"own rates own_rates.csv, {basis}"
    assert key["rates_basis"] == f"own rates acme.csv, {basis}"
    assert f"speed basis own rates own_rates.csv, {basis}" in said("plan", "train", str(plain), "--rates", str(OWN))


def swept(row: dict[str, Any]) -> dict[str, Any]:
    return training_sweep.sweep(pl.DataFrame([row])).row(0, named=True)


def scenario_values() -> dict[str, Any]:
    return {"model": "mixtral-8x7b", "gpu": "h200-sxm", "gpus": 64, "tokens": 1e12, "batch": 256, "tp": 4, "ep": 8}


def test_the_report_says_whose_runs_gave_the_band() -> None:
    """Summary, chart of swings and note of the figures."""
    values = {"plan": "training", **scenario_values(), "price_usd_per_gpu_hour": 2}
    own, shipped = (repr(plan_scenario({**values, **more}, "s", Path()).report) for more in (OWN_KEY, {}))
    assert own.count("of your own runs") == 2 and "as your own runs spread" in own and "published runs" not in own
    assert shipped.count("of published runs") == 2 and "own runs" not in shipped


def test_pools_are_no_surer_than_own_runs_of_one() -> None:
    """The band of pools reaches as far as that of own runs does, and says so."""
    replica, shape = Replica(rates_file=str(OWN)), shape_of("llama-3.1-8b")
    one = replica_band("tpot", "h100-sxm", replica, case=case_of("llama-3.1-8b", "h100-sxm", replica))
    two, shipped = (
        pooled_band("tpot", "h100-sxm", each, shape=shape, decode_workers=1) for each in (replica, Replica())
    )
    assert (two.low, two.high) == (min(one.low, shipped.low), max(one.high, shipped.high))
    assert (two.basis, shipped.basis) == ("separate pools, own runs", "separate pools")


def test_a_serving_plan_and_a_sweep_take_own_rates_and_their_band(tmp_path: Path) -> None:
    scenario = tmp_path / "s.toml"
    scenario.write_text(SERVING)
    own = json.loads(said("plan", "serve", str(scenario), "--json", "--rates", str(OWN)))
    shipped = json.loads(said("plan", "serve", str(scenario), "--json"))
    tpot, before = (each["replica"]["tpot_seconds"] for each in (own, shipped))
    assert tpot["basis"] == "own runs" and tpot["p90"] == pytest.approx(1.1 * tpot["value"])
    assert own["replica"]["ttft_seconds"]["basis"] == shipped["replica"]["ttft_seconds"]["basis"]  # the file has none
    assert own["rates_basis"] == f"own rates own_rates.csv, sha256 {DIGEST}: 32 runs of serving on h100-sxm with vllm"
    assert shipped["rates_basis"] == "shipped rates"
    assert before["value"] < tpot["value"] < 1.3 * before["value"]
    row = {"model": "llama-3.1-8b", "gpu": "h100-sxm", "input_tokens": 1000, "output_tokens": 200, "concurrency": 16}
    table = sweep(pl.DataFrame([{**row, "rates_file": str(OWN)}, {**row, "rates_file": None}]))
    assert table["tpot_seconds"].to_list() == [tpot["value"], before["value"]]
    assert table["rates_basis"].to_list() == [own["rates_basis"], "shipped rates"]
    assert (table["error_basis"][0], table["error_high"][0]) == ("own runs", pytest.approx(0.1))


def test_what_the_file_does_not_hold_keeps_the_shipped_rates_and_says_so(tmp_path: Path) -> None:
    scenario = tmp_path / "s.toml"
    scenario.write_text(SERVING.replace("h100", "h200"))
    own = json.loads(said("plan", "serve", str(scenario), "--json", "--rates", str(OWN)))
    shipped = json.loads(said("plan", "serve", str(scenario), "--json"))
    assert own["figures"]["tpot_seconds"] == shipped["figures"]["tpot_seconds"]
    assert own["rates_basis"] == (
        f"shipped rates: own rates own_rates.csv, sha256 {DIGEST}, hold no runs of serving on h200-sxm with vllm"
    )
    replica = Replica(rates_file=str(OWN))
    case = case_of("mixtral-8x7b", "h100-sxm", replica)
    assert replica_band("tpot", "h100-sxm", replica, case=case).basis == "unseen combination"


def test_a_given_mfu_takes_no_rates_and_says_so() -> None:
    row = swept({**scenario_values(), "mfu": 0.4, "rates_file": str(OWN)})
    assert row["rates_basis"] == "none: the step follows from the MFU given"


def refused(*arguments: str) -> str:
    return str(run(*arguments).exception)


def test_rates_that_nothing_reads_or_that_are_given_twice_are_refused(tmp_path: Path) -> None:
    sizing, twice, table = tmp_path / "sizing.toml", tmp_path / "twice.toml", tmp_path / "runs.csv"
    sizing.write_text('model = "llama-3.1-8b"\n')
    twice.write_text(TRAINING + 'rates_file = "acme.csv"\n')
    table.write_text("model,gpu,gpus,batch,tokens,rates_file\nllama-3.1-8b,h100-sxm,8,64,1e9,x.csv\n")
    rates, pdf = ("--rates", str(OWN)), str(tmp_path / "x.pdf")
    nothing = (
        "nothing to rate: got --rates own_rates.csv for a plan of sizing, want one of training, serving, fleet or "
        "programme. Leave --rates out."
    )
    assert refused("report", str(sizing), "-o", pdf, *rates) == nothing
    assert refused("call", "PARAMS_MHA", "4096", *rates) == (
        "nothing to rate: got --rates own_rates.csv for PARAMS_MHA, want a function with the argument rates_file. "
        "Leave --rates out."
    )
    assert refused("plan", "train", str(twice), *rates) == (
        "rates given twice: got rates_file acme.csv and --rates own_rates.csv, want one of them. Remove the other."
    )
    assert refused("sweep", str(table), "-o", str(tmp_path / "o.csv"), *rates) == (
        "rates given twice: got a column rates_file and --rates, want one of them. Remove the other."
    )
    assert not (tmp_path / "o.csv").exists()


def test_every_service_of_a_fleet_takes_the_rates() -> None:
    path = Path(__file__).resolve().parents[2] / "workbooks" / "scenarios" / "six-services.toml"
    plan = json.loads(said("plan", "fleet", str(path), "--json", "--rates", str(OWN)))
    assert len(plan["services"]) == 6
    for service in plan["services"]:
        gpu = service["setup"]["gpu"]
        held = "32 runs of serving on h100-sxm with vllm" if gpu == "h100-sxm" else f"hold no runs of serving on {gpu}"
        assert held in service["rates_basis"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not own rates: got no rows in bad.csv, want at least one."),
        ("plan,gpu\nserving,h100-sxm\n", "bad.csv, line 2: not own rates: got no software, kind, name, value, runs, "
         "groups, meaning, want plan, gpu, software, kind, name, value, runs, groups, meaning."),
        (HEAD + "serving,h100-sxm,vllm,,speed,1.1,9,3,x\n", "bad.csv, line 2: unknown rate: got 'speed' of plan "
         "'serving', want one of compute, network, launch, first_token, tpot_p10, tpot_p50, tpot_p90, ttft_p10, "
         "ttft_p50, ttft_p90, throughput_p10, throughput_p50, throughput_p90."),
        (HEAD + "# remark\nserving,h100-sxm,vllm,,compute,1.1,9,3,x\nserving,h100-sxm,vllm,,compute,1.2,9,3,x\n",
         "bad.csv, line 4: rate given twice: got compute again, want it once."),
        (HEAD + "training,h100-sxm,fsdp,,compute,1.1,many,3,x\n", "bad.csv, line 2: not a count: got 'many', want a "
         "whole number."),
        (HEAD + "training,h100-sxm,fsdp,dense,step_p10,1.1,9,3,x\n", "bad.csv: not a band: got 1.1, nan, nan, want "
         "p10, p50 and p90 that grow, 1 between the first and the last."),
        (HEAD + "".join(f"training,h100-sxm,fsdp,dense,step_{end},{value},9,3,x\n"
                        for end, value in (("p10", 1.2), ("p50", 1.5), ("p90", 2))),
         "bad.csv: not a band: got 1.2, 1.5, 2, want p10, p50 and p90 that grow, 1 between the first and the last."),
        (HEAD + "training,h100-sxm,fsdp,dence,step_p10,0.9,9,3,x\n", "bad.csv, line 2: unknown kind: got 'dence' of "
         "step_p10, want one of dense, experts, hybrid, adapters."),
    ],
)  # fmt: skip
def test_a_file_that_holds_no_rates_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    assert (
        message_of(SizebookError, lambda: own_rates(str(path)))
        == f"{message} Give the file that sizebook calibrate wrote."
    )


def test_a_factor_out_of_bounds_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(HEAD + "training,h100-sxm,fsdp,,compute,0,9,3,x\n")
    assert (
        message_of(SizebookError, lambda: own_rates(str(path)))
        == "bad.csv, line 2: compute is out of range: got 0, want 0.02 to 50. Calibrate again."
    )


def test_a_file_that_is_not_there_is_refused_whatever_is_asked(tmp_path: Path) -> None:
    """A memory, or a band that no own run moves, needs no rates, and still says that their name is wrong."""
    missing = tmp_path / "none.csv"
    message = (
        f"cannot read: got No such file or directory for {missing}, want own rates that sizebook calibrate wrote. "
        "Check the path."
    )
    asked = [each for each in load().values() if any(a.name == "rates_file" for a in each.arguments)]
    assert len(asked) > 20
    for function in asked:
        given = {**function.example[0], "rates_file": str(missing)}
        with pytest.raises(SizebookError) as error:
            call(function.name, *(given.get(argument.name) for argument in function.arguments))
        assert str(error.value) == message
    assert (
        message_of(
            SizebookError,
            lambda: scenario_of({**scenario_values(), "plan": "training", "rates_file": str(missing)}, "s", tmp_path),
        )
        == f"s: {message}"
    )


def test_a_file_that_was_replaced_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "rates.csv"
    replica, demand = Replica(engine="vllm", rates_file=str(path)), Demand()
    stream = Stream(Lengths(500), Lengths(100))
    found, simulated = [], []
    for factor in ("1", "2.5"):
        path.write_text(HEAD + "".join(f"serving,h100-sxm,vllm,,{name},{factor},9,3,x\n" for name in FACTORS[SERVED]))
        found.append(call("DECODE_STEP_SECONDS", "llama-3.1-8b", "h100-sxm", f"rates_file={path}"))
        simulated.append(simulator(case_of("llama-3.1-8b", "h100-sxm", replica), demand, stream, 16).saturated)
    assert found[1] == pytest.approx(2.5 * float(str(found[0])), rel=0.05)
    assert simulated[1] == pytest.approx(simulated[0] / 2.5, rel=0.05)
