"""The message behind an error value, against the wording that docs/design.md asks for."""

from __future__ import annotations

from tests.function_rows.row import Row

ROWS = (
    Row(
        "SIZEBOOK_WHY",
        {"name": "GPU_SPEC", "arg_1": "h100-smx", "arg_2": "tdp_watts"},
        "unknown gpu: got 'h100-smx', want a key of data/hardware.csv. Did you mean 'h100-sxm'?",
        "docs/design.md, under Errors, gives this message for this mistake",
    ),
    Row("SIZEBOOK_WHY", {"name": "PARAMS_LN", "arg_1": 512}, "no error", "a call that has no error"),
)
