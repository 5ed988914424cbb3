"""Tables of many rows, against figures of single calls that have rows of their own, and by hand."""

from __future__ import annotations

from tests.functions.function_rows.row import Row

RUN = [["Model", "GPU", "gpus", "tokens", "batch"], ["llama-3.1-8b", "h100-sxm", 8, "1 trillion", 128]]
LOAD = [
    ["model", "gpu", "weight_dtype", "input_tokens", "output_tokens", "concurrency"],
    ["llama-3.1-8b", "h100-sxm", "fp8", 1024, 1024, 1],
]

ROWS = (
    Row(
        "SIZING_TABLE",
        {"table": [["model", "dtype"], ["llama-3.1-70b", "nvfp4"]]},
        70_553_706_496 * 4.5 / 8,
        "the count that the Hub shows, at 4 bits and 8 for each 16",
        at="weight_bytes",
    ),
    Row("SIZING_TABLE", {"table": [["model"], ["mixtral-8x7b"]]}, 12_879_925_248, "two of eight experts",
        at="active_parameters"),
    Row("SERVING_TABLE", {"table": LOAD}, 1024 / (0.026517924247067448 + 1023 * 0.005326875348551471),
        "tokens over the seconds that TTFT_SECONDS and TPOT_SECONDS give", at="tokens_per_second"),
    Row("TRAINING_TABLE", {"table": RUN}, 6.323188900875572,
        "the figure of STEP_SECONDS for the same run", at="step_seconds"),
)  # fmt: skip
