"""Serving functions of a model on a machine: cache, memory, latency, throughput and how sure they are.

Latencies come from `serving_time`, calibrated on measurements; ask `serving_error` for the band around them.
"""

import math

from sizebook.core.quantities import Dp, Gpu, MemoryBytes, Model, Pp, Ratio, Seconds, Tp
from sizebook.core.registry import estimated, function, unbanded
from sizebook.core.sections import DEFAULT
from sizebook.formulas.weights import dtype_bits
from sizebook.models.cache_size import INDEX_ELEMENT_BYTES
from sizebook.serving import time as serving_time
from sizebook.serving.case import case_of
from sizebook.serving.encoding import EncodedCase, decode_seconds, encode_seconds, serving_case
from sizebook.serving.function_terms import (
    Given,
    any_case,
    band_of,
    band_of_figure,
    estimate_of,
    only_decoding,
    prefill_terms_of,
    request_band,
    step_terms_of,
    tpot_terms,
    ttft_terms,
)
from sizebook.serving.kernels import kv_heads_held
from sizebook.serving.memory import context_that_fits, memory_of, sequences_that_fit, weight_bytes_per_gpu
from sizebook.serving.quantities import (
    CacheHitRatio,
    Concurrency,
    ContextTokens,
    Demand,
    EncoderTokens,
    Engine,
    InputTokens,
    KvDtype,
    Replica,
    Version,
    WeightDtype,
)
from sizebook.serving.shape import shape_of
from sizebook.serving.time import cache_bytes_per_gpu
from sizebook.serving.traffic_quantities import Figure, MeasuredModel, Quantile, SignedBytes, TokenRate
from sizebook.tables.own_rates import RatesFile

MODEL_SOURCE = "cache layout of the model's attention; vLLM and DeepSeek-V2 (arXiv:2405.04434) for latent caches"
ENGINE_SOURCE = "data/engines.csv, one source a row"
TIME_SOURCE = "pass model of sizebook.serving.time; data/kernels.csv and data/calibration_serving.csv"
NO_MEMORY_BAND = "of the memory of engines no quantiles of measured over predicted are kept"
# Bytes of weights and cache are the same on every accelerator; a case needs one.
ANY_GPU = "h100-sxm"


@function(category="serving", source=MODEL_SOURCE)
def kv_bytes_per_token(model: Model, tp: Tp = DEFAULT, kv_dtype: KvDtype = DEFAULT) -> MemoryBytes:
    """Return the cache that one more token takes on one GPU: sum over layers of 2 x heads held x d_head x bytes.

    tp divides key-value heads and replicates them where they are fewer: ceil(heads / tp). A latent cache (MLA) is not
    divided. Layers with a window count, although they stop growing at the window; recurrent state does not.
    """
    shape = shape_of(model)
    elements = sum(kv_heads_held(kind.n_kv_heads, tp) * kind.cache_width for kind in shape.kinds)
    return float(elements * dtype_bits(kv_dtype or "bf16") / 8 + shape.index_cache_width * INDEX_ELEMENT_BYTES)


@function(category="serving", source=MODEL_SOURCE)
def kv_cache_bytes_per_gpu(
    model: Model, context_tokens: ContextTokens, tp: Tp = DEFAULT, pp: Pp = DEFAULT, kv_dtype: KvDtype = DEFAULT,
    encoder_tokens: EncoderTokens = DEFAULT,
) -> MemoryBytes:  # fmt: skip
    """Return the cache and state of one sequence on one GPU: full layers hold S tokens, windowed layers min(S, W).

    Recurrent state counts once, in single precision, and divides by tp. Layers that attend to an encoder hold the
    encoder's tokens.
    """
    case = case_of(model, ANY_GPU, Replica(tp=tp, pp=pp, weight_dtype="bf16", kv_dtype=kv_dtype))
    crossed = sum(kv_heads_held(kind.n_kv_heads, tp) * kind.cross_width for kind in case.shape.kinds)
    return float(cache_bytes_per_gpu(case, float(context_tokens)) + crossed * encoder_tokens / pp * case.kv_bytes)


@function(category="serving", source=MODEL_SOURCE)
def state_bytes(model: Model, tp: Tp = DEFAULT) -> MemoryBytes:
    """Return the recurrent state of one sequence on one GPU: state elements x 4 bytes / tp, whatever the context.

    Mixers such as Mamba and the delta rule keep it in single precision, and 2 bytes of each input of their convolution
    but the newest; a model of attention only has none.
    """
    return shape_of(model).state_bytes / tp


@function(category="serving", source=MODEL_SOURCE)
def serving_weight_bytes(
    model: Model, tp: Tp = DEFAULT, pp: Pp = DEFAULT, dp: Dp = DEFAULT, weight_dtype: WeightDtype = DEFAULT
) -> MemoryBytes:
    """Return the weights on one GPU: attention and dense blocks / tp, routed experts / (tp x dp), layers / pp.

    Embedding, head and norms count 16 bits; four-bit checkpoints of expert models keep attention in 16 bits too. Left
    out: adapters.
    """
    replica = Replica(tp=tp, pp=pp, dp=dp, weight_dtype=weight_dtype)
    return float(weight_bytes_per_gpu(any_case(model, ANY_GPU, replica)))


@unbanded(NO_MEMORY_BAND)
@function(category="serving", source=ENGINE_SOURCE)
def cache_bytes_available(model: Model, gpu: Gpu, replica: Replica, version: Version = DEFAULT) -> SignedBytes:
    """Return what is left for the cache on one GPU: memory x utilization - weights - activation peak - outside torch.

    Memory is what the driver reports. TensorRT-LLM's share applies to what is free after weights. Negative: by how much
    the model does not fit.
    """
    return float(memory_of(any_case(model, gpu, replica), gpu, replica, version=version).cache_bytes)


