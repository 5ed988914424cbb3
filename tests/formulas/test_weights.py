"""Bytes by number format, against block sizes worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from sizebook.core.cells import call
from sizebook.core.tables import table
from sizebook.formulas.weights import dtype_bits, model_bytes
from sizebook.functions import load

load()


def test_the_seed_model_in_single_precision() -> None:
    assert call("MODEL_BYTES", 354336768, "fp32") == 1417347072


@pytest.mark.parametrize(
    ("dtype", "bits"),
    [
        ("fp32", 32), ("tf32", 32), ("bf16", 16), ("fp16", 16), ("fp8", 8), ("int8", 8), ("fp6", 6), ("int4", 4),
        ("nvfp4", 4.5),  # 16 x 4 + 8 = 72 bits for 16 weights
        ("mxfp4", 4.25),  # 32 x 4 + 8 = 136 bits for 32 weights
        ("q8_0", 8.5),  # 34 bytes for 32 weights
        ("int4_wo", 4.125),  # 128 x 4 + 16 = 528 bits for 128 weights
    ],
)  # fmt: skip
def test_bits(dtype: str, bits: float) -> None:
    assert dtype_bits(dtype) == bits


def test_bits_of_every_exact_row_follow_from_its_block() -> None:
    for row in table("dtypes"):
        if row["exact"] == "yes":
            scale = Fraction(row["scale_bits"]) / Fraction(row["block"]) if row["block"] else 0
            assert Fraction(row["bits_per_weight"]) == Fraction(row["element_bits"]) + scale, row["dtype"]


def test_a_part_of_a_byte_is_a_byte() -> None:
    assert [model_bytes(n, "int4") for n in (0, 1, 2, 3)] == [0, 1, 1, 2]


def test_llama_3_1_8b_in_the_gguf_mix_it_was_measured_on() -> None:
    """llama.cpp's table gives 4.58 GiB for Q4_K_M, 5.33 GiB for Q5_K_M and 7.95 GiB for Q8_0."""
    assert [round(model_bytes(8030261248, d) / 2**30, 2) for d in ("q4_k_m", "q5_k_m", "q8_0")] == [4.58, 5.33, 7.95]


def test_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    assert model_bytes(numpy.array([2, 3]), "nvfp4").tolist() == [2, 2]
