"""Questions about other cells: messages as docs/design.md words them, figures by hand, sources as in their tables."""

from __future__ import annotations

import re
from pathlib import Path

from tests.functions.function_rows.row import Row

CHANGELOG = Path(__file__).resolve().parents[3] / "CHANGELOG.md"
RELEASE = re.search(r"^## \[(\d.+?)\]", CHANGELOG.read_text(encoding="utf-8"), re.M)
assert RELEASE is not None
KV = {"name": "PARAMS_MHA", "arg_1": 512, "arg_2": False}

ROWS = (
    Row(
        "SIZEBOOK_WHY",
        {"name": "GPU_SPEC", "arg_1": "h100-smx", "arg_2": "tdp_watts"},
        "unknown gpu: got 'h100-smx', want a key of data/hardware.csv. Did you mean 'h100-sxm'?",
        "docs/design.md, under Errors, gives this message for this mistake",
    ),
    Row("SIZEBOOK_WHY", {"name": "PARAMS_LN", "arg_1": 512}, "no error", "a call that has no error"),
    Row("SIZEBOOK_EXPLAIN", KV, 1_048_576, "4 x 512^2, without biases", at="result"),
    Row("SIZEBOOK_EXPLAIN", KV, "4 * (512^2 + 0 * 512)", "the formula with FALSE as 0", at="numbers"),
    Row(
        "SIZEBOOK_EXPLAIN",
        {"name": "STEP_SECONDS", "arg_1": "llama-3.1-8b", "arg_2": "h100-sxm", "arg_3": 128, "arg_4": "dp=8"},
        1.167 * 6.323188900875572,
        "the example of STEP_SECONDS times the factor that TRAIN_ERROR(90, 'dense hopper') gives",
        relative=1e-3,
        at="high of the band",
    ),
    Row("SIZEBOOK_VERSION", {}, RELEASE[1], "the newest version of CHANGELOG.md"),
    Row("SIZEBOOK_VERSION", {"whose": "prices"}, "2026-11-09", "the newest date in data/prices.csv"),
    Row(
        "SIZEBOOK_SOURCE",
        {"table": "prices", "key": "H100-SXM", "column": "usd_per_gpu_hour"},
        6.88,
        "the first row of data/prices.csv: 55.04 USD an hour for 8 accelerators",
        at="usd_per_gpu_hour",
    ),
    Row(
        "SIZEBOOK_SOURCE",
        {"table": "grid", "key": "france", "column": "g_co2e_per_kwh"},
        "fra",
        "the country's code of three letters (ISO 3166-1)",
        at="key",
    ),
)
