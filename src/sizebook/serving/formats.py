"""Number formats of a case: those given, else those of the published checkpoint, else what an engine does by itself.

A repository that holds a quantised copy of a model (``data/quantised_repositories.csv``) brings the formats that it was
written in, so that its name alone means what an engine would load.
"""

import functools

from sizebook.core.hints import unknown_key
from sizebook.core.tables import table
from sizebook.models import catalog
from sizebook.models.architecture import Experts
from sizebook.models.cached_results import cached_by_model
from sizebook.serving.quantities import INT4_WORDS, KV_DTYPES, WEIGHT_DTYPES
from sizebook.serving.shape import ServingShape
from sizebook.serving.stored import Stored, stored_weights

# A four-bit checkpoint of a mixture of experts quantises the experts and leaves attention in 16 bits.
_FOUR_BIT = frozenset({"nvfp4", "mxfp4", "int4_wo"})
# What the kernel tables call a format.
_CLASS = {"bf16": "bf16", "fp16": "bf16", "int8": "int8", "nvfp4": "fp4", "mxfp4": "mxfp4", "int4_wo": "int4"}


def dtype_class(dtype: str) -> str:
    """Return the format as the kernel tables name it: bf16, fp8, int8, fp4, mxfp4 or int4 (weight-only)."""
    return _CLASS.get(dtype, "fp8")


@functools.cache
def _repositories() -> dict[str, dict[str, str]]:
    """Return the repositories of quantised copies, in full and without what stands before the slash."""
    rows = table("quantised_repositories")
    return {catalog.folded(name): row for row in rows for name in (row["hf_id"], row["hf_id"].rpartition("/")[2])}


@functools.cache
def quantised_formats(model: str) -> tuple[str, str]:
    """Return the formats of weights and cache of a repository that holds a quantised copy; blank what is not known."""
    row = _repositories().get(catalog.folded(model), {})
    return row.get("weight_dtype", ""), row.get("kv_dtype", "")


@cached_by_model
def native_weight_dtype(model: str) -> str:
    """Return the format of a model's published weights, bf16 where it has none of an engine."""
    if catalog.is_checkpoint(model):
        return checkpoint_weights(model).weight_dtype
    if catalog.is_file(model):
        return "bf16"
    if quantised := quantised_formats(model)[0]:
        return quantised
    native = catalog.facts(model)["native_dtype"]
    return {"": "bf16", "fp16": "bf16", "fp32": "bf16", "int4": "int4_wo"}.get(native, native)


def checkpoint_weights(model: str) -> Stored:
    """Return the weights of the checkpoint that a model is given by."""
    described = catalog.architecture(model)
    experts = (brick for layer in described.layers for brick in layer.bricks if isinstance(brick, Experts))
    return stored_weights(model, described.n_layers, n_mtp=len(described.mtp), has_experts=any(True for _ in experts))


def stored_bytes(model: str, weight_dtype: str | None) -> dict[str, float]:
    """Return the fields of a case that say what a checkpoint holds; none for others or where a format is asked."""
    if weight_dtype or not catalog.is_checkpoint(model):
        return {}
    stored = checkpoint_weights(model)
    return {"stored_bytes": stored.other_bytes, "stored_expert_bytes": stored.expert_bytes}


def weight_dtype_of(model: str, weight_dtype: str | None) -> str:
    """Return the weight format: the one given, or the published checkpoint's own where it is blank."""
    dtype = weight_dtype or native_weight_dtype(model)
    dtype = "int4_wo" if dtype.casefold() in INT4_WORDS else dtype
    if dtype not in WEIGHT_DTYPES:
        raise unknown_key("weight_dtype", dtype, WEIGHT_DTYPES, also=", or blank")
    return dtype


def attention_dtype_of(shape: ServingShape, weight_dtype: str) -> str:
    """Return the format of attention and dense weights: 16-bit beside four-bit experts, else that of all weights."""
    return "bf16" if weight_dtype in _FOUR_BIT and shape.n_experts > 0 else weight_dtype


def kv_dtype_of(engine: str, weight_dtype: str, kv_dtype: str | None, *, model: str = "") -> str:
    """Return the cache format: the one given, else the checkpoint's own, else what the engine takes for its weights.

    Checkpoints in nvfp4, and those quantised for TensorRT-LLM, carry an fp8 cache setting, which engines follow (vLLM
    since pull request 29980). Otherwise vLLM and SGLang cache in 16 bits unless told.
    """
    if kv_dtype:
        if kv_dtype not in KV_DTYPES:
            raise unknown_key("kv_dtype", kv_dtype, KV_DTYPES, also=", or blank")
        return kv_dtype
    weights, cache = quantised_formats(model)
    if cache and weights == weight_dtype:
        return cache
    carried = weight_dtype == "nvfp4" or (engine == "tensorrt-llm" and weight_dtype in ("fp8", "fp8_block"))
    return "fp8" if carried else "bf16"
