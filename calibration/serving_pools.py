"""Compares the decode step with measured decode pools, none of which entered the fit, and writes the table of errors.

Run `python calibration/serving_pools.py TABLE` from the root of the repository with the table that `serving.py` takes.
Only rows that state the batch of a decode worker can be compared. A decode worker sees no prompts, so its time per
token should be one step. The form in which experts' compute grows with their tokens was chosen with a look at them.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

from sizebook.serving.case import case_of, weight_dtype_of
from sizebook.serving.quantities import Demand, Replica
from sizebook.serving.time import decode_step_seconds
from sizebook.tables.hardware import accelerator

# The rows of InferenceMAX look like runs without drafts throughout: by lengths, concurrency and workers 104 of 150
# stand only in its lists without (nvidia-master.yaml, December 2025 to April 2026), 36 in both, 9 in none, 1 in one
# with drafts alone.
DRAFTED = 0
OUTPUT = Path(__file__).parent.parent / "docs" / "serving_pools_table.md"


def step_over_measured(row: dict[str, str]) -> float:
    """Return our decode step of one worker over its measured time per token."""
    tp, dp, ep = (max(1, int(row[f"decode_{name}_size"] or 1)) for name in ("tp", "attention_dp", "moe_ep"))
    engine = {"trtllm": "tensorrt-llm"}.get(row["backend"], row["backend"])
    dtype = weight_dtype_of(row["model_path"], row["moe_quant_mode"] or row["gemm_quant_mode"] or None)
    gpu = accelerator(row["system"]).key
    replica = Replica(engine=engine, weight_dtype=dtype, tp=tp, dp=dp, ep=min(ep, tp * dp), draft_tokens=DRAFTED)
    in_flight = int(row["decode_batch_size"]) * dp
    demand = Demand(input_tokens=int(row["isl"]), output_tokens=int(row["osl"]), concurrency=in_flight)
    step = decode_step_seconds(case_of(row["model_path"], gpu, replica), demand)
    return float(step / (float(row["silicon_tpot_ms"]) / 1e3))


def main() -> None:
    """Write and print the table."""
    groups: dict[str, list[float]] = defaultdict(list)
    layouts: dict[str, list[float]] = defaultdict(list)
    with Path(sys.argv[1]).open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            if row["mode"] == "disagg" and row["decode_batch_size"]:
                name = f"{row['model_path']} {row['system']} {row['backend']} {row['precision']}"
                ratio = step_over_measured(row)
                groups[name].append(ratio)
                spread = int(row["decode_attention_dp_size"] or 1) > 1
                layouts[f"{row['backend']}, {'attention data' if spread else 'tensor'} parallel"].append(ratio)
    every = [ratio for ratios in groups.values() for ratio in ratios]
    groups = {"all rows that state a batch": every, **dict(sorted(layouts.items())), **groups}
    text = ["| what | rows | mean error % | median error % | median of ours over measured |\n"]
    text.append("| --- | ---: | ---: | ---: | ---: |\n")
    for name, ratios in groups.items():
        off = np.abs(np.array(ratios) - 1) * 100
        text.append(f"| {name} | {len(off)} | {off.mean():.1f} | {np.median(off):.1f} | {np.median(ratios):.2f} |\n")
    OUTPUT.write_text("".join(text), encoding="utf-8")
    print("".join(text))


if __name__ == "__main__":
    main()
