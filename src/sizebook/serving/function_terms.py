"""What stands behind the serving functions: cases, estimates, their bands, and the terms of their derivations."""

from collections.abc import Callable

from sizebook.core.derivation import Term
from sizebook.core.errors import InputError, TargetError
from sizebook.core.sections import ReadSection, section
from sizebook.serving.band import Band, error_band, replica_band
from sizebook.serving.case import Case, case_of
from sizebook.serving.encoding import as_answered, has_encoder, one_pass, serving_case
from sizebook.serving.estimate import Estimate, unmeasured_band
from sizebook.serving.layouts import attempt, searched_in_words, with_room
from sizebook.serving.memory import memory_of
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.remedies import room_made
from sizebook.serving.terms import Latencies, kernels_basis, latency_terms, prefill_terms, step_terms
from sizebook.serving.time import cache_bytes_per_gpu
from sizebook.tables.hardware import accelerator


def any_case(model: str, gpu: str, replica: Replica) -> Case:
    """Return the case of a decoder, startable or not, or that of a model with an encoder."""
    return case_of(model, gpu, replica) if not has_encoder(model) else serving_case(model, gpu, replica)


def only_decoding(model: str, gpu: str, replica: Replica) -> Case:
    """Return the case of a decoder, or refuse a model with an encoder, whose prompt and answer hold cache apart."""
    if has_encoder(model):
        raise InputError(
            f"not one context: got {model}, which has an encoder, want a model that only decodes. SERVING_FIGURES "
            "says what the cache holds of such a model."
        )
    return case_of(model, gpu, replica)


@section
class Given(ReadSection):
    """What was stated of a call: a blank layout is searched where it has no room, a stated one is not."""


def estimate_of(model: str, gpu: str, demand: Demand, replica: Replica, given: Given) -> Estimate:
    """Return the estimate, of a searched layout where a blank one has no room; refuse where no request fits."""
    _, found = replica_taken(model, gpu, demand, replica, given)
    if found.capacity >= 1:
        return found
    case, demand = serving_case(model, gpu, replica), as_answered(model, demand)
    longest = demand.input_tokens + demand.output_tokens
    missing = cache_bytes_per_gpu(case, float(longest)) - memory_of(case, gpu, replica).cache_bytes
    settings = room_made(model, gpu, replica, longest_tokens=longest)
    also = f", or set {settings}" if settings else ""
    raise TargetError(
        f"does not fit: got {missing / 1e9:.1f} GB too much on one {gpu}, want room for one request. "
        f"Raise tp, pp or ep, or choose a narrower weight_dtype{also}."
    )


def replica_taken(model: str, gpu: str, demand: Demand, replica: Replica, given: Given) -> tuple[Replica, Estimate]:
    """Return the replica asked about, or where it has no room the one searched in its place, with its estimate."""
    found = attempt(model, gpu, demand, replica=replica)
    if found.capacity >= 1:
        return replica, found
    return with_room(model, gpu, demand, stated=replica, given=given.stated) or (replica, found)


def latency_terms_of(model: str, gpu: str, demand: Demand, replica: Replica, given: Given) -> Latencies:
    """Return the terms of both latencies."""
    replica, found = replica_taken(model, gpu, demand, replica, given)
    case = serving_case(model, gpu, replica)
    return latency_terms(case, found, as_answered(model, demand), kernels=kernels_basis(gpu))


def ttft_terms(model: str, gpu: str, demand: Demand, replica: Replica, given: Given) -> tuple[Term, ...]:
    """Return the terms of a time to first token."""
    return latency_terms_of(model, gpu, demand, replica, given).ttft


def tpot_terms(model: str, gpu: str, demand: Demand, replica: Replica, given: Given) -> tuple[Term, ...]:
    """Return the terms of a time per output token."""
    return latency_terms_of(model, gpu, demand, replica, given).tpot


def band_of_figure(figure: str, gpu: str, replica: Replica, model: str | None, demand: Demand | None = None) -> Band:
    """Return the band of a figure at a load where one is given, of models with an encoder the widest."""
    if model and has_encoder(model):  # no server of a model with an encoder was measured
        return unmeasured_band(figure)
    key = accelerator(gpu).key
    if model:
        return replica_band(figure, key, replica, case=case_of(model, gpu, replica), demand=demand)
    return error_band(figure, replica.engine, key)


def band_of(figure: str) -> Callable[..., tuple[float, float, str]]:
    """Return the band of a figure in the arguments of an estimate."""

    def band(model: str, gpu: str, demand: Demand, replica: Replica, given: Given) -> tuple[float, float, str]:
        of, _ = replica_taken(model, gpu, demand, replica, given)
        found = band_of_figure(figure, gpu, of, model, demand=demand)
        return found.low, found.high, found.basis if of == replica else f"{found.basis}; {searched_in_words(of)}"

    return band


def request_band(model: str, gpu: str, demand: Demand, replica: Replica, given: Given) -> tuple[float, float, str]:
    """Return the band of a whole request: it lasts as long as requests in flight x output tokens / throughput."""
    if one_pass(model) or demand.output_tokens == 1:  # nothing follows the first token
        return band_of("ttft")(model, gpu, demand, replica, given)
    low, high, basis = band_of("throughput")(model, gpu, demand, replica, given)
    return 1 / high, 1 / low, basis


def step_terms_of(model: str, gpu: str, demand: Demand, replica: Replica) -> list[Term]:
    """Return the terms of a decode step."""
    return step_terms(serving_case(model, gpu, replica), demand, kernels_basis(gpu))


def prefill_terms_of(model: str, gpu: str, input_tokens: int, cache_hit_ratio: float, replica: Replica) -> list[Term]:
    """Return the terms of a prompt's pass."""
    demand = Demand(input_tokens=input_tokens, cache_hit_ratio=cache_hit_ratio)
    return prefill_terms(serving_case(model, gpu, replica), demand, kernels_basis(gpu))
