"""Models that read a request in one pass, alone or in front of a decoder: physics, conservation, refusals, surfaces."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from sizebook.core.cells import call
from sizebook.core.errors import InputError, SizebookError
from sizebook.core.sections import flat
from sizebook.functions import load
from sizebook.plans.serving.choice import choose
from sizebook.plans.serving.figures import figures
from sizebook.plans.serving.plan import ServingPlan, plan_serving
from sizebook.serving.band import error_band
from sizebook.serving.encoding import (
    EncodedCase,
    encode_seconds,
    halves,
    latencies,
    positions_heard,
    serving_case,
    tokens_in_context,
)
from sizebook.serving.estimate import estimate
from sizebook.serving.memory import engine_constants, engine_memory, physical_bytes
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.terms import kernels_basis, latency_terms
from sizebook.sweeps.serving import sweep
from sizebook.tables.hardware import accelerator
from tests.commands import plan_printed
from tests.plans.asking import serving_inputs
from tests.refused import message_of
from tests.row_lists import listed

load()
PEAK = 989e12  # dense bf16 FLOP/s of an H100 SXM, NVIDIA's data sheet
# Layers x (four projections of attention + two of the feed-forward block), by hand from the dimensions.
XLM_R_LARGE = 24 * (4 * 1024**2 + 2 * 1024 * 4096)
WHISPER = 32 * (4 * 1280**2 + 2 * 1280 * 5120)


def planned(model: str, **values: Any) -> ServingPlan:
    """Return the plan of a model on one H100."""
    return plan_serving(model, "h100-sxm", serving_inputs(**{"requests_per_day": 1e6, "months": 1, **values}))


def case(model: str) -> EncodedCase:
    found = serving_case(model, "h100-sxm", Replica(weight_dtype="bf16"))
    assert isinstance(found, EncodedCase)
    return found


def test_the_sums_are_those_of_the_dimensions() -> None:
    encoder = case("bge-m3").encoder
    assert encoder.attention_parameters + encoder.dense_parameters == XLM_R_LARGE
    whisper = case("whisper-large-v3")
    keys_across = 32 * 2 * 1280**2
    assert whisper.encoder.attention_parameters + whisper.encoder.dense_parameters == WHISPER + keys_across
    decoder = whisper.shape.attention_parameters + whisper.shape.dense_parameters
    assert decoder == 32 * (4 * 1280**2 + 2 * 1280**2 + 2 * 1280 * 5120), "its own, queries and outputs across"


def test_a_pass_is_no_faster_than_its_arithmetic() -> None:
    """Of 8 requests of 1,000 tokens: 2 FLOPs a parameter and token, 4 T d a layer and token of scores."""
    flops = 8_000 * (2 * XLM_R_LARGE + 4 * 1000 * 1024 * 24)
    seconds = encode_seconds(case("bge-m3"), 8, 1000)
    assert flops / PEAK < seconds < 6 * flops / PEAK


def test_scores_see_the_whole_request() -> None:
    """Twice the tokens cost twice the products and four times the scores, which a decoder's prompt has half of."""
    one, two = (encode_seconds(case("bge-m3"), 1, tokens) for tokens in (8_000, 16_000))
    assert 2.2 * one < two < 4 * one


@pytest.mark.parametrize("model", ["bge-m3", "bert-large", "modernbert-large"])
def test_work_is_conserved_at_any_load(model: str) -> None:
    """20 million requests a day of 4,000 tokens: no load answers more than the passes that it takes allow."""
    found = case(model)
    for in_flight in (1, 2, 7, 64, 1000, 4096):
        ttft, tpot = latencies(found, Demand(input_tokens=4000, output_tokens=1, concurrency=in_flight))
        batch = min(in_flight, 2)  # of 8,192 tokens at a time
        assert tpot == 0
        assert in_flight / ttft <= batch / encode_seconds(found, batch, 4000) * (1 + 1e-9)


def test_a_fleet_of_embedders_does_the_work_that_it_is_asked() -> None:
    plan = planned("bge-m3", requests_per_day=20e6, input_tokens=4000, ttft_target_seconds=1.0)
    tokens = 20e6 / 86_400 * 4000
    flops = tokens * (2 * XLM_R_LARGE + 4 * 4000 * 1024 * 24)
    working = plan.months[0].peak_gpus - plan.replica.packing.gpus_per_replica
    assert flops / PEAK < working < 8 * flops / PEAK
    assert plan.months[0].usd_per_mtok_input == pytest.approx(plan.months[0].usd / (tokens * 3600 * 730) * 1e6)


