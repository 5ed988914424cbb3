"""Traffic, replicas and money: arithmetic on rates that no model or machine enters.

Little's law: requests in flight = arrival rate x time in the system. Money counts rented or owned GPU-hours alike.
"""

import math

from sizebook.core.errors import TargetError
from sizebook.core.quantities import (
    Gpus,
    GramsPerKwh,
    Hours,
    KilogramsCo2e,
    KilowattHours,
    Price,
    Pue,
    Ratio,
    Seconds,
    Usd,
    Watts,
)
from sizebook.core.registry import function, holding
from sizebook.core.sections import DEFAULT, quantity, section
from sizebook.serving.quantities import Concurrency, Drafted, InputTokens, OutputTokens
from sizebook.serving.traffic_quantities import (
    Acceptance,
    CachedDiscount,
    CachedShare,
    GpuCount,
    GpusPerReplica,
    Growth,
    KvBytes,
    LinkRate,
    Load,
    MonthsFromNow,
    PeakFactor,
    ReplicaRate,
    Replicas,
    RequestRate,
    Requests,
    Share,
    SpareReplicas,
    TokenRate,
    TokensPerStep,
    UsdPerMtok,
    Utilized,
)

LITTLE = "Little 1961, A Proof for the Queuing Formula L = lambda W"
DEFINITION = "definition"
SECONDS_PER_DAY = 86_400


@function(category="serving", source=DEFINITION, formula="requests_per_day * peak_factor / 86400")
def peak_requests_per_second(requests_per_day: Requests, peak_factor: PeakFactor = DEFAULT) -> RequestRate:
    """Return the arrival rate of the busiest hour: requests a day / 86 400 x peak factor."""
    return requests_per_day * peak_factor / SECONDS_PER_DAY


@function(category="serving", source=DEFINITION, formula="requests_per_day * (1 + growth_per_month) ^ months")
def requests_after(requests_per_day: Requests, growth_per_month: Growth, months: MonthsFromNow) -> Requests:
    """Return requests a day after some months of compound growth: now x (1 + growth)^months."""
    return float(requests_per_day * (1 + growth_per_month) ** months)


@function(category="serving", source=LITTLE, formula="requests_per_second * request_seconds")
def requests_in_flight(requests_per_second: RequestRate, request_seconds: Seconds) -> Requests:
    """Return the requests in the system at once: arrival rate x time from sending to the last token."""
    return requests_per_second * request_seconds


@function(
    category="serving",
    source=DEFINITION,
    formula="ceil(requests_per_second / (replica_requests_per_second * target_load) - 1e-9) + spare_replicas",
)
def replicas_for_traffic(
    requests_per_second: RequestRate, replica_requests_per_second: ReplicaRate, target_load: Load = DEFAULT,
    spare_replicas: SpareReplicas = DEFAULT,
) -> Replicas:  # fmt: skip
    """Return the replicas to run: ceil(arrival rate / (rate of one replica x target load)) + spare.

    The rate of one replica is the one at which it still meets the latency target; the load left free absorbs bursts.
    """
    return math.ceil(requests_per_second / (replica_requests_per_second * target_load) - 1e-9) + spare_replicas


@function(
    category="serving",
    source=DEFINITION,
    formula="(ceil(requests_per_second / (replica_requests_per_second * target_load) - 1e-9) + spare_replicas) "
    "* gpus_per_replica",
)
def gpus_for_traffic(
    requests_per_second: RequestRate, replica_requests_per_second: ReplicaRate, gpus_per_replica: GpusPerReplica,
    target_load: Load = DEFAULT, spare_replicas: SpareReplicas = DEFAULT,
) -> Gpus:  # fmt: skip
    """Return the GPUs to run for a traffic: replicas x GPUs of one replica (tp x pp x dp)."""
    return (
        replicas_for_traffic(requests_per_second, replica_requests_per_second, target_load, spare_replicas)
        * gpus_per_replica
    )


