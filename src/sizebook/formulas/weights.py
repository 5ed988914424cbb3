"""Bytes of stored weights by number format, with the scales that block formats add."""

from fractions import Fraction
from functools import cache

from sizebook.core.hints import unknown_key
from sizebook.core.quantities import Bits, Bytes, Dtype, ParameterCount, dtype_keys
from sizebook.core.registry import function
from sizebook.core.sections import DEFAULT
from sizebook.core.tables import by_key


@cache
def _bits(dtype: str) -> Fraction:
    """Return the exact bits a weight takes, scales of block formats included."""
    row = by_key("dtypes", "dtype").get(dtype)
    if row is None:
        raise unknown_key("dtype", dtype, dtype_keys(), where="a key of data/dtypes.csv")
    return Fraction(row["bits_per_weight"])


@function(category="memory", source="data/dtypes.csv, one source a row")
def dtype_bits(dtype: Dtype) -> Bits:
    """Return the bits that one weight takes in storage, scales included: element bits + scale bits / block size.

    nvfp4 is 4 + 8/16, mxfp4 4 + 8/32, q8_0 8 + 16/32. The GGUF mixes q4_k_m and q5_k_m are means measured over one
    model (Llama-3.1-8B): another model's mix differs by a few per cent.
    """
    return float(_bits(dtype))


@function(
    category="memory", source="data/dtypes.csv, one source a row", formula="ceil(parameters * DTYPE_BITS(dtype) / 8)"
)
def model_bytes(parameters: ParameterCount, dtype: Dtype = DEFAULT) -> Bytes:
    """Return the bytes of a model's weights: parameters x bits per weight / 8, rounded up to a whole byte.

    Every parameter is taken to be stored in the one format. Left out: file headers, and the tensors (norms, embeddings)
    that quantised checkpoints keep in a wider format.
    """
    bits = _bits(dtype)
    return -(-parameters * bits.numerator // (8 * bits.denominator))
