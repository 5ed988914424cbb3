"""Rows of the functions that stage a whole plan for a workbook: fleets and training runs small enough to work out."""

from __future__ import annotations

from tests.functions.function_rows.row import Row

# One request a day: two GPUs work, two are spare, and all four are reserved around the clock.
ONE_A_DAY = {
    "services": [
        ["name", "A", "B"], ["model", "llama-3.1-8b", ""], ["gpu", "h100-sxm", ""], ["requests_per_day", 1, ""],
        ["input_tokens", 100, ""], ["output_tokens", 100, ""], ["concurrency", 1, ""], ["tp", 2, ""],
        ["reserved_usd_per_gpu_hour", 2.5, ""], ["on_demand_usd_per_gpu_hour", 4, ""],
    ],
    "spare": 1, "failure_domain": "replica", "reserve_share": 1, "term_months": 12, "months": 36,
}  # fmt: skip
ONE_REPLICA = {
    "model": "llama-3.1-8b", "gpu": "h100-sxm", "requests_per_day": 1, "input_tokens": 100, "output_tokens": 100,
    "concurrency": 1, "tp": 1,
}  # fmt: skip
# 51,470,401,536 FLOPs a token: six for each of 7.5 G multiplied weights, and the causal scores of 32 layers.
LLAMA_8B = {
    "model": "llama-3.1-8b", "gpu": "h100-sxm", "gpus": 8, "tokens": 1e9, "batch": 8, "seq": 8192, "dp": 8, "tp": 1,
    "zero_stage": 1, "flops_convention": "matmul", "mfu": 0.5, "price_usd_per_gpu_hour": 2, "grams_per_kwh": 400,
}  # fmt: skip

ROWS = (
    Row("FLEET_LEDGER", ONE_A_DAY, 730 * 4 * 2.5, "four GPUs for 730 hours at 2.50 USD", at="reserved_usd"),
    Row("FLEET_LEDGER", ONE_A_DAY, 4, "one replica of two GPUs, and a spare one", at="peak_gpus"),
    Row("FLEET_LEDGER", ONE_A_DAY | {"whole_nodes": True, "pue": 1.5}, 10.2 * 1.5,
        "two replicas of two GPUs stand on one DGX H100 of 10.2 kW", at="site_kw"),
    Row("FLEET_BASIS", ONE_A_DAY, 10.2, "NVIDIA's data sheet of a DGX H100", at="node_kw"),
    Row("SHARED_NODES", {"replica_counts": [[3, 5, 2]], "replica_sizes": [[4, 3, 16]], "node_size": 8}, 4 + 4,
        "three halves and five halves are four nodes, two replicas of two nodes each four more"),
    Row("FLEET_FIGURES", ONE_A_DAY, 36 * 730 * 4 * 2.5, "the same in each of 36 months", at="usd"),
    Row("DAY_SHARES", {"shape": [1] * 12 + [3] * 12}, [[0.5]] * 12 + [[1.5]] * 12,
        "half the hours a quarter of the traffic, half three quarters"),
    Row("SERVING_BASIS", ONE_REPLICA, 2 * 8_030_261_248, "two bytes a weight, all on one GPU", at="weight_bytes",
        relative=0.001),
    Row("SERVING_BASIS", ONE_REPLICA, 700, "the TDP of an H100 SXM in NVIDIA's data sheet", at="tdp_watts"),
    Row("PEAK_OF_DAY", {"shape": "consumer"}, 12 * 24 / 159,
        "the busiest of its hours is 12, and they add up to 159: 5+3+2+2+2+2+3+4+5+6+7+7+8+8+8+8+8+9+10+11+12+12+10+7"),
    Row("TRAINING_LEDGER", LLAMA_8B, 8 * 8192 * 51_470_401_536 / (8 * 989.4e12 * 0.5),
        "FLOPs of a step over what eight H100 do at half their peak", at="step_seconds", relative=1e-9),
    Row("TRAINING_LEDGER", LLAMA_8B, 8_192 / (8 * 8192 * 51_470_401_536 / (8 * 989.4e12 * 0.5)),
        "a sequence a GPU and step", at="tokens_per_s_per_gpu", relative=1e-9),
    Row("TRAINING_MEMORY", LLAMA_8B, 2 * 8_030_261_248, "two bytes a weight", at="weights"),
    Row("TRAINING_MEMORY", LLAMA_8B, 8_030_261_248, "AdamW's eight bytes a weight over eight ranks",
        at="optimizer_states"),
    Row("TRAINING_FIGURES", LLAMA_8B, 51_470_401_536, "6 x weights multiplied + 3 x scores", at="flops_per_token"),
    Row("TRAINING_FIGURES", LLAMA_8B, 700, "the TDP of an H100 SXM in NVIDIA's data sheet", at="watts"),
)  # fmt: skip