@function(
    category="serving", source=DEFINITION, formula="requests_per_second / (replicas * replica_requests_per_second)"
)
def replica_utilization(
    requests_per_second: RequestRate, replicas: Gpus, replica_requests_per_second: ReplicaRate
) -> Ratio:
    """Return the share of the fleet's rate that traffic uses: arrival rate / (replicas x rate of one)."""
    return requests_per_second / (replicas * replica_requests_per_second)


@function(category="serving", source=DEFINITION, formula="gpus * usd_per_gpu_hour * hours")
def serving_cost_usd_per_month(gpus: Gpus, usd_per_gpu_hour: Price, hours: Hours = DEFAULT) -> Usd:
    """Return what GPUs cost a month: GPUs x price x 730 hours (8760 / 12), idle hours included."""
    return gpus * usd_per_gpu_hour * hours


@function(
    category="serving",
    source=DEFINITION,
    formula="gpus * usd_per_gpu_hour / 3600 / (tokens_per_second * utilized) * 1e6",
)
def usd_per_mtok(
    gpus: Gpus, usd_per_gpu_hour: Price, tokens_per_second: TokenRate, utilized: Utilized = DEFAULT
) -> UsdPerMtok:
    """Return the cost of a million tokens: GPU cost a second / (tokens a second x share used) x 10^6.

    At 1 it is the best case, saturation around the clock; real fleets use 0.2 to 0.6 of it, and the cost grows by the
    inverse. Tokens may be output tokens or all tokens: the result counts the same ones.
    """
    return gpus * usd_per_gpu_hour / 3600 / (tokens_per_second * utilized) * 1e6


@function(
    category="serving",
    source=DEFINITION,
    formula="(input_tokens * (1 - cached_share * cached_discount) * usd_per_mtok_in "
    "+ output_tokens * usd_per_mtok_out) / 1e6",
)
def api_usd_per_request(
    input_tokens: InputTokens, output_tokens: OutputTokens, usd_per_mtok_in: UsdPerMtok, usd_per_mtok_out: UsdPerMtok,
    cached_share: CachedShare = DEFAULT, cached_discount: CachedDiscount = DEFAULT,
) -> Usd:  # fmt: skip
    """Return what an API charges for a request: input x (1 - cached share x discount) x price in + output x price out.

    Prices are per million tokens; the discount is what a cached input token costs less.
    """
    billed = input_tokens * (1 - cached_share * cached_discount) * usd_per_mtok_in
    return (billed + output_tokens * usd_per_mtok_out) / 1e6


@function(
    category="serving",
    source="definition: requests at which fleet and API cost the same",
    formula="usd_per_month / api_usd_per_request",
)
@holding("api_usd_per_request > 0")
def break_even_requests(usd_per_month: Usd, api_usd_per_request: Usd) -> Requests:
    """Return the requests a month above which a fleet costs less than an API: cost a month / API cost of a request.

    The fleet must be able to take that many; compare with its rate.
    """
    if api_usd_per_request <= 0:
        raise TargetError(
            f"no break-even: got {api_usd_per_request} USD a request from the API, want more than 0. Check its prices."
        )
    return usd_per_month / api_usd_per_request


@section
class WallPower:
    """What a server draws at the wall over the TDP of its GPUs."""

    busy_over_tdp: float = quantity(
        "power at the wall of a busy server over the TDP of its GPUs", "ratio", minimum=0, default=1.3
    )
    idle_over_tdp: float = quantity(
        "power at the wall of an idle server over the TDP of its GPUs", "ratio", minimum=0, default=0.3
    )


