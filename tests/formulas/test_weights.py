"""Bytes by number format, against block sizes worked out by hand."""

from fractions import Fraction

import pytest

from sizebook.core.tables import table
from sizebook.formulas.weights import model_bytes
from sizebook.functions import load

load()


def test_bits_of_every_exact_row_follow_from_its_block() -> None:
    for row in table("dtypes"):
        if row["exact"] == "yes":
            scale = Fraction(row["scale_bits"]) / Fraction(row["block"]) if row["block"] else 0
            assert Fraction(row["bits_per_weight"]) == Fraction(row["element_bits"]) + scale, row["dtype"]


def test_a_part_of_a_byte_is_a_byte() -> None:
    assert [model_bytes(n, "int4") for n in (0, 1, 2, 3)] == [0, 1, 1, 2]


def test_arrays() -> None:
    numpy = pytest.importorskip("numpy")
    assert model_bytes(numpy.array([2, 3]), "nvfp4").tolist() == [2, 2]
