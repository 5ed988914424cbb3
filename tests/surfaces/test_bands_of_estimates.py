"""Every estimate of a model on a machine says where its number is explained how sure it is, or why nobody knows."""

import pytest

from sizebook.core.cells import call
from sizebook.functions import load
from tests.commands import run

FUNCTIONS = load()
MACHINE = {"gpu", "tp", "dp", "gpu_memory_gib"}
BANDED = {"REQUEST_SECONDS", "STEP_SECONDS", "TOKENS_PER_SECOND", "TPOT_SECONDS", "TTFT_SECONDS"}
OF_ENGINES = "of the memory of engines no quantiles of measured over predicted are kept"
ONE_END = "only one end is known: one measured run in ten needed 8% more memory than predicted, or more"
WITHOUT = {
    "CACHE_BYTES_AVAILABLE": OF_ENGINES,
    "MAX_CONCURRENCY": OF_ENGINES,
    "MAX_CONTEXT": OF_ENGINES,
    "PREFILL_SECONDS": "a prompt's pass alone was not measured; TTFT_SECONDS has a band",
    "DECODE_STEP_SECONDS": "steps alone were not measured; TPOT_SECONDS has a band",
    "SERVING_PERCENTILE": "percentiles of real servers were not compared with the simulation",
    "TRAIN_MEMORY_BYTES": ONE_END,
    "FITS": ONE_END,
    "MIN_GPUS_TRAIN": ONE_END,
    "FINE_TUNING_FITS": "of the memory of fine-tuning no quantiles of measured over predicted are kept",
}
# What follows from a figure that somebody assumed is as sure as that figure.
OF_UTILIZATION = "as sure as the utilization that is given; STEP_SECONDS has a band"
OF_RATE = "as sure as the replica_requests_per_second that is given; TOKENS_PER_SECOND has a band"
ASSUMED = {
    "DAYS_TO_SPARE": OF_UTILIZATION,
    "GPUS_FOR_DEADLINE": OF_UTILIZATION,
    "PARAMS_FOR_BUDGET": OF_UTILIZATION,
    "TOKENS_FOR_BUDGET": OF_UTILIZATION,
    "TRAIN_DAYS": OF_UTILIZATION,
    "TRAIN_SECONDS": OF_UTILIZATION,
    "TRAIN_TOKENS_PER_S": OF_UTILIZATION,
    "GPUS_FOR_TRAFFIC": OF_RATE,
    "REPLICAS_FOR_TRAFFIC": OF_RATE,
    "REPLICA_UTILIZATION": OF_RATE,
}
COUNTED = {"KV_BYTES_PER_TOKEN", "KV_CACHE_BYTES_PER_GPU", "SERVING_WEIGHT_BYTES", "STATE_BYTES"}  # exact, no estimates
LLAMA = ("llama-3.1-8b", "h100-sxm", "concurrency=32; weight_dtype=fp8")


def explained(name: str, *cells: object) -> dict[str, float]:
    return {line[0]: line[1] for line in call("SIZEBOOK_EXPLAIN", name, *cells)}


def test_every_estimate_has_a_band_or_says_why_not() -> None:
    on_machines = {
        name
        for name, function in FUNCTIONS.items()
        if function.result.kind != "range"  # tables carry their bands in columns of their own
        and "model" in (names := {a.name for a in function.arguments})
        and names & MACHINE
    }
    assert on_machines == BANDED | WITHOUT.keys() | COUNTED
    assert {name for name, function in FUNCTIONS.items() if hasattr(function.python, "band")} == BANDED
    assert {name: function.no_band for name, function in FUNCTIONS.items() if function.no_band} == WITHOUT | ASSUMED


def test_a_request_is_as_sure_as_the_throughput_it_rests_on() -> None:
    """32 requests at once of 1024 tokens each, so that seconds times tokens a second are 32 768 at both ends."""
    request, rate = explained("REQUEST_SECONDS", *LLAMA), explained("TOKENS_PER_SECOND", *LLAMA)
    for low, high in (("low of the band", "high of the band"), ("high of the band", "low of the band")):
        assert request[low] * rate[high] == pytest.approx(32 * 1024)
    assert request["the band rests on"] == rate["the band rests on"]
    slowest = call("SERVING_ERROR", "h100-sxm", "vllm", "throughput", "p10", "llama-3.1-8b")
    assert request["high of the band"] == pytest.approx(request["result"] / slowest)


def test_a_request_of_one_token_is_its_first() -> None:
    for cells in (("bge-m3", "h100-sxm"), ("llama-3.1-8b", "h100-sxm", "output_tokens=1; weight_dtype=fp8")):
        request, first = explained("REQUEST_SECONDS", *cells), explained("TTFT_SECONDS", *cells)
        for line in ("result", "low of the band", "high of the band", "the band rests on"):
            assert request[line] == first[line]


def test_a_missing_band_is_said_where_the_number_is_explained() -> None:
    cells = ("llama-3.1-8b", "h100-sxm", 4096)
    assert explained("PREFILL_SECONDS", *cells)["no band"] == WITHOUT["PREFILL_SECONDS"]
    assert explained("TRAIN_DAYS", 4.3e23, 384, 312e12, 0.49)["no band"] == OF_UTILIZATION
    assert "no band" not in explained("PARAMS_MHA", 4096)
    printed = run("call", "PREFILL_SECONDS", *cells, "--explain").output
    assert f"band     none: {WITHOUT['PREFILL_SECONDS']}\n" in printed


def test_the_command_line_prints_the_band() -> None:
    printed = run("call", "TPOT_SECONDS", *LLAMA, "--explain").output
    tpot = explained("TPOT_SECONDS", *LLAMA)
    (line,) = (line for line in printed.splitlines() if line.startswith("band "))
    assert line.endswith(f", {tpot['the band rests on']}")
    assert line.split()[1] == f"{tpot['low of the band']:.6f}"


@pytest.mark.parametrize("name", ["TTFT_SECONDS", "TPOT_SECONDS", "PREFILL_SECONDS", "DECODE_STEP_SECONDS"])
def test_the_terms_of_a_model_with_an_encoder_add_up(name: str) -> None:
    cells = ("whisper-large-v3", "h100-sxm", 448)
    lines = explained(name, *cells)
    assert lines["result"] == call(name, *cells)
    terms = [value for line, value in lines.items() if line.startswith("term: ")]
    assert len(terms) > 3 and sum(terms) == pytest.approx(lines["result"])