@function(
    category="serving",
    source="wall power over TDP: MLPerf Inference v5.1 power submission, 8 x B200 (1.30)",
    formula="gpus * hours * tdp_watts * (utilized * busy_over_tdp + (1 - utilized) * idle_over_tdp) * pue / 1000",
)
def serving_kwh(
    gpus: Gpus, tdp_watts: Watts, utilized: Share, pue: Pue = DEFAULT, hours: Hours = DEFAULT, wall: WallPower = DEFAULT
) -> KilowattHours:
    """Return the energy of a fleet: GPUs x hours x TDP x (busy share x 1.3 + idle share x 0.3) x PUE / 1000.

    Wall power of a busy server, host included, is 1.30 times the TDP of its GPUs (8 x B200, MLPerf Inference v5.1). The
    idle share is an assumption to replace with your own: servers in wait draw a quarter to a third.
    """
    mean = utilized * wall.busy_over_tdp + (1 - utilized) * wall.idle_over_tdp
    return gpus * hours * tdp_watts * mean * pue / 1000


@function(
    category="serving",
    source="GHG Protocol, Scope 2 Guidance (2015): location-based method",
    formula="energy_kwh * grams_per_kwh / 1000",
)
def serving_co2e_kg(energy_kwh: KilowattHours, grams_per_kwh: GramsPerKwh) -> KilogramsCo2e:
    """Return location-based greenhouse gases of a fleet's energy in kg: energy x grid intensity / 1000."""
    return energy_kwh * grams_per_kwh / 1000


@function(
    category="serving",
    source="Leviathan et al. 2023 (arXiv:2211.17192), equation 1",
    formula="if(acceptance = 1, drafted + 1, (1 - acceptance^(drafted + 1)) / (1 - acceptance))",
)
def speculative_tokens_per_step(acceptance: Acceptance, drafted: Drafted = DEFAULT) -> TokensPerStep:
    """Return the tokens that one step yields with speculation: (1 - a^(n + 1)) / (1 - a), each accepted with chance a.

    Divide TPOT by it, after adding what drafting and verifying cost. Prediction layers (MTP) accept 0.7 to 0.9 of one
    drafted token (DeepSeek-V3, arXiv:2412.19437, section 5.4.3: 85 to 90 %).
    """
    return math.fsum(acceptance**i for i in range(drafted + 1))


@function(
    category="serving",
    source="definition: the slower pool sets the rate",
    formula="prefill_gpu_seconds * requests_per_second / target_load",
)
def prefill_pool_gpus(
    requests_per_second: RequestRate, prefill_gpu_seconds: Seconds, target_load: Load = DEFAULT
) -> GpuCount:
    """Return the GPUs of a separate prefill pool: arrival rate x GPU-seconds of one prompt / target load.

    GPU-seconds of a prompt are PREFILL_SECONDS x the GPUs of its layout. Round up to whole instances.
    """
    return prefill_gpu_seconds * requests_per_second / target_load


@function(
    category="serving",
    source="Little 1961: sequences decoding at once = rate x time in the pool",
    formula="requests_per_second * output_tokens * decode_step_seconds / concurrency * gpus_per_replica / target_load",
)
def decode_pool_gpus(
    requests_per_second: RequestRate, output_tokens: OutputTokens, decode_step_seconds: Seconds,
    concurrency: Concurrency, gpus_per_replica: GpusPerReplica, target_load: Load = DEFAULT,
) -> GpuCount:  # fmt: skip
    """Return the GPUs of a separate decode pool: sequences decoding at once / those of a replica x its GPUs / load.

    No prompts interleave there, so the time per token is DECODE_STEP_SECONDS at that concurrency. Round up to whole
    replicas.
    """
    at_once = requests_per_second * output_tokens * decode_step_seconds
    return at_once / (concurrency or 1) * gpus_per_replica / target_load


@function(
    category="serving",
    source="definition: the cache of a prompt over the link between pools",
    formula="kv_bytes / link_bytes_per_second",
)
def kv_transfer_seconds(kv_bytes: KvBytes, link_bytes_per_second: LinkRate) -> Seconds:
    """Return the time that moving one prompt's cache from the prefill to the decode pool takes: bytes / link rate."""
    return kv_bytes / link_bytes_per_second