@pytest.mark.parametrize(("model", "tokens"), [("t5-large", 400), ("bart-large", 400), ("whisper-large-v3", 1500)])
def test_a_decoder_behind_an_encoder_takes_what_remains(model: str, tokens: int) -> None:
    """All passes of those in flight fit into a request's life: one's own, the others', and the decode steps."""
    found = case(model)
    for in_flight in (1, 16, 200):
        asked = Demand(input_tokens=tokens, output_tokens=100, concurrency=in_flight)
        ttft, tpot = latencies(found, asked)
        batch = min(in_flight, 8192 // tokens)
        reading = in_flight * encode_seconds(found, batch, tokens) / batch
        assert ttft + 99 * tpot > reading
    assert latencies(found, Demand(input_tokens=tokens, output_tokens=100, concurrency=200))[1] > tpot / 20


def test_halves_of_models() -> None:
    assert halves("llama-3.1-8b") is None
    for model, n_encoder, n_decoder in (("bert-base", 12, 0), ("t5-large", 24, 24), ("whisper-large-v3", 32, 32)):
        found = halves(model)
        assert found is not None
        assert (len(found.encoder), len(found.decoder)) == (n_encoder, n_decoder)


@pytest.mark.parametrize(("seconds", "positions"), [(0.5, 1500), (30, 1500), (31, 3000), (90, 4500)])
def test_sound_is_heard_in_windows_of_half_a_minute(seconds: float, positions: int) -> None:
    assert positions_heard("whisper-large-v3", seconds) == positions


def test_the_band_is_the_widest_and_says_so() -> None:
    bands = planned("bge-m3", input_tokens=400, ttft_target_seconds=0.2).replica.bands
    for name, band in bands.items():
        assert band.basis == "nothing measured"
        for gpu in ("h100-sxm", "a100-sxm-80gb"):
            other = error_band(name, "vllm", gpu)
            assert band.low <= other.low and band.high >= other.high


SCENARIO = """
plan = "serving"
model = "bge-m3"
gpu = "h100-sxm"
[traffic]
requests_per_day = 5_000_000
input_tokens = 400
[target]
ttft_target_seconds = 0.2
"""

FLEET = """
plan = "fleet"
months = 1
[[service]]
name = "Small"
model = "llama-3.1-8b"
gpu = "h100-sxm"
requests_per_day = 1_000
input_tokens = 400
output_tokens = 100
"""


def test_surfaces_say_the_same(tmp_path: Path) -> None:
    data, text = plan_printed(SCENARIO, tmp_path)
    plan = planned("bge-m3", requests_per_day=5e6, input_tokens=400, ttft_target_seconds=0.2, months=12)
    assert data["figures"] == flat(figures(plan))
    options = "requests_per_day=5000000; input_tokens=400; ttft_target_seconds=0.2"
    assert dict(call("SERVING_FIGURES", "bge-m3", "h100-sxm", options)) == data["figures"]
    asked = {"model": "bge-m3", "gpu": "h100-sxm", "input_tokens": 400, "concurrency": plan.replica.concurrency}
    names = [argument.name for argument in load()["TTFT_SECONDS"].arguments]
    assert call("TTFT_SECONDS", *map(asked.get, names)) == data["figures"]["ttft_seconds"]
    assert "One pass           the answer comes with it: nothing is cached or decoded" in text
    assert "; nothing like it was measured)" in text and "TPOT" not in text
    assert "Input tokens " in text and "Output tokens " not in text
    assert ", free " in text and "cache " not in text  # what weights leave is no cache where nothing is cached


@pytest.mark.parametrize("scenario", [SCENARIO, FLEET], ids=["serve", "fleet"])
def test_one_of_a_thing_is_not_several(tmp_path: Path, scenario: str) -> None:
    _, text = plan_printed(scenario, tmp_path)
    assert re.search(r"\b1 (GPU|rack)\b", text), text
    assert not re.search(r"\b1 (GPU|node|rack|request|replica|instance|month)s\b", text), text


@pytest.mark.parametrize(*listed("plans/serving", "test_percentiles_of_requests_are_simulated"))
def test_percentiles_of_requests_are_simulated(model: str, asked: dict[str, Any]) -> None:
    """A tail costs rate; what one alone sees is the estimate of one alone."""
    target = {"ttft_target_seconds": 0.1, "requests_per_day": 5e7}
    tail, middle = (planned(model, **asked, **target, request_percentile=name).replica for name in ("p99", "p50"))
    assert tail.requests_per_second <= middle.requests_per_second
    assert tail.held("ttft") <= 0.1 and tail.loaded is not None
    alone = latencies(tail.case, replace(tail.demand, concurrency=1))  # type: ignore[arg-type]
    assert tail.loaded.simulator.rare.mean("ttft") == pytest.approx(alone[0], rel=0.1)
    assert tail.loaded.simulator.rare.mean("tpot") == pytest.approx(alone[1], rel=0.1)


def test_a_search_finds_an_accelerator() -> None:
    found = choose("bge-m3", serving_inputs(requests_per_day=1e6, input_tokens=400, ttft_target_seconds=0.5, months=1))
    assert found.ranked[0].usd_per_month <= found.ranked[-1].usd_per_month


@pytest.mark.parametrize(*listed("plans/serving", "test_refusals_say_what_to_do"))
def test_refusals_say_what_to_do(model: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises(SizebookError) as refused:
        planned(model, **values)
    assert isinstance(refused.value, InputError) and str(refused.value) == message


@pytest.mark.parametrize(("model", "answers"), [("t5-large", 90), ("bge-m3", 1), ("whisper-large-v3", 448)])
def test_a_row_of_a_sweep_is_the_plan_at_its_load(model: str, answers: int) -> None:
    asked = {"input_tokens": 512, "output_tokens": answers, "concurrency": 64}
    row = {"model": [model], "gpu": ["h100-sxm"], **{name: [value] for name, value in asked.items()}}
    found, plan = sweep(pl.DataFrame(row)).row(0, named=True), planned(model, **asked)
    for name in ("ttft_seconds", "tpot_seconds", "tokens_per_second"):
        assert found[name] == pytest.approx(getattr(plan.replica.at_knee, name), rel=1e-12), name
    assert (found["error_basis"], found["fits"], found["reason"]) == ("nothing measured", True, "")
    assert 1 + found["error_high"] == pytest.approx(plan.replica.bands["tpot"].high)


def test_siglip_is_planned_by_its_texts_and_its_images() -> None:
    """27 layers 1,152 wide, 4,304 in their blocks, on either side; an image is (384 / 14)^2 = 729 tokens."""
    siglip = case("siglip-so400m-patch14-384")
    assert siglip.encoder.attention_parameters + siglip.encoder.dense_parameters == 27 * (4 * 1152**2 + 2 * 1152 * 4304)
    flops = 11 * 729 * (2 * 27 * (4 * 1152**2 + 2 * 1152 * 4304) + 4 * 729 * 1152 * 27)
    seconds = encode_seconds(siglip, 11, 729)
    assert flops / PEAK < seconds < 6 * flops / PEAK
    plan = planned("siglip-so400m-patch14-384", input_tokens=64, ttft_target_seconds=1.0)
    assert not plan.replica.decodes
    assert plan.replica.bands["ttft"].basis == "nothing measured"


@pytest.mark.parametrize("ask", ["TTFT_SECONDS", "TOKENS_PER_SECOND", "SERVING_TABLE"])
def test_an_answer_that_no_one_writes_is_refused_in_cells_as_in_plans(ask: str) -> None:
    message = (
        "nothing is decoded: got answers of 400 tokens for a model that answers with one pass, want none. Remove "
        "output_tokens."
    )
    cells: list[Any] = ["bge-m3", "h100-sxm", 512, 400]
    if ask == "SERVING_TABLE":
        heads = ["model", "gpu", "input_tokens", "output_tokens", "concurrency"]
        assert call(ask, [heads, [*cells, 1]])[1][-1] == message
        return
    assert message_of(SizebookError, call, ask, *cells) == message


@pytest.mark.parametrize(("model", "tokens"), [("t5-large", 100), ("bge-m3", 400), ("llama-3.1-8b", 500)])
def test_an_encoder_has_places_of_its_own_in_cells_as_in_plans(model: str, tokens: int) -> None:
    """A workbook compares these tokens with the 512 that T5 states; 400 and 100 stand on two sides."""
    asked = {"requests_per_day": 1000, "input_tokens": 400} | ({} if model == "bge-m3" else {"output_tokens": 100})
    options = "; ".join(f"{name}={value}" for name, value in asked.items())
    assert dict(call("SERVING_BASIS", model, "h100-sxm", options))["longest_tokens"] == tokens
    assert tokens_in_context(planned(model, **asked).replica.case, (400, 100)) == tokens


@pytest.mark.parametrize("load_", [1, 40, 100_000])
@pytest.mark.parametrize("model", ["bge-m3", "t5-large", "whisper-large-v3"])
def test_terms_of_a_latency_add_up_and_say_what_they_rest_on(model: str, load_: int) -> None:
    """With one in flight, in a queue for passes, and beyond what the decoder holds: none negative, nothing left out."""
    answer = 1 if model == "bge-m3" else 200
    demand = Demand(input_tokens=1500, output_tokens=answer, concurrency=load_)
    at, kernels = case(model), kernels_basis("h100-sxm")
    chip = physical_bytes(accelerator("h100-sxm"))
    found = estimate(at, engine_memory(at, chip, engine_constants("vllm")), demand)
    terms = latency_terms(at, found, demand, kernels=kernels)
    assert sum(term.value for term in terms.ttft) == pytest.approx(found.ttft_seconds)
    assert sum(term.value for term in terms.tpot) == pytest.approx(found.tpot_seconds)
    assert all(term.value >= 0 for term in (*terms.ttft, *terms.tpot))
    bases = {term.name: term.basis for term in terms.ttft}
    assert bases["Compute"] == "measured kernels" and bases["Queue: passes of others"] == "assumed"
    assert bool(terms.tpot) == (model != "bge-m3")


def test_a_step_behind_an_encoder_names_what_it_reads_of_it() -> None:
    """32 layers x 2 x 1280 numbers of two bytes a token of the encoder, at the share of bandwidth that was measured."""
    lines = call("SIZEBOOK_EXPLAIN", "TPOT_SECONDS", "whisper-large-v3", "h100-sxm", 1500, 200, 1)
    found = {line[0]: line[1] for line in lines}
    read = 1500 * 32 * 2 * 1280 * 2
    share = read / 3.35e12 / found["term: Cache of the encoder's tokens (measured kernels)"]
    assert 0.6 < share < 1