@unbanded(NO_MEMORY_BAND)
@function(category="serving", source=ENGINE_SOURCE)
def max_concurrency(model: Model, gpu: Gpu, context_tokens: ContextTokens, replica: Replica) -> Concurrency:
    """Return the requests that the cache of one replica holds at that context: dp x floor(free cache / cache of one).

    0 where the weights leave no room. Shared prefixes are left out: with them more requests fit.
    """
    case = only_decoding(model, gpu, replica)
    return int(sequences_that_fit(case, memory_of(case, gpu, replica), float(context_tokens)) * replica.dp)


@unbanded(NO_MEMORY_BAND)
@function(category="serving", source=ENGINE_SOURCE)
def max_context(
    model: Model, gpu: Gpu, concurrency: Concurrency = DEFAULT, replica: Replica = DEFAULT
) -> ContextTokens:
    """Return the longest context that so many requests can have at once on a replica, by memory alone.

    The model's own limit may be shorter: MODEL_SPEC(model, "context_length"). 0 where the weights leave no room.
    """
    case, at_once = only_decoding(model, gpu, replica), math.ceil((concurrency or 1) / replica.dp)
    return context_that_fits(case, memory_of(case, gpu, replica), float(at_once))


@unbanded("a prompt's pass alone was not measured; TTFT_SECONDS has a band")
@function(category="serving", source=TIME_SOURCE, terms=prefill_terms_of)
def prefill_seconds(
    model: Model,
    gpu: Gpu,
    input_tokens: InputTokens,
    cache_hit_ratio: CacheHitRatio = DEFAULT,
    replica: Replica = DEFAULT,
) -> Seconds:
    """Return the time of one prompt's pass with nothing else running: FLOPs at prefill efficiency, links, launches."""
    case = serving_case(model, gpu, replica)
    if isinstance(case, EncodedCase):
        return encode_seconds(case, 1.0, float(input_tokens))
    return float(serving_time.prefill_seconds(case, float(input_tokens), cache_hit_ratio))


@unbanded("steps alone were not measured; TPOT_SECONDS has a band")
@function(category="serving", source=TIME_SOURCE, terms=step_terms_of)
def decode_step_seconds(model: Model, gpu: Gpu, demand: Demand, replica: Replica) -> Seconds:
    """Return one decode step alone, every request halfway through its answer: weights and cache read, FLOPs, links.

    With drafted tokens the step checks them all.
    """
    case = serving_case(model, gpu, replica)
    if isinstance(case, EncodedCase):
        return decode_seconds(case, demand.in_flight / case.dp, demand) if case.decodes else 0.0
    return float(serving_time.decode_step_seconds(case, demand))


@estimated(band_of("ttft"))
@function(category="serving", source=TIME_SOURCE, terms=ttft_terms)
def ttft_seconds(model: Model, gpu: Gpu, demand: Demand, replica: Replica, given: Given = DEFAULT) -> Seconds:
    """Return the time to first token with so many requests in flight: queue, prefill, the steps waited for.

    Requests beyond what the cache holds wait for a place, which counts. A closed loop: a finished request is replaced.
    """
    return float(estimate_of(model, gpu, demand, replica=replica, given=given).ttft_seconds)


@estimated(band_of("tpot"))
@function(category="serving", source=TIME_SOURCE, terms=tpot_terms)
def tpot_seconds(model: Model, gpu: Gpu, demand: Demand, replica: Replica, given: Given = DEFAULT) -> Seconds:
    """Return the time per output token after the first: the decode step and the prompts of others between steps.

    With drafted tokens a step checks them all and yields several. Where TensorRT-LLM serves a model with prediction
    layers and draft_tokens is blank, a factor stands for runs that may or may not speculate.
    """
    return float(estimate_of(model, gpu, demand, replica=replica, given=given).tpot_seconds)


@estimated(request_band)
@function(category="serving", source=TIME_SOURCE)
def request_seconds(model: Model, gpu: Gpu, demand: Demand, replica: Replica, given: Given = DEFAULT) -> Seconds:
    """Return the time from sending a request to its last token: TTFT + TPOT x (output tokens - 1)."""
    return float(estimate_of(model, gpu, demand, replica=replica, given=given).request_seconds(demand.output_tokens))


@estimated(band_of("throughput"))
@function(category="serving", source=TIME_SOURCE)
def tokens_per_second(model: Model, gpu: Gpu, demand: Demand, replica: Replica, given: Given = DEFAULT) -> TokenRate:
    """Return output tokens a second of one whole replica: concurrency x output tokens / request seconds.

    Input tokens are not counted. Divide by tp x pp x dp for one GPU.
    """
    return float(estimate_of(model, gpu, demand, replica=replica, given=given).tokens_per_second)


@function(category="serving", source="data/calibration_serving_error.csv")
def serving_error(
    gpu: Gpu,
    engine: Engine = DEFAULT,
    figure: Figure = DEFAULT,
    quantile: Quantile = DEFAULT,
    measured_model: MeasuredModel = DEFAULT,
    rates_file: RatesFile = DEFAULT,
) -> Ratio:
    """Return a quantile of measured over predicted TPOT, TTFT or throughput on a GPU, of a fit that saw none of its
    group.

    Multiply a figure by p10 and p90 for its band. With ``measured_model`` the narrower band of that model on this GPU
    and engine, where servers of the three were in the fit; otherwise that of unseen combinations. Wider where no server
    of the GPU was measured, and widest where not even its kernels were, or for models with an encoder.
    """
    band = band_of_figure(figure, gpu, Replica(engine=engine, rates_file=rates_file), model=measured_model)
    return {"p10": band.low, "p50": band.middle, "p90": band.high}[quantile]
