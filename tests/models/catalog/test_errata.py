"""Each error of a source that docs/errata.md lists and that can be computed: ours is the other figure."""

from pathlib import Path

import pytest

from sizebook.core.cells import call
from sizebook.functions import load
from sizebook.models import catalog
from tests.csv_files import rows_of
from tests.row_lists import listed

load()


def dashboard(shared: Path, model: str) -> dict[str, str]:
    rows = rows_of(shared / "truth" / "dashboard_models.csv")
    return next(row for row in rows if row["model"].casefold() == model)


def test_the_first_bias_of_a_feed_forward_block_has_d_ff_entries() -> None:
    assert call("PARAMS_FFN", 512, 2048) == 2 * 512 * 2048 + 2048 + 512
    assert call("PARAMS_FFN", 512, 2048, True, False, "dashboard") == 2 * (512 * 2048 + 512)


def test_a_gated_block_has_three_matrices() -> None:
    assert call("PARAMS_FFN", 512, 2048, False, True) == 3 * 512 * 2048
    assert call("MODEL_SPEC", "llama-3-8b", "activation_formula") == "SiLU(x W) * (x V)"


def test_no_vocabulary_near_37000_gives_the_65_million_of_the_original_transformer() -> None:
    assert call("PARAMS_MODEL", "transformer-base") == 63_082_496
    assert pytest.approx(40_745, abs=1) == (65e6 - 63_082_496) / 512 + 37_000
    assert call("PARAMS_MODEL", "transformer-big") == 214_245_376


def test_the_worked_example_of_seed_004_is_in_gibibytes() -> None:
    n_bytes = 4 * call("PARAMS_DECODER_ONLY", 24, 1024, 4096, 50_000, 1024)
    assert n_bytes == 4 * 354_336_768
    assert round(n_bytes / 2**30, 2) == 1.32
    assert round(n_bytes / 1e9, 2) == 1.42


def test_gpt3_xl_has_sixteen_heads_or_half_a_billion_more() -> None:
    assert call("PARAMS_GPT", 24, 2048, 24, 128, 50257, 2048) == pytest.approx(1.516e9, rel=5e-4)
    assert call("PARAMS_GPT", 24, 2048, 16, 128, 50257, 2048) == pytest.approx(1.3e9, rel=0.015)


@pytest.mark.parametrize("d_model", [5140, 5120])
def test_gpt3_13b_rounds_to_13_billion_either_way(d_model: int) -> None:
    assert round(call("PARAMS_GPT", 40, d_model, 40, 128, 50257, 2048) / 1e9) == 13


def test_the_34b_row_completes_the_llama_2_card() -> None:
    hours, tonnes = (
        sum(float(row[column]) for key in catalog.model_keys("llama-2") for row in [catalog.facts(key)])
        for column in ("gpu_hours", "tco2e")
    )
    assert hours == 3_311_616
    assert tonnes == pytest.approx(539.00, abs=0.03)  # the card adds unrounded rows


def test_llama_3_3_emitted_what_its_hours_imply() -> None:
    row = catalog.facts("llama-3.3-70b")
    kwh = float(row["gpu_hours"]) * float(row["gpu_watts"]) / 1000
    assert 0.41 < 1000 * float(row["tco2e"]) / kwh < 0.42
    assert 1000 * 12.9 / kwh < 0.003


def test_deepseek_v3_ran_at_a_third_of_the_bf16_peak() -> None:
    peak = call("GPU_SPEC", "h100-sxm", "peak_bf16_flop_per_s")
    assert 6 * 37e9 * 14.8e12 / (2.664e6 * 3600) / peak == pytest.approx(0.35, abs=0.01)


def test_peaks_are_dense_and_bandwidth_is_hbm3() -> None:
    assert call("GPU_SPEC", "h100-sxm", "peak_fp16_flop_per_s") == pytest.approx(1979e12 / 2, rel=1e-3)
    assert call("GPU_SPEC", "h100-sxm", "memory_bandwidth_bytes_per_s") == 3350e9


def test_a_cache_holds_keys_and_values() -> None:
    width = sum(
        getattr(brick, "cache_width", 0)
        for layer in catalog.architecture("llama-1-7b").layers
        for brick in layer.bricks
    )
    assert width * 4096 * 2 == 2 * 2**30


def test_zero_2_divides_all_but_the_weights_and_adam_holds_sixteen_bytes() -> None:
    n, ranks = 1_000_000, 8
    assert call("MODEL_STATE_BYTES", n, 1) == 16 * n
    assert call("MODEL_STATE_BYTES", n, ranks, 2, 2, 4) == 2 * n + 16 * n / ranks
    assert call("MODEL_STATE_BYTES", n, 1, 0, 2, 4) == 18 * n


@pytest.mark.parametrize(*listed("models", "test_the_dashboards_errors_are_not_repeated"))
def test_the_dashboards_errors_are_not_repeated(shared: Path, model: str, field: str, column: str, ours: int) -> None:
    assert call("MODEL_SPEC", model, field) == ours
    printed = dashboard(shared, model)[column]
    assert float(printed) * (1e12 if column == "nb_tokens" else 1) != ours


@pytest.mark.parametrize(*listed("models", "test_heads_are_grouped_where_the_dashboard_says_not"))
def test_heads_are_grouped_where_the_dashboard_says_not(shared: Path, model: str, attention: str) -> None:
    assert call("MODEL_SPEC", model, "attention") == attention
    rows = rows_of(shared / "truth" / "dashboard_models.csv")
    assert next(row for row in rows if row["model"].lower() == model)["gqa"] == "FALSE"


@pytest.mark.parametrize(("model", "product"), [("mixtral-8x7b", 56e9), ("mixtral-8x22b", 176e9)])
def test_the_product_in_a_name_is_no_count(model: str, product: float) -> None:
    assert call("PARAMS_MODEL", model) < 0.84 * product
