"""What a person changes in one sitting in each native workbook, and the slips that its checks must find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from sizebook.scenarios.scenario_files import read_toml
from sizebook.sources.bundled import bundled

# A cell of a row, by sheet, label and column, and what a careless hand puts there; {} stands for the formula there. A
# row of a table to sort is counted from its head, the first of a block is "below" its title; a column is a month, a
# service by its number, "value" the first after the label, "total", or the head of one.
Slip = tuple[str, str, str, str]


@dataclass(frozen=True)
class Sitting:
    """A native workbook: what it is filled with, edits that need no function, one that does and the label of its input.

    ``n_cells`` is how many cells are compared at least.
    """

    file: str
    given: Mapping[str, Any]
    edits: Mapping[str, Any]
    asked: tuple[str, Any, str]
    planted: tuple[Slip, ...]
    n_cells: int
    hidden: frozenset[str] = frozenset()

    @property
    def path(self) -> Path:
        return bundled("workbooks") / self.file


def _example(name: str) -> dict[str, Any]:
    return read_toml(bundled("workbooks") / "scenarios" / name)


_SERVING_GIVEN: dict[str, Any] = {
    "model": "llama-3.1-70b", "gpu": "h100-sxm", "weight_dtype": "fp8", "tp": 4, "requests_per_day": 900_000,
    "input_tokens": 2000, "output_tokens": 400, "shape": "office", "tpot_target_seconds": 0.05, "months": 5,
}  # fmt: skip
# Price, traffic, growth, PUE, terms, currency, scenario ...
_SERVING_EDITS: dict[str, Any] = {
    "requests_per_day": 3_100_000, "growth_per_month": 0.031, "months": 26, "burst_factor": 1.2, "target_load": 0.7,
    "spare": 2, "failure_domain": "node", "whole_nodes": "yes", "on_demand_usd_per_gpu_hour": 3.3,
    "reserved_usd_per_gpu_hour": 1.9, "pue": 1.12, "grams_per_kwh": 81.5, "start": date(2027, 11, 9),
    "currency": "EUR", "rate_date_1": date(2027, 1, 1), "rate_per_usd_1": 0.91, "rate_date_2": date(2028, 6, 1),
    "rate_per_usd_2": 0.88, "price_date_1": date(2028, 3, 1), "price_level_1": 0.85, "scenario": "own",
    "case_traffic_own": 1.3, "step_traffic_1": 0.4, "usd_per_mtok_in": 0.9, "usd_per_mtok_out": 3.1,
}  # fmt: skip
_SERVING_PLANTED: tuple[Slip, ...] = (
    ("Months", "Requests", "3", "=1000000"),
    ("Months", "In the plan", "2", "=0"),
    ("Months", "Replicas that always run", "1", "=1"),
    ("Months", "GPUs reserved", "4", "=0"),
    ("Months", "GPUs at peak", "5", "=9999"),
    ("Months", "Replicas in the busiest hour", "5", "=3"),
    ("Months", "GPU-hours", "2", "=10"),
    ("Months", "of them on demand", "2", "=-5"),
    ("Months", "Reserved", "3", "=77"),
    ("Months", "On demand", "3", "=2*({})"),
    ("Months", "Cost", "4", "=123456"),
    ("Months", "Cost to date", "5", "=1"),
    ("Months", "Energy", "1", "=0"),
    ("Months", "Energy", "2", "=1000*({})"),
    ("Months", "Greenhouse gases, location-based", "1", "=1"),
    ("Months", "GPUs at peak, most", "1", "=0"),
    ("Hours", "10:00", "2", "=500"),
    ("Years", "Cost", "total", "=1"),
    ("Cases", "The scenario of the cover", "1", "=500"),
    ("Basis", "GPU-hour on demand, scenario", "value", "=99"),
    ("Basis", "Requests a day now", "value", "=5"),
    ("Basis", "Busy hours a day on demand", "value", "=1"),
    ("Rates", "Prices from", "value", "=5"),
    ("Calculation", "Requests that the cache holds", "value", "=0"),
)  # fmt: skip
_TUNING_EDITS: dict[str, Any] = {
    "n_examples": 310_000, "epochs": 2.5, "runs": 7, "evaluation_share": 0.25, "usd_per_example": 0.031,
    "other_usd": 1200, "price_usd_per_gpu_hour": 2.71, "watts": 655, "pue": 1.11, "host_share": 0.22,
    "grams_per_kwh": 71.5, "start_hours": 1.75, "currency": "EUR", "rate_date_1": date(2027, 3, 1),
    "rate_per_usd_1": 0.91, "rate_date_2": date(2028, 6, 1), "rate_per_usd_2": 0.88, "price_date_1": date(2028, 3, 1),
    "price_level_1": 0.85, "start": date(2027, 11, 9), "months": 17, "tuning": "qdora", "scenario": "own",
    "case_examples_own": 1.4, "case_runs_own": 2, "case_speed_own": 0.85,
    "case_price_own": 1.3, "step_examples_1": 0.3, "step_price_3": 1.9,
}  # fmt: skip
_TUNING_PLANTED: tuple[Slip, ...] = (
    ("Money", "Steps", "QLoRA", "=5000"),
    ("Money", "Tokens trained on", "Full fine-tuning", "=1"),
    ("Money", "Hours of a run", "LoRA", "=2*({})"),
    ("Money", "Days of a run", "DoRA", "=1"),
    ("Money", "GPU-hours of a run", "QDoRA", "=7"),
    ("Money", "GPU-hours of all runs", "LoRA", "=3"),
    ("Money", "Training", "Full fine-tuning", "=1"),
    ("Money", "Evaluation", "QLoRA", "=-1"),
    ("Money", "Examples", "DoRA", "=99"),
    ("Money", "Cost", "LoRA", "=12"),
    ("Money", "Cost in the currency", "LoRA", "=3"),
    ("Money", "Cost of a million tokens", "QLoRA", "=0"),
    ("Money", "GPU-hour", "LoRA", "=100"),
    ("Money", "Power of a GPU at work", "Full fine-tuning", "=1"),
    ("Money", "Energy", "DoRA", "=5"),
    ("Money", "Carbon, location-based", "Full fine-tuning", "=1"),
    ("Money", "Cost, slow", "LoRA", "=0"),
    ("Money", "Cost where it fits", "QLoRA", "=1"),
    ("Months", "In the plan", "2", "=0"),
    ("Months", "Share of the runs", "2", "=0.9"),
    ("Months", "GPU-hours, evaluation included", "3", "=10"),
    ("Months", "Cost", "2", "=1"),
    ("Months", "Cost to date", "60", "=10^12"),
    ("Months", "Cost in the currency", "1", "=1"),
    ("Months", "Energy", "1", "=10^9"),
    ("Years", "Cost", "total", "=1"),
    ("Rates", "Prices from", "value", "=5"),
    ("What-if", "The scenario of the cover", "GPU-hours of a run", "=500"),
    ("What-if", "Two-way, examples 3, price 2", "Cost, USD", "=500"),
    ("Ways", "Fits", "Full fine-tuning", '="yes"'),
    ("Ways", "There is", "LoRA", "=10^9"),
    ("Ways", "Trained parameters", "QLoRA", "=1"),
    ("Ways", "Step with checkpoints and failures", "Full fine-tuning", "=0"),
)
_COMPARISON_PLANTED: tuple[Slip, ...] = (
    ("Facts", "Parameters", "3", "=10^9"),
    ("Facts", "Active", "2", "=10^15"),
    ("Facts", "Model", "4", "=C{row}"),
    ("Facts", "Bits of a weight, scales included", "5", "=32"),
    ("Facts", "Cache", "1", "=0"),
    ("Facts", "Memory", "6", "=1"),
    ("Facts", "GPUs that hold it", "7", "=100"),
    ("Facts", "GPUs that hold it", "1", "=0"),
    ("Facts", "Held for a month", "8", "=1"),
    ("Comparison", "row 3", "Parameters", "=1"),
    ("Comparison", "row 3", "Memory, GiB", "=1"),
    ("Comparison", "row 3", "Held for a month, USD", "=1"),
)
_PROGRAMME: dict[str, Any] = {
    "start": date(2027, 3, 1), "data_cpu_hours": 50_000, "egress_tb": 12, "name_1": "Pre-training",
    "model_1": "mixtral-8x7b", "gpu_1": "h200-sxm", "gpus_1": 64, "tokens_1": 1e12, "batch_1": 256, "tp_1": 4,
    "ep_1": 8, "start_hours_1": 6, "price_usd_per_gpu_hour_1": 3.1,
    "name_2": "RL", "kind_2": "reinforcement", "model_2": "llama-3.1-8b",
    "gpu_2": "h100-sxm", "gpus_2": 16, "tokens_2": 4e9, "batch_2": 64, "tp_2": 2, "rollout_input_tokens_2": 400,
}  # fmt: skip
_PROGRAMME_EDITS: dict[str, Any] = {
    "start": date(2028, 11, 9), "ablation_share": 0.31, "evaluation_share": 0.07, "data_cpu_hours": 91_000,
    "usd_per_cpu_hour": 0.08, "licences_usd": 777_000, "checkpoint_bytes_per_parameter": 16, "retention_months": 7,
    "usd_per_tb_month": 19, "egress_tb": 44, "usd_per_egress_tb": 71, "price_usd_per_gpu_hour_1": 1.93,
    "price_usd_per_gpu_hour_2": 2.2, "other_usd_2": 31_000, "watts_1": 612, "pue_1": 1.1, "host_share_2": 0.21,
    "grams_per_kwh_1": 55.5, "gap_days_1": 3, "gap_days_2": 41, "kept_checkpoints_1": 33, "scenario": "own",
    "case_hours_own": 1.21, "case_price_own": 0.9, "case_ablation_own": 0.1, "case_data_own": 1.3,
    "case_storage_own": 1.4, "currency": "EUR", "rate_date_1": date(2027, 1, 1), "rate_per_usd_1": 0.91,
    "price_date_1": date(2029, 1, 1), "price_level_1": 0.8, "step_hours_1": 0.3, "step_price_3": 1.9,
}  # fmt: skip
_PROGRAMME_PLANTED: tuple[Slip, ...] = (
    ("Phases", "Days, middle", "1", "=5"),
    ("Phases", "GPU-hours, middle", "1", "=1000"),
    ("Phases", "GPU-hours, high", "1", "=1"),
    ("Phases", "Last day", "2", "=1"),
    ("Phases", "First day", "2", "=0"),
    ("Phases", "GPU-hour, scenario", "1", "=99"),
    ("Phases", "GPUs", "1", "=7"),
    ("Phases", "Kept checkpoints", "1", "=123456"),
    ("Phases", "Energy at the meter", "1", "=1"),
    ("Phases", "Greenhouse gases", "2", "=10^12"),
    ("Budget", "Phases", "Middle", "=1"),
    ("Budget", "Ablations and failed runs", "High", "=0"),
    ("Budget", "Data preparation", "Low", "=10^9"),
    ("Budget", "Cost", "Middle", "=10^6"),
    ("Budget", "Peak power", "Middle", "=0"),
    ("Budget", "Months", "Middle", "=2"),
    ("Months", "In the plan", "2", "=0"),
    ("Months", "GPU-hours, experiments included", "2", "=0"),
    ("Months", "GPUs of the phases", "1", "=10"),
    ("Months", "Data preparation", "2", "=500000"),
    ("Months", "Cost", "2", "=1"),
    ("Months", "Cost to date", "60", "=10^12"),
    ("Months", "Energy", "1", "=10^9"),
    ("Years", "Cost", "total", "=1"),
    ("What-if", "The scenario of the cover", "Cost, USD", "=500"),
    ("What-if", "Two-way, hours 3, price 2", "Cost, USD", "=500"),
)
_FLEET: dict[str, Any] = {
    "start": date(2027, 3, 1), "months": 9, "whole_nodes": "yes", "name_1": "Chat", "model_1": "llama-3.1-70b",
    "gpu_1": "h100-sxm", "weight_dtype_1": "fp8", "tp_1": 4, "requests_per_day_1": 2_000_000, "input_tokens_1": 2000,
    "output_tokens_1": 400, "concurrency_1": 64, "growth_per_month_1": 0.05, "reserved_usd_per_gpu_hour_1": 2.2,
    "name_2": "Search", "model_2": "llama-3.1-8b", "gpu_2": "h100-sxm", "requests_per_day_2": 7_000_000,
    "input_tokens_2": 1500, "output_tokens_2": 100, "concurrency_2": 64, "reserved_usd_per_gpu_hour_2": 2.2,
    "start_month_2": 3, "name_4": "Coding", "model_4": "mixtral-8x7b", "gpu_4": "h200-sxm", "weight_dtype_4": "fp8",
    "tp_4": 2, "requests_per_day_4": 600_000, "input_tokens_4": 6000, "output_tokens_4": 600,
    "tpot_target_seconds_4": 0.03,
}  # fmt: skip
_FLEET_EDITS: dict[str, Any] = {
    "start": date(2028, 11, 9), "months": 31, "target_load": 0.7, "spare": 2, "failure_domain": "node",
    "share_nodes": "yes", "reserve_share": 0.83, "term_months": 7, "burst_hours": 6.5, "pue": 1.12,
    "grams_per_kwh": 81.5, "nodes_per_rack": 3, "kw_per_rack": 55, "rack_units": 48, "gpu_ceiling": 150,
    "rack_ceiling": 9, "kw_ceiling": 333.3, "requests_per_day_1": 3_100_000, "growth_per_month_2": 0.031,
    "peak_factor_4": 2.6, "start_month_1": 2, "end_month_2": 19, "on_demand_usd_per_gpu_hour_4": 4.4,
    "reserved_usd_per_gpu_hour_4": 2.9, "currency": "EUR", "rate_date_1": date(2027, 1, 1), "rate_per_usd_1": 0.91,
    "price_date_1": date(2029, 3, 1), "price_level_1": 0.85, "scenario": "own", "case_traffic_own": 1.3,
    "case_growth_own": 0.01, "case_speed_own": 0.95, "case_on_demand_own": 1.1, "case_reserved_own": 0.97,
    "case_load_own": 1.05, "case_growth_low": -0.03, "case_load_high": 0.8, "step_traffic_1": 0.4, "step_price_3": 1.9,
}  # fmt: skip
_FLEET_PLANTED: tuple[Slip, ...] = (
    ("Months", "In the plan", "2", "=0"),
    ("Months", "GPUs at peak", "3", "=9999"),
    ("Months", "GPUs at the mean", "3", "=1"),
    ("Months", "GPUs reserved", "4", "=0"),
    ("Months", "Nodes", "2", "=99"),
    ("Months", "Nodes if services shared none", "2", "=0"),
    ("Months", "Racks", "2", "=0"),
    ("Months", "Power to provide", "5", "=1"),
    ("Months", "GPU-hours", "2", "=10"),
    ("Months", "Reserved", "3", "=77"),
    ("Months", "Burst", "3", "=2*({})+1"),
    ("Months", "Cost", "4", "=123456"),
    ("Months", "Cost to date", "60", "=10^12"),
    ("Months", "Energy", "1", "=0"),
    ("Months", "Energy", "2", "=1000*({})"),
    ("Months", "Greenhouse gases, location-based", "1", "=1"),
    ("Months", "GPUs at peak, most", "1", "=0"),
    ("Months", "Cost, slow replicas", "1", "=0"),
    ("Replicas", "below Requests a day", "3", "=1000000"),
    ("Nodes", "below Nodes", "3", "=0"),
    ("Buying", "below GPUs in the busiest hour", "3", "=0"),
    ("Fast", "below GPUs in the busiest hour", "4", "=10^6"),
    ("Slow", "below GPUs in the busiest hour", "4", "=0"),
    ("Years", "Cost", "total", "=1"),
    ("What-if", "The scenario of the cover", "1", "=500"),
    ("Cases", "The scenario of the cover", "Cost, USD", "=500"),
    ("Cases", "Two-way, traffic 3, price 2", "Cost, USD", "=500"),
    ("Services", "Rate of a replica", "1", "=99"),
    ("Services", "GPU-hour on demand, scenario", "1", "=99"),
    ("Services", "Spare replicas", "1", "=0"),
    ("Services", "Stands on the nodes of", "2", "=1"),
    ("Services", "Nodes of a rack", "1", "=1"),
    ("Rates", "Prices from", "value", "=5"),
)  # fmt: skip
# A fleet to work out by hand: 100 requests a second, twice as many in the busiest hour.
ONE_SERVICE: dict[str, Any] = {
    "months": 14, "start": datetime(2027, 1, 15), "model_1": "llama-3.1-8b", "gpu_1": "h100-sxm",
    "weight_dtype_1": "fp8", "requests_per_day_1": 8_640_000, "input_tokens_1": 1000, "output_tokens_1": 200,
    "concurrency_1": 32, "growth_per_month_1": 0.1, "reserved_usd_per_gpu_hour_1": 2.0,
    "on_demand_usd_per_gpu_hour_1": 3.0, "grams_per_kwh": 100,
}  # fmt: skip
CEILINGS = {"gpu_ceiling": 23, "kw_ceiling": 1e6}  # of GPUs what the fleet of one service needs in its fifth month
CEILED = {**ONE_SERVICE, **CEILINGS, "months": 60}
_BUDGET: dict[str, Any] = {
    "model": "llama-3.1-8b", "gpu": "h200-sxm", "gpus": 64, "tokens": 2e12, "seq": 8192, "batch": 256, "tp": 2,
    "other_usd": 50_000, "start_hours": 2,
}  # fmt: skip
_BUDGET_EDITS: dict[str, Any] = {
    "tokens": 3.3e12, "start_hours": 31, "term": "spot", "other_usd": 410_000, "watts": 655,
    "pue": 1.11, "host_share": 0.22, "covered_share": 0.4, "residual_grams_per_kwh": 480, "kg_per_gpu": 600,
    "grams_per_kwh": 71.5, "programme_factor": 1.4, "start": date(2028, 11, 9), "currency": "EUR",
    "rate_date_1": date(2027, 1, 1), "rate_per_usd_1": 0.91, "rate_date_2": date(2029, 6, 1), "rate_per_usd_2": 0.88,
    "price_date_1": date(2029, 1, 1), "price_level_1": 0.8, "scenario": "own", "case_tokens_own": 1.3,
    "case_speed_own": 0.9, "case_price_own": 1.1, "case_whole_own": 0.2, "case_other_own": 2, "step_tokens_1": 0.3,
    "step_price_3": 1.7,
}  # fmt: skip
_BUDGET_PLANTED: tuple[Slip, ...] = (
    ("Plan", "GPU-hour, scenario", "value", "=99"),
    ("Plan", "Tokens, scenario", "value", "=5"),
    ("Plan", "Tokens of a step, padding apart", "value", "=1"),
    ("Plan", "Power of a GPU at work", "value", "=1"),
    ("Plan", "Whole run over steady state, scenario", "value", "=3"),
    ("Plan", "GPU-hour", "value", '="not listed"'),
    ("Cases", "Step time", "Middle", "=1"),
    ("Cases", "Goodput", "Middle", "=0.5"),
    ("Cases", "Productive steps", "High", "=1"),
    ("Cases", "GPU-hours", "Middle", "=1000"),
    ("Cases", "Cost of productive steps", "Low", "=7"),
    ("Cases", "Cost", "High", "=1"),
    ("Cases", "Carbon, location-based", "Middle", "=1"),
    ("Cases", "Months", "value", "=3"),
    ("Months", "In the plan", "2", "=0"),
    ("Months", "Share of the run", "1", "=0.9"),
    ("Months", "GPU-hours", "2", "=10"),
    ("Months", "of them steady state", "1", "=0"),
    ("Months", "GPUs", "1", "=10"),
    ("Months", "Cost", "2", "=1"),
    ("Months", "Cost to date", "60", "=10^12"),
    ("Months", "Energy", "1", "=10^9"),
    ("Years", "Cost", "total", "=1"),
    ("What-if", "The scenario of the cover", "GPU-hours", "=500"),
    ("What-if", "Two-way, tokens 3, price 2", "Cost, USD", "=500"),
    ("Rates", "Prices from", "value", "=5"),
    ("Calculation", "FLOPs per token", "value", "=1"),
)
_SIZING_PLANTED: tuple[Slip, ...] = (
    ("Calculation", "Attention projections", "value", "=1"),
    ("Calculation", "Feed-forward blocks", "value", "=-1"),
    ("Calculation", "Norm gains", "value", "={}+1"),
    ("Calculation", "Total parameters", "value", "=5"),
    ("Calculation", "Active parameters", "value", "=10^15"),
    ("Calculation", "Active share", "value", "=2"),
    ("Calculation", "Of the chosen format", "value", "=1"),
    ("Calculation", "below Bytes of the weights", "value", "=1"),
    ("Calculation", "Of the checkpoint, else in the chosen format", "value", "={}+8"),
    ("Calculation", "the same in GB", "value", "=1"),
    ("Calculation", "the same in GiB", "value", "=1"),
    ("Calculation", "Counted less published", "value", "=10^9"),
    ("Calculation", "the same as a share", "value", "=9"),
    ("Calculation", "below Parts in order of size, for the chart", "value", "=7"),
    ("Result", "All other parts", "value", "=1"),
    ("Result", "Total", "value", "=1"),
)
SITTINGS = (
    Sitting(
        "model_sizing.xlsx", {"model": "llama-3.1-8b", "published_total": 8.03e9},
        {"dtype": "q4_k_m", "published_total": 8e9, "title": "Another"},
        ("model", "mixtral-8x7b", "Model"), _SIZING_PLANTED, 250,
    ),
    Sitting(
        "serving_capacity.xlsx", _SERVING_GIVEN, _SERVING_EDITS, ("tp", 8, "Tensor parallel"), _SERVING_PLANTED, 5000,
        frozenset({"Compared"}),
    ),
    Sitting(
        "fine_tuning.xlsx", _example("fine-tuning.toml"), _TUNING_EDITS, ("seq", 4096, "Tokens in a sequence"),
        _TUNING_PLANTED, 1500, frozenset({"Asked", "Compared"}),
    ),
    Sitting(
        "training_programme.xlsx", _PROGRAMME, _PROGRAMME_EDITS, ("tp_2", 4, "Tensor parallel"), _PROGRAMME_PLANTED,
        3500, frozenset({"Compared"}),
    ),
    Sitting(
        "fleet_plan.xlsx", _FLEET, _FLEET_EDITS, ("tp_2", 2, "Tensor parallel"), _FLEET_PLANTED, 9000,
        frozenset({"Compared"}),
    ),
    Sitting(
        "training_budget.xlsx", _BUDGET, _BUDGET_EDITS, ("tp", 4, "Tensor parallel"), _BUDGET_PLANTED, 2000,
        frozenset({"Compared"}),
    ),
    Sitting(
        "model_comparison.xlsx", _example("twelve-models.toml"), {"usd_per_gpu_hour": 1.7},
        ("dtype", "bf16", "Number format of the weights"), _COMPARISON_PLANTED, 700,
    ),
)  # fmt: skip
