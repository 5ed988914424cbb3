"""The accelerator table: enough parts, dense peaks only, figures that the data sheets state."""

from importlib import resources

import pytest

from sizebook.core.tables import Row, by_key, table
from sizebook.validation.data_checks import findings

INDICES = {"model_types"}  # of our own code, written by docs/generate.py, whose --check holds it to that: no facts
TABLES = sorted(
    path.name.removesuffix(".csv")
    for path in (resources.files("sizebook") / "data").iterdir()
    if path.name.endswith(".csv") and path.name.removesuffix(".csv") not in INDICES
)
HARDWARE = by_key("hardware", "key")
PEAKS = tuple(column for column in table("hardware")[0] if column.startswith("peak_"))
HALF = ("peak_bf16_flop_per_s", "peak_fp16_flop_per_s")


def doubled(key: str, *columns: str) -> Row:
    row = HARDWARE[key]
    return {**row, **{column: str(2 * int(row[column])) for column in columns if row[column]}}


@pytest.mark.parametrize("name", TABLES)
def test_every_row_of_every_table_has_source_and_date(name: str) -> None:
    lacking = [row for row in table(name) if not row.get("source", "").strip() or not row.get("retrieved", "").strip()]
    assert lacking == []


FAMILIES = """
    v100-sxm-16gb v100-sxm-32gb v100-pcie-32gb t4 a100-sxm-40gb a100-sxm-80gb a100-pcie-80gb a10g a30 a40 l4 l40s
    rtx-4090 rtx-5090 rtx-6000-ada rtx-pro-6000-server h100-sxm h100-pcie h100-nvl h200-sxm h200-nvl h20 gh200-144gb
    b100-sxm b200-sxm b300-sxm gb200 gb300 mi210 mi250x mi300a mi300x mi325x mi350x mi355x tpu-v4 tpu-v5e tpu-v5p
    tpu-v6e tpu-v7 trainium1 trainium2 trainium3 gaudi2 gaudi3
"""


def test_the_families_that_planners_ask_for_are_there() -> None:
    assert set(FAMILIES.split()) <= set(HARDWARE)
    assert len(HARDWARE) >= 50


@pytest.mark.parametrize("key", HARDWARE)
def test_a_sparse_16_bit_peak_in_any_row_is_found(key: str) -> None:
    assert any("sparse" in text for text in findings("hardware", [doubled(key, *HALF)]))


# Parts whose matrix units accumulate in FP32 at half rate: twice their peak is the dense peak of a full-rate sibling.
# The server RTX PRO 6000 has no vector peak to compare with. Rows of GPU_SPEC pin the others.
BLIND = ["a10g", "rtx-3090", "rtx-4080", "rtx-4090", "l40", "l20", "rtx-5090", "rtx-pro-6000-server"]


def test_a_wholly_sparse_data_sheet_is_found_but_for_half_rate_parts() -> None:
    matrix = [column for column in PEAKS if column != "peak_fp32_flop_per_s"]
    missed = [key for key in HARDWARE if not findings("hardware", [doubled(key, *matrix)])]
    assert missed == BLIND


def test_the_message_for_a_peak_above_the_generation() -> None:
    assert findings("hardware", [doubled("h100-sxm", *PEAKS)])[0] == (
        "line 2 (h100-sxm): sparse peak: got 1.979e+15 FLOP/s in 16 bit, want at most 9.895e+14, the dense peak of "
        "the best hopper part. Halve a figure that the data sheet marks 'with sparsity'."
    )


def test_the_message_for_a_peak_out_of_proportion() -> None:
    assert findings("hardware", [doubled("l40s", "peak_fp8_flop_per_s")]) == [
        "line 2 (l40s): sparse or wrong peak: got peak_fp8_flop_per_s 4.05 x 16-bit peak, want 2 x on ada. "
        "Halve whichever the data sheet marks 'with sparsity'."
    ]


def test_a_repeated_key_is_found_on_its_second_line() -> None:
    assert findings("hardware", [HARDWARE["a30"], HARDWARE["a40"], HARDWARE["a30"]]) == [
        "line 4 (a30): repeated row: got a30 again, want it once. Keep the right one."
    ]
