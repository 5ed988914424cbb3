"""What a person changes in one sitting in each native workbook, and the slips that its checks must find."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from sizebook.scenarios.fleet import FleetScenario
from sizebook.scenarios.scenario_files import parse, read_toml
from sizebook.sources.bundled import bundled
from sizebook.workbooks.input_cells import workbook_inputs

# Sheet, label, column, and what is planted in the cell.
Slip = tuple[str, str, str, str]


@dataclass(frozen=True)
class Sitting:
    """A table of `sittings.toml`, which says what its keys are."""

    file: str
    given: Mapping[str, Any]
    edits: Mapping[str, Any]
    asked: tuple[str, Any, str]
    planted: tuple[Slip, ...]
    n_cells: int
    hidden: frozenset[str]

    @property
    def path(self) -> Path:
        return bundled("workbooks") / self.file


def _sitting(row: Mapping[str, Any]) -> Sitting:
    scenario = row.get("scenario")
    given = read_toml(bundled("workbooks") / "scenarios" / scenario) if scenario else row["given"]
    planted, hidden = tuple(tuple(slip) for slip in row["planted"]), frozenset(row.get("hidden", ()))
    return Sitting(row["file"], given, row["edits"], tuple(row["asked"]), planted, row["n_cells"], hidden)


SITTINGS = tuple(
    _sitting(row) for row in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))["sitting"]
)
# A fleet to work out by hand: 100 requests a second, twice as many in the busiest hour.
ONE_SERVICE: dict[str, Any] = {
    "months": 14, "start": datetime(2027, 1, 15), "model_1": "llama-3.1-8b", "gpu_1": "h100-sxm",
    "weight_dtype_1": "fp8", "requests_per_day_1": 8_640_000, "input_tokens_1": 1000, "output_tokens_1": 200,
    "concurrency_1": 32, "growth_per_month_1": 0.1, "reserved_usd_per_gpu_hour_1": 2.0,
    "on_demand_usd_per_gpu_hour_1": 3.0, "grams_per_kwh": 100,
}  # fmt: skip
CEILINGS = {"gpu_ceiling": 22, "kw_ceiling": 1e6}  # of GPUs what the fleet of one service needs in its fifth month
CEILED = {**ONE_SERVICE, **CEILINGS, "months": 60}
# Three that share nodes under contracts, without a ceiling; one states a target in place of a load.
SEARCHED: dict[str, Any] = {
    "plan": "fleet", "months": 26, "whole_nodes": True, "share_nodes": True, "failure_domain": "node",
    "kw_per_rack": 25,
    "service": [
        {"name": "Chat", "model": "llama-3.1-8b", "gpu": "h200-sxm", "requests_per_day": 3_000_000,
         "input_tokens": 1500, "output_tokens": 300, "tpot_target_seconds": 0.02, "growth_per_month": 0.03,
         "sign_terms": "any", "prepay": "part", "contracts": [[16, -2, 3, 1.9], [8, 2, 27, 2.1]]},
        {"name": "Code", "model": "mixtral-8x7b", "gpu": "h200-sxm", "tp": 4, "requests_per_day": 200_000,
         "input_tokens": 4000, "output_tokens": 500, "peak_factor": 3, "start_month": 5, "end_month": 20,
         "sign_terms": "any", "prepay": "part", "contracts": [[8, 4, 12, 2.5]]},
        {"name": "Wide", "model": "llama-3.1-70b", "gpu": "a100-sxm-80gb", "tp": 8, "pp": 2, "gpus_per_node": 8,
         "requests_per_day": 90_000, "input_tokens": 900, "output_tokens": 300, "concurrency": 16,
         "growth_per_month": -0.05, "price_change_per_month": -0.02, "prepay": "all"},
    ],
}  # fmt: skip


def searched() -> dict[str, Any]:
    """Return what fills a workbook with them, an accelerator as somebody types it."""
    return workbook_inputs(parse(FleetScenario, SEARCHED, "fleet")) | {"gpu_2": "H200 SXM"}
