"""Operations whose measured kernels are fitted: where their points lie, what names a shape, and their closed forms.

`points` reads one table of kernel times from a folder of Parquet files; `seconds` is the closed form of
`sizebook.serving.kernels` on columns of them.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

SYSTEMS = {
    "a100_sxm": "a100-sxm-80gb", "h100_sxm": "h100-sxm", "h200_sxm": "h200-sxm", "b200_sxm": "b200-sxm",
    "b300_sxm": "b300-sxm", "gb200": "gb200", "gb300": "gb300", "l40s": "l40s",
    "rtx_pro_6000_server": "rtx-pro-6000-server", "b60": "arc-pro-b60",
}  # fmt: skip
FORMATS = {
    "bfloat16": "bf16", "fp8": "fp8", "fp8_block": "fp8", "nvfp4": "fp4", "sq": "int8", "int4_wo": "int4",
    "w4a16_mxfp4": "mxfp4", "w4a8_mxfp4_mxfp8": "mxfp4",
}  # fmt: skip
BYTES = {"bf16": 2.0, "fp8": 1.0, "int8": 1.0, "fp4": 0.5625, "mxfp4": 0.53125, "int4": 0.5625}
# Tokens of the passes that matrix products are fitted at.
PASSES = [1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 4096, 8192, 16384]
MS = pl.col("milliseconds")


class Operation(NamedTuple):
    """One closed form: where its measurements lie, what names a shape, its start and its seconds."""

    name: str
    points: Callable[[Path], pl.DataFrame]
    shape: tuple[str, ...]
    start: dict[str, tuple[float, float]]
    seconds: Callable[[dict[str, Any], dict[str, Any], dict[str, float], str], Any]


def _read(folder: Path, file: str) -> pl.LazyFrame:
    return pl.scan_parquet(folder / f"{file}.parquet").filter((MS > 0) & pl.col("system").is_in(list(SYSTEMS)))


def _fastest(frame: pl.LazyFrame, keys: tuple[str, ...]) -> pl.DataFrame:
    named = ("system", "format", *keys)
    return frame.group_by(named).agg(MS.min()).sort(named).collect()  # in order, so that a sample is the same again


def _format(column: str) -> pl.Expr:
    return pl.col(column).replace_strict(FORMATS, default=None)


def products(folder: Path) -> pl.DataFrame:
    """Return matrix products of at least a million weights: smaller ones stay in the cache of the chip."""
    weights = pl.col("n").cast(pl.Int64) * pl.col("k")
    big = (weights >= 2**20) & (pl.min_horizontal("n", "k") >= 256) & pl.col("m").is_in(PASSES)
    frame = _read(folder, "gemm").filter(big).with_columns(format=_format("gemm_dtype"))
    return _fastest(frame.drop_nulls("format"), ("m", "n", "k"))


def product_seconds(x: dict[str, Any], p: dict[str, Any], gpu: dict[str, float], form: str) -> Any:
    memory = x["n"] * x["k"] * BYTES[form] / (gpu["bandwidth"] * p["bandwidth"])
    compute = 2 * x["m"] * x["n"] * x["k"] / (gpu[form] * p["compute"])
    return (
        p["launch_seconds"]
        + np.hypot(memory, compute)
        + p["passes"] * 2 * x["m"] * (x["n"] + x["k"]) / gpu["bandwidth"]
    )


def decode_attention(folder: Path) -> pl.DataFrame:
    """Return decode attention in which 2, 4, 8 or 16 queries share a key-value head, as in models that are served.

    Other groups have slow paths only where the cache is in eight bits: on H100 and H200 the closed form of all of them
    together put those of 2 to 8 queries 20 to 40 % too slow.
    """
    context = pl.col("isl").cast(pl.Int64) + pl.col("step")
    frame = _read(folder, "generation_attention").with_columns(context=context, format=_format("kv_cache_dtype"))
    kept = (pl.col("window_size").fill_null(0) == 0) & pl.col("context").is_between(128, 131_072)
    kept &= pl.col("head_dim").is_in([64, 128, 256]) & (pl.col("batch_size") * pl.col("context") <= 2**24)
    kept &= (pl.col("num_heads") / pl.col("num_key_value_heads")).is_in([2.0, 4.0, 8.0, 16.0])
    keys = ("batch_size", "num_heads", "num_key_value_heads", "head_dim", "context")
    return _fastest(frame.filter(kept), keys)


def decode_attention_seconds(x: dict[str, Any], p: dict[str, Any], gpu: dict[str, float], form: str) -> Any:
    read = 2 * x["batch_size"] * x["num_key_value_heads"] * x["head_dim"] * x["context"] * BYTES[form]
    width = 2 * x["num_heads"] * x["head_dim"]
    return _reading(read, x["batch_size"], width, x["context"], p, gpu)


def _reading(read: Any, tokens: Any, width: Any, context: Any, p: dict[str, Any], gpu: dict[str, float]) -> Any:
    memory = read / (gpu["bandwidth"] * p["bandwidth"])
    compute = 2 * tokens * width * context / (gpu["bf16"] * p["compute"])
    passes = p["passes"] * 2 * tokens * width / gpu["bandwidth"]
    return p["launch_seconds"] + np.hypot(memory, compute) + passes


def latent_decode(folder: Path) -> pl.DataFrame:
    context = pl.col("isl").cast(pl.Int64) + pl.col("step")
    frame = _read(folder, "generation_mla").with_columns(context=context, format=_format("kv_cache_dtype"))
    return _fastest(frame.filter(pl.col("context") >= 128), ("batch_size", "num_heads", "context"))


def latent_decode_seconds(x: dict[str, Any], p: dict[str, Any], gpu: dict[str, float], form: str) -> Any:
    read = x["batch_size"] * 576 * x["context"] * BYTES[form]
    return _reading(read, x["batch_size"], x["num_heads"] * (576 + 512), x["context"], p, gpu)


def prefill_attention(folder: Path) -> pl.DataFrame:
    frame = _read(folder, "context_attention").with_columns(format=pl.lit(""))
    kept = (pl.col("window_size").fill_null(0) == 0) & (pl.col("isl") >= 64) & pl.col("head_dim").is_in([64, 128, 256])
    kept &= pl.col("batch_size") * pl.col("isl").cast(pl.Int64) <= 2**17
    keys = ("batch_size", "num_heads", "num_key_value_heads", "head_dim", "isl", "step")
    return _fastest(frame.filter(kept), keys)


def prefill_attention_seconds(x: dict[str, Any], p: dict[str, Any], gpu: dict[str, float], form: str) -> Any:
    tokens, width = x["batch_size"] * x["isl"], 2 * x["num_heads"] * x["head_dim"]
    wide = x["head_dim"] / (x["head_dim"] + p["half"]) * (1 + p["half"] / 128)  # 1 where heads are 128 wide
    compute = gpu["bf16"] * np.minimum(p["compute"] * wide, 1.0)
    flops = 2 * tokens * width * (x["step"] + x["isl"] / 2)
    return p["launch_seconds"] + flops / compute + p["passes"] * 2 * tokens * width / gpu["bandwidth"]


def latent_prefill(folder: Path) -> pl.DataFrame:
    frame = _read(folder, "context_mla").filter(pl.col("isl") >= 64).with_columns(format=pl.lit(""))
    return _fastest(frame, ("batch_size", "num_heads", "isl", "step"))


def latent_prefill_seconds(x: dict[str, Any], p: dict[str, Any], gpu: dict[str, float], form: str) -> Any:
    tokens, width = x["batch_size"] * x["isl"], x["num_heads"] * (192 + 128)
    flops = 2 * tokens * width * (x["step"] + x["isl"] / 2)
    moved = p["passes"] * 2 * tokens * width / gpu["bandwidth"]
    return p["launch_seconds"] + flops / (gpu["bf16"] * p["compute"]) + moved


# Of these formats the points of uneven traffic do not tell a slow bandwidth from few experts visited: with numbers
# fitted to them, kernels under even traffic, which is what estimates take, were put a quarter too slow.
EVENLY = ("mxfp4",)


def experts(folder: Path) -> pl.DataFrame:
    """Return routed experts, the whole layer or a tensor-parallel part; ``even`` is 1 where traffic was even.

    Traffic is uneven, as texts make it, but for the formats of `EVENLY`, where even traffic was measured; passes then
    have at most as many tokens as engines put into one.
    """
    frame = _read(folder, "moe").with_columns(
        format=_format("moe_dtype"), even=(pl.col("distribution") == "balanced").cast(pl.Int64)
    )
    kept = (pl.col("moe_ep_size") == 1) & (pl.col("topk") > 1)
    kept &= pl.col("distribution").is_in(["balanced", "power_law_1.2"])
    kept &= (pl.col("inter_size") // pl.col("moe_tp_size") >= 96) & ~pl.col("kernel_source").str.contains("nongated")
    keys = ("num_tokens", "hidden_size", "inter_size", "topk", "num_experts", "moe_tp_size", "even")
    found = _fastest(frame.filter(kept).drop_nulls("format"), keys)
    evenly = (pl.col("even").max().over("system", "format") == 1) & pl.col("format").is_in(EVENLY)
    return found.filter((pl.col("even") == evenly.cast(pl.Int64)) & (~evenly | (pl.col("num_tokens") <= 8192)))


def expert_seconds(x: dict[str, Any], p: dict[str, Any], gpu: dict[str, float], form: str) -> Any:
    tokens, weights = x["num_tokens"], 3 * x["hidden_size"] * x["inter_size"] / x["moe_tp_size"]
    visits = tokens * x["topk"]
    uneven = x["num_experts"] * (1 - (1 - x["topk"] / x["num_experts"]) ** (tokens * p["skew"]))
    touched = np.where(x["even"] > 0, np.minimum(visits, x["num_experts"]), uneven)
    each = visits / x["num_experts"]
    memory = touched * weights * BYTES[form] / (gpu["bandwidth"] * p["bandwidth"])
    compute = 2 * visits * weights / (gpu[form] * p["compute"] * each / (each + p["half"]))
    moved = p["passes"] * 2 * visits * x["hidden_size"] / gpu["bandwidth"]
    return p["launch_seconds"] + np.hypot(memory, compute) + moved


def reduces(folder: Path) -> pl.DataFrame:
    frame = _read(folder, "custom_allreduce").filter(pl.col("message_size") <= 250_000_000)
    return _fastest(frame.with_columns(format=pl.lit("")), ("num_gpus", "message_size"))


def reduce_seconds(x: dict[str, Any], p: dict[str, Any], gpu: dict[str, float], form: str) -> Any:
    n, message = x["num_gpus"], 2 * x["message_size"]
    fixed = p["launch_seconds"] + p["growth_seconds"] * (n - 2)
    return fixed + (2 * (n - 1) / n / p["bandwidth"] + p["passes"]) * message / gpu["link"]


def states(folder: Path, phase: str) -> pl.DataFrame:
    """Return a gated delta rule with its convolution: the mixer that keeps a state."""
    keys = ("batch_size", "seq_len", "num_k_heads", "num_v_heads")
    frame = _read(folder, "gdn").filter(pl.col("phase") == phase).with_columns(format=pl.lit(""))
    convolution = pl.col("kernel_source").str.contains("conv1d")
    parts = (_fastest(frame.filter(part), keys) for part in (convolution, ~convolution))
    first, second = parts
    both = first.join(second, on=["system", "format", *keys])
    return both.with_columns(milliseconds=MS + pl.col("milliseconds_right"))


def state_seconds(x: dict[str, Any], p: dict[str, Any], gpu: dict[str, float], form: str) -> Any:
    """Read and write the state once a sequence, pass the activations, and in prompts multiply with it."""
    prompts = "compute" in p
    elements = x["num_v_heads"] * 128 * 128
    tokens = x["batch_size"] * (x["seq_len"] if prompts else 1)
    memory = x["batch_size"] * elements * 4 * 2 / (gpu["bandwidth"] * p["bandwidth"])
    moved = p["passes"] * 2 * tokens * elements / 128 / gpu["bandwidth"]
    compute = 4 * tokens * elements / (gpu["bf16"] * p["compute"]) if prompts else 0.0
    return p["launch_seconds"] + memory + moved + compute


def index_points(folder: Path, phase: str) -> pl.DataFrame:
    """Return what an indexer adds to a layer: the module with it less the one without, by the same engine."""
    keys = ("batch_size", "isl", "step")
    frame = _read(folder, f"dsa_{phase}_module").filter(pl.col("architecture") == "GlmMoeDsaForCausalLM")
    frame = frame.with_columns(format=pl.lit(""), with_index=~pl.col("kernel_source").str.contains("skip_indexer"))
    frame = frame.filter(pl.col("engine") == "sglang")
    found = frame.group_by("system", "format", *keys, "num_heads", "kv_cache_dtype", "with_index").agg(MS.min())
    parts = [found.filter(pl.col("with_index") == on).collect() for on in (True, False)]
    shared = ["system", "format", *keys, "num_heads", "kv_cache_dtype"]
    both = parts[0].join(parts[1], on=shared).with_columns(milliseconds=MS - pl.col("milliseconds_right"))
    long = (pl.col("isl") + pl.col("step")).is_between(4096, 131_072)
    long &= (pl.col("isl") == 1) | (pl.col("isl") >= 1024)
    return both.filter((MS > 0.002) & long).group_by("system", "format", *keys).agg(MS.median()).sort("system", *keys)


def index_seconds(x: dict[str, Any], p: dict[str, Any], gpu: dict[str, float], form: str) -> Any:
    prompts = bool(np.any(x["isl"] > 1))
    tokens = x["batch_size"] * x["isl"]
    context = x["step"] + (x["isl"] / 2 if prompts else 0)
    compute = 2 * tokens * context * 32 * 128 / (gpu["bf16"] * p["compute"])
    if prompts:  # projections, rotation and the selection of keys: so many passes over a token's 6,144 activations
        return p["launch_seconds"] + p["passes"] * 2 * tokens * 6144 / gpu["bandwidth"] + compute
    return p["launch_seconds"] + x["batch_size"] * context * 128 / (gpu["bandwidth"] * p["bandwidth"]) + compute


_B, _C = (0.8, 0.5), (0.6, 0.6)
GEMM = {"launch_seconds": (4e-6, 1.0), "bandwidth": _B, "compute": _C, "passes": (1.0, 0.7)}
READ = {"launch_seconds": (1e-5, 1.0), "bandwidth": _B, "compute": (0.2, 0.7), "passes": (2.0, 0.7)}
ROUTED = {
    "launch_seconds": (2e-5, 1.0), "bandwidth": _B, "compute": (0.5, 0.7), "passes": (4.0, 0.7), "half": (4.0, 1.5),
    "skew": (0.7, 0.5),
}  # fmt: skip
OPERATIONS = (
    Operation("product", products, ("n", "k"), GEMM, product_seconds),
    Operation(
        "decode_attention", decode_attention, ("num_heads", "num_key_value_heads"), READ, decode_attention_seconds
    ),
    Operation("latent_decode", latent_decode, ("num_heads",), READ, latent_decode_seconds),
    Operation(
        "prefill_attention", prefill_attention, ("num_heads", "num_key_value_heads"),
        {"launch_seconds": (1e-5, 1.0), "compute": (0.5, 0.5), "passes": (2.0, 1.0), "half": (64.0, 1.0)},
        prefill_attention_seconds,
    ),
    Operation(
        "latent_prefill", latent_prefill, ("num_heads",),
        {"launch_seconds": (1.5e-5, 1.0), "compute": _C, "passes": (1.5, 1.0)}, latent_prefill_seconds,
    ),
    Operation("experts", experts, ("hidden_size", "inter_size", "num_experts", "moe_tp_size"), ROUTED, expert_seconds),
    Operation(
        "reduce", reduces, ("message_size",),
        {"launch_seconds": (5e-6, 1.0), "growth_seconds": (3e-7, 1.0), "bandwidth": (0.7, 1.0), "passes": (0.3, 1.0)},
        reduce_seconds,
    ),
    Operation(
        "state_decode", lambda folder: states(folder, "generation"), ("num_v_heads",),
        {"launch_seconds": (1e-5, 1.0), "bandwidth": _B, "passes": (3.0, 1.0)}, state_seconds,
    ),
    Operation(
        "state_prefill", lambda folder: states(folder, "context"), ("num_v_heads",),
        {"launch_seconds": (2e-5, 1.0), "bandwidth": _B, "compute": (0.1, 1.0), "passes": (5.0, 1.0)}, state_seconds,
    ),
    Operation(
        "index_decode", lambda folder: index_points(folder, "generation"), ("batch_size",),
        {"launch_seconds": (3e-5, 1.0), "bandwidth": (0.5, 0.7), "compute": (0.2, 1.0)}, index_seconds,
    ),
    Operation(
        "index_prefill", lambda folder: index_points(folder, "context"), ("batch_size",),
        {"launch_seconds": (5e-5, 1.0), "compute": (0.2, 1.0), "passes": (40.0, 1.0)}, index_seconds,
    ),
)  # fmt: skip
