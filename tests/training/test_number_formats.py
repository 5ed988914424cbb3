"""What each generation multiplies in: whole refusals, and every accelerator held against its data sheet."""

import pytest

from sizebook.core.errors import RangeError
from sizebook.core.tables import by_key
from sizebook.plans.training.rows import work_of_row
from sizebook.tables.hardware import accelerator, accelerators
from sizebook.training.machine import calibration, machine
from sizebook.training.number_formats import FORMATS, PEAKS, format_of, formats_of
from sizebook.training.recipe import Method
from tests.refused import message_of

BLANK = "Leave compute_dtype blank for bf16, or choose another gpu."
RUN = {"model": "llama-3.1-8b", "gpus": 8, "batch": 64, "seq": 2048, "zero_stage": 3}


@pytest.mark.parametrize("gpu", accelerators().values(), ids=lambda gpu: gpu.key)
def test_every_accelerator_has_a_peak_in_each_of_its_formats_and_is_refused_the_others(gpu) -> None:
    table = by_key("generations", "generation")[gpu.generation]["training_formats"].split()
    assert formats_of(gpu) == tuple(table)  # so that each has a peak
    for name in FORMATS:
        if name in table:
            assert 0 < machine(gpu, Method(compute_dtype=name), calibration()).matmul < gpu.peaks[PEAKS[name]]
        else:
            with pytest.raises(RangeError, match=f"^no {name} units: got compute_dtype '{name}' on '{gpu.key}', want "):
                format_of(gpu, name)


@pytest.mark.parametrize(
    ("gpu", "asked", "said"),
    [
        ("v100-sxm-32gb", "bf16", "want fp16. Leave compute_dtype blank for fp16, or choose another gpu."),
        ("t4", "bf16", "want fp16. Leave compute_dtype blank for fp16, or choose another gpu."),
        ("a100-sxm-80gb", "fp8", "want one of bf16, fp16. " + BLANK),
        (
            "h100-sxm",
            "mxfp8",
            "want one of bf16, fp16, fp8. " + BLANK,
        ),
        ("tpu-v5e", "fp8", "want one of bf16, int8. " + BLANK),
    ],
)
def test_a_format_without_units_is_refused_with_what_there_is(gpu: str, asked: str, said: str) -> None:
    assert (
        message_of(RangeError, work_of_row, {**RUN, "gpu": gpu, "compute_dtype": asked})
        == f"no {asked} units: got compute_dtype '{asked}' on '{gpu}', {said}"
    )


def test_a_blank_format_is_one_that_the_accelerator_has() -> None:
    for gpu, usual in (
        ("v100-sxm-32gb", "fp16"),
        ("quadro-rtx-8000", "fp16"),
        ("h100-sxm", "bf16"),
        ("tpu-v4", "bf16"),
    ):
        setup = work_of_row({**RUN, "gpu": gpu}).setup
        assert setup.method.compute_dtype == usual
        assert setup.peak_flop_per_s == accelerator(gpu).peaks[usual]


def test_products_in_int8_take_their_share_of_the_int8_peak() -> None:
    """MLPerf 4.1: GPT-3 on 1 024 TPU v6e with int8 matrices took 10.73 s a step. 6 x 175e9 FLOP on 4 096 tokens a chip
    at 0.42 of 1836 TOP/s take 5.6 s, and again a third for what is recomputed."""
    whole, narrow = (
        work_of_row({**RUN, "model": "gpt-3-175b", "gpu": "tpu-v6e", "gpus": 1024, "batch": 2048, "micro_batch": 2,
                     "recompute_modules": "remat_policy=full", "compute_dtype": name}).step for name in ("bf16", "int8")
    )  # fmt: skip
    ratio = calibration()["matmul_tpu_bf16"] * 918 / (calibration()["matmul_tpu_int8"] * 1836)
    assert narrow.matmul / whole.matmul == pytest.approx(ratio, rel=0.02)  # the head stays in bf16
    assert narrow.total == pytest.approx(10.73, rel=0.05)
