"""What one accelerator reaches in training: its published rates times fitted efficiencies of its generation.

The efficiencies are fitted on published runs by calibration/training.py and stand in data/calibration_training.csv.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from sizebook.core.errors import RangeError
from sizebook.core.tables import by_key
from sizebook.tables.hardware import Accelerator
from sizebook.tables.own_rates import TRAINING, Setup, factors_of
from sizebook.training.frameworks import stack as stack_of
from sizebook.training.number_formats import PEAKS, format_of, training_peak
from sizebook.training.recipe import Method

# Matrix engines of one generation behave alike; what nobody measured falls back to the nearest that was.
_GENERATION = {
    "volta": "ampere",
    "turing": "ampere",
    "ampere": "ampere",
    "ada": "ada",
    "hopper": "hopper",
    "blackwell": "blackwell",
    "blackwell_ultra": "blackwell",
}
_MAKERS = {"NVIDIA": "blackwell", "AMD": "cdna", "Google": "tpu", "AWS": "trainium"}
# Matrix units of TPUs are arrays of 128 x 128 up to v5p and of 256 x 256 from v6e on, which layers fill less well
# (Google Cloud TPU documentation, system architecture).
_SMALL_ARRAYS = frozenset({"tpu_v2", "tpu_v3", "tpu_v4", "tpu_v5e", "tpu_v5p"})
# One way between a Grace processor and its GPUs: NVLink-C2C of 900 GB/s both ways (NVIDIA GH200, GB200 data sheets).
_COHERENT_LINK = 450e9
# Watts for each bf16 TFLOP/s of a GB200: Blackwell runs into its power limit, so that those given more are faster.
_BLACKWELL_WATTS = 0.48e-12

Calibration = Mapping[str, float]


@cache
def calibration() -> dict[str, float]:
    """Return the fitted efficiencies of data/calibration_training.csv by name."""
    return {name: float(row["value"]) for name, row in by_key("calibration_training", "name").items()}


@dataclass(frozen=True)
class Machine:
    """Rates that one GPU reaches: its published rates times the efficiencies of its generation and format.

    ``scores`` is that of heads of the usual width, ``head_width`` the one at which half of it is reached.
    ``expert_traffic`` is ``traffic_factor`` inside experts. ``gather_exposed`` is the share of ZeRO-3's exchange that a
    framework does not start ahead of need, ``hook_seconds`` what its hooks take of each layer; ``quantize`` the bytes
    that casting an element takes.
    ``scale_up`` joins ``domain`` GPUs; ``scale_out`` is the network of one of them, ``host`` its way to the host.
    """

    matmul: float
    head: float
    expert_width: float
    scores: float
    head_width: float
    states: float
    memory: float
    scale_up: float
    scale_out: float
    host: float
    domain: int
    block_seconds: float
    expert_seconds: float
    permute: float
    tp_exposed: float
    ep_exposed: float
    hidden_cost: float
    traffic_factor: float
    expert_traffic: float
    dequantize: float
    step_seconds: float
    growth: float
    gather_exposed: float
    hook_seconds: float
    quantize: float
    state_traffic: float
    bias_traffic: float
    adapter_traffic: float


def generation(gpu: Accelerator) -> str:
    """Return the generation whose efficiencies are taken: blackwell for anything newer of NVIDIA's, hopper where a
    maker was never measured."""
    return _GENERATION.get(gpu.generation) or _MAKERS.get(gpu.maker, "hopper")


def setup_of(gpu: Accelerator, method: Method) -> Setup:
    """Return what own rates are looked up by: training on an accelerator with a framework."""
    return Setup(TRAINING, gpu.key, method.recipe.stack)


def rates_of(gpu: Accelerator, method: Method) -> Machine:
    """Return the rates of a GPU for training in one number format, those of own runs where a file of them has them."""
    shipped = _shipped(gpu, method)
    factors = factors_of(method.rates_file, setup_of(gpu, method))
    return rescaled(shipped, factors) if factors else shipped


# What each factor of own rates divides, a rate, or multiplies, seconds.
_RATES = {"compute": ("matmul", "head", "scores", "states", "memory"), "network": ("scale_up", "scale_out")}
_LAUNCHES = ("block_seconds", "expert_seconds", "hook_seconds", "step_seconds")


def rescaled(rates: Machine, factors: Mapping[str, float]) -> Machine:
    """Return the rates with factors on the seconds that they give: see `sizebook.tables.own_rates`."""
    changed = {name: getattr(rates, name) / factors.get(kind, 1.0) for kind, names in _RATES.items() for name in names}
    changed |= {name: getattr(rates, name) * factors.get("launch", 1.0) for name in _LAUNCHES}
    return replace(rates, **changed)


def check_power_limit(gpu: Accelerator, limit_watts: float | None) -> None:
    """Refuse a limit above the TDP: it would be charged as energy and speed nothing up."""
    if limit_watts and gpu.tdp_watts and limit_watts > gpu.tdp_watts:
        raise RangeError(
            f"power limit above the TDP: got {limit_watts:g} watts, want at most {gpu.tdp_watts:g}, the TDP of "
            f"'{gpu.key}'. Lower it, or leave it blank."
        )


@lru_cache(maxsize=1024)
def _shipped(gpu: Accelerator, method: Method) -> Machine:
    return machine(gpu, method, calibration())


def machine(gpu: Accelerator, method: Method, fitted: Calibration) -> Machine:
    """Return the rates of a GPU for training in one number format, by fitted efficiencies.

    Matrices multiply in the method's format; attention scores stay in bf16. Under a power limit the clock falls with
    the cube root of the power (dynamic power is C V^2 f, and V follows f).
    """
    dtype, limit = format_of(gpu, method.compute_dtype), method.power_limit_watts
    family, stack = generation(gpu), stack_of(method.recipe.stack).timed_as
    kind = PEAKS[dtype] if method.narrow else "bf16"  # fp16 reaches the same share
    half = training_peak(gpu, None)
    check_power_limit(gpu, limit)
    clock = (limit / gpu.tdp_watts) ** (1 / 3) if limit and gpu.tdp_watts else 1.0
    if family == "blackwell" and gpu.tdp_watts:
        clock *= min(1.3, (gpu.tdp_watts / (half * _BLACKWELL_WATTS)) ** fitted["power"])
    matmul = training_peak(gpu, dtype) * clock * _matmul(gpu, family, kind, fitted)
    scores = _first(fitted, f"scores_{family}_{stack}", f"scores_{family}", "scores_hopper")
    link = gpu.scale_up_bytes_per_s or gpu.pcie_bytes_per_s or gpu.memory_bandwidth_bytes_per_s
    network = method.nic_gbit_per_s * 1e9 / 8 if method.nic_gbit_per_s else gpu.scale_out_bytes_per_s or link / 8
    return Machine(
        matmul=matmul,
        head=half * clock * _matmul(gpu, family, "bf16", fitted),
        expert_width=_first(fitted, f"expert_width_{stack}", f"expert_width_{family}", "expert_width_hopper"),
        scores=half * clock * scores,
        head_width=fitted["head_width"],
        states=half * clock * _first(fitted, f"states_{family}", "states"),
        memory=gpu.memory_bandwidth_bytes_per_s * fitted["memory"],
        scale_up=link * fitted["link"],
        scale_out=network * fitted["network"],
        host=_host_link(gpu, link) * fitted["link"],
        domain=max(gpu.scale_up_domain, 1),
        block_seconds=_first(fitted, f"block_seconds_{stack}", "block_seconds_fsdp"),
        expert_seconds=_first(fitted, f"expert_seconds_{stack}", f"expert_seconds_{gpu.form}", "expert_seconds"),
        permute=_first(fitted, f"permute_{stack}", "permute"),
        tp_exposed=fitted["tensor_parallel_exposed"],
        ep_exposed=fitted["expert_parallel_exposed"],
        hidden_cost=fitted["hidden_cost"],
        traffic_factor=fitted[f"traffic_{stack}"],
        expert_traffic=_first(fitted, f"expert_traffic_{stack}", f"traffic_{stack}"),
        dequantize=_first(fitted, f"dequantize_{stack}", "dequantize"),
        step_seconds=fitted["step_seconds"],
        growth=fitted["growth"],
        gather_exposed=fitted.get(f"gather_exposed_{stack}", 0.0),
        quantize=fitted.get(f"quantize_{stack}", 0.0),
        state_traffic=fitted["state_traffic"],
        bias_traffic=fitted["bias_traffic"],
        adapter_traffic=_first(fitted, f"adapter_traffic_{stack}", "adapter_traffic"),
        hook_seconds=fitted.get(f"hook_seconds_{stack}", 0.0),
    )


def _host_link(gpu: Accelerator, link: float) -> float:
    """Return bytes a second between one GPU and the memory of its host: superchips share a coherent link."""
    if gpu.form == "superchip":
        return _COHERENT_LINK / min(gpu.gpus_per_node, 2)
    return gpu.pcie_bytes_per_s or link


def _matmul(gpu: Accelerator, family: str, kind: str, fitted: Calibration) -> float:
    """Return the share of the peak that products reach: of the form (superchips are given more power), the generation,
    the size of its arrays, its family, else of the nearest format that was measured; where a format is known by how
    much faster than fp8 it runs, the share of fp8 times that."""
    if faster := fitted.get(f"{kind}_over_fp8_{family}"):
        peaks = gpu.peak_flop_per_s("fp8") / gpu.peak_flop_per_s(kind)
        return min(1.0, faster * peaks * _matmul(gpu, family, "fp8", fitted))
    array = "tpu_128" if gpu.generation in _SMALL_ARRAYS else family
    return _first(
        fitted,
        f"matmul_{family}_{gpu.form}_{kind}",
        f"matmul_{gpu.generation}_{kind}",
        f"matmul_{array}_{kind}",
        f"matmul_{family}_{kind}",
        f"matmul_{family}_bf16",
        f"matmul_hopper_{'bf16' if kind == 'bf16' else 'fp8'}",
    )


def _first(fitted: Calibration, *names: str) -> float:
    """Return the value of the first name, the narrowest, that was fitted."""
    return next(fitted[name] for name in names if name in fitted)
