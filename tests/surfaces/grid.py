"""Scenarios that the declarations give: every input of a plan away from its default at least once.

A new field of a section is in the grid without an edit here; `SENSIBLE` holds values where a number out of the blue
would be refused, `TOGETHER` what must be given with it.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

from sizebook.core.sections import Argument, flat, leaves
from sizebook.plans.owned import Financing, OwnedGpus
from sizebook.reports.document import Report
from sizebook.reports.input_rows import shown
from sizebook.reports.render import write_pdf

Values = dict[str, Any]
OWN_RATES, OWN_PRICES = (
    str(Path(__file__).resolve().parents[1] / name) for name in ("own_rates.csv", "own_prices.toml")
)

SENSIBLE: Mapping[str, Any] = {
    "as_of": date(2026, 11, 21),
    "start": date(2027, 1, 1),
    "currency": "EUR",
    "rates": [["2026-11-01", 0.9], ["2027-03-01", 0.95]],
    "title": "Grid",
    "grid": "fra",
    "provider": "aws",
    "region": "us-east-1",
    "shape": "office",
    "input_histogram": [[500, 0.5], [2500, 0.5]],
    "output_histogram": [[100, 0.9], [1000, 0.1]],
    "input_tokens_p50": 1200,
    "output_tokens_p50": 250,
    "input_tokens_p95": 4000,
    "output_tokens_p95": 900,
    "concurrency": 12,
    "growth_per_month": 0.07,
    "months": 5,
    "draft_tokens": 2,
    "tokens_per_step": 1.8,
    "ttft_target_seconds": 3.0,
    "tpot_target_seconds": 0.03,
    "gpus_per_node": 6,
    "gpus_compared": "h100-sxm, h200-sxm",
    "request_percentile": "p95",
    "dispersion": 3.0,
    "input_seconds": 25.0,
    "trace": [[0.0], [0.4], [0.5], [2.5], [2.6]],
    "tenant_shares": [0.7, 0.3],
    "contracts": [[16, -2, 3, 1.9], [8, 2, 4, 2.1]],
    "published_total": 8_030_261_248,
    "published_source": "the makers",
    "dtype": "fp8",
    "transfer_bytes_per_second": 25e9,
    "rates_file": OWN_RATES,
    "host_cache_bytes": 2e11,
    "host_cache_bytes_per_second": 2e10,
    "price_book": OWN_PRICES,
    "rented_gpus": 500,
    "release": "0.11.0",
    "requests_per_day": 2_500_000,
    "users": 400_000.0,
    "requests_per_user": 12.0,
    "working_days": 21.0,
    "hours_active": 9.0,
    "time_zones": [[1.0, 0.6], [-5.0, 0.4]],
    "monthly_requests": [[1.0, 90e6], [3.0, 120e6]],
    "monthly_tokens": [[1.0, 150e9], [4.0, 200e9]],
    "capex_usd": 40_000.0,
    "financing": "loan",
    "financing_rate_per_year": 0.07,
    "api_provider": "anthropic",
    "api_model": "claude-haiku-4-5",
    "replaced_by": "Chat",
    "replaced_month": 3,
    "season": [1.0, 0.9, 1.0, 1.0, 1.0, 1.0, 0.7, 0.7, 1.0, 1.0, 1.1, 1.3],
}
# Traffic is stated one way.
_BY_MONTH: Values = {"requests_per_day": None, "users": None, "growth_per_month": None}
_USERS: Values = {"requests_per_day": None, "users": 400_000.0, "requests_per_user": 12.0}
_HOURS: Values = {**_USERS, "hours_active": 9.0, "shape": "flat"}
# Pools decode what no encoder read, in one stage, and no percentile is simulated.
_POOLS: Values = {
    "separate_prefill": True,
    "model": "llama-3.1-8b",
    "pp": 1,
    "gpu": "h100-sxm",
    "request_percentile": None,
}
_ALONE: Values = {"trace": None, "separate_prefill": None, "input_seconds": None}
_TURNS: Values = {"turns": 3, "input_tokens": 1300, **_ALONE}
_PICTURES: Values = {
    "images": 2, "model": "qwen2.5-vl-7b", "gpu": "h100-sxm", "tp": 1, "pp": 1, "request_percentile": None,
    "release": None, **_ALONE,
}  # fmt: skip
_API: Values = {"api_provider": "anthropic", "api_model": "claude-haiku-4-5"}
_REPLACED: Values = {"replaced_by": "Chat", "replaced_month": 3, "start_month": None, "end_month": None}
# What an input stands with, or without (None).
TOGETHER: Mapping[str, Values] = {
    "input_histogram": {"input_tokens": None},
    "output_histogram": {"output_tokens": None},
    **dict.fromkeys(("api_provider", "api_model", "in_batches"), _API),
    **{leaf.name: {"capex_usd": 40_000.0} for leaf in leaves(OwnedGpus)},
    **{
        leaf.name: {"capex_usd": 40_000.0, "financing": "loan", "financing_rate_per_year": 0.07}
        for leaf in leaves(Financing)
    },
    **dict.fromkeys(("replaced_by", "replaced_month"), _REPLACED),
    "region": {"provider": "aws", "gpu": "h100-sxm"},
    "provider": {"gpu": "h100-sxm"},
    "price_book": {"gpu": "h100-sxm"},
    "rented_gpus": {"gpu": "h100-sxm", "price_book": OWN_PRICES},
    "ep": {"tp": 2, "model": "gpt-oss-20b"},  # a dense model has no experts to share out
    "experts_read": {"tp": 2, "model": "gpt-oss-20b"},
    "release": {"engine": "vllm"},  # of which it is one
    "concurrency": {"ttft_target_seconds": None, "tpot_target_seconds": None},
    "gpus_compared": {"gpu": None, "tp": None},
    "request_percentile": {"ttft_target_seconds": 2.5},
    "dispersion": {"request_percentile": "p99", "ttft_target_seconds": 4.0},
    "trace": {"request_percentile": "p90", "tpot_target_seconds": 0.035},
    "input_seconds": {
        "model": "whisper-large-v3",
        "input_tokens": None,
        "release": None,
        "tp": 1,
        "pp": 1,
        "draft_tokens": 0,
        "tokens_per_step": None,
        "request_percentile": None,
        "gpu": "h100-sxm",
    },
    "failure_domain": {"gpus_per_node": 8},
    **dict.fromkeys(("users", "active_share", "requests_per_user", "working_days"), _USERS),
    **dict.fromkeys(("hours_active", "time_zones"), _HOURS),
    "monthly_requests": {**_BY_MONTH, "monthly_tokens": None},
    "monthly_tokens": {**_BY_MONTH, "monthly_requests": None},
    "between_months": {**_BY_MONTH, "monthly_requests": [[1.0, 90e6], [3.0, 120e6]], "monthly_tokens": None},
    **{key: {"start": date(2027, 1, 1)} for key in ("season", "fiscal_year_start")},
    "price_change_per_month": {"price_change_per_year": None},
    "price_change_per_year": {"price_change_per_month": None},
    "currency": {"rates": [["2026-11-01", 0.9], ["2027-03-01", 0.95]], "start": date(2027, 1, 1)},
    "rates": {"currency": "EUR", "start": date(2027, 1, 1)},
    **dict.fromkeys(("images", "image_width", "image_height", "image_frames"), _PICTURES),
    **dict.fromkeys(("turns", "turn_tokens", "think_seconds", "returning"), _TURNS),
    **dict.fromkeys(
        (
            "separate_prefill",
            "prefill_tp",
            "prefill_dp",
            "prefill_workers",
            "decode_workers",
            "transfer_bytes_per_second",
        ),
        _POOLS,
    ),
}


def away(leaf: Argument) -> Any:
    """Return an admissible value that is not the default."""
    q = leaf.quantity
    if leaf.name in SENSIBLE:
        return SENSIBLE[leaf.name]
    if q.kind == "flag":
        return not leaf.default
    if q.kind == "choice":
        return next(word for word in q.allowed if word != leaf.default)
    most = q.maximum if q.maximum is not None else float("inf")
    least = q.minimum if q.minimum is not None else (q.above or 0)
    usual = leaf.default if isinstance(leaf.default, (int, float)) and not isinstance(leaf.default, bool) else least + 1
    value = min(usual * 2 or 1, most) if q.kind == "integer" else usual * 0.75 if usual * 0.75 > least else usual * 1.25
    if value == leaf.default:
        value = min(usual + 0.5, most)
    return int(value) if q.kind == "integer" else float(value)


@dataclass(frozen=True)
class Case:
    """One scenario of the grid: what of the base was changed, and all its keys."""

    changed: Values
    values: Values

    @property
    def name(self) -> str:
        return ", ".join(self.changed) or "base"


def cases(kind: type[Any], base: Values, most: int) -> Iterator[Case]:
    """Yield the base and ``most`` scenarios in which each leaf of a section is away from its default once.

    A leaf that fits none of them, for what it must stand with, gets a scenario of its own.
    """
    yield Case({}, dict(base))
    known = {leaf.name for leaf in leaves(kind)}
    left = [leaf for leaf in leaves(kind) if leaf.name not in ("plan", "model", "gpu") and not leaf.required]
    groups: list[Values] = [{} for _ in range(most)]
    for leaf in left:
        beside = {name: value for name, value in TOGETHER.get(leaf.name, {}).items() if name in known}
        wanted = {leaf.name: away(leaf), **beside}
        fitting = [group for group in groups if _fits(group, wanted)]
        if not fitting:
            groups.append({})
            fitting = groups[-1:]
        min(fitting, key=len).update(wanted)
    for group in groups:
        if group:
            merged = {key: value for key, value in {**base, **group}.items() if value is not None}
            yield Case(group, merged)


def _fits(group: Values, wanted: Values) -> bool:
    """Return whether wishes do not contradict each other: no key of two values, lengths given one way only."""
    agree = all(group[name] == value for name, value in wanted.items() if name in group)
    new = {name: value for name, value in wanted.items() if name not in group}
    return agree and not (_sides(group) & _sides(new))


def _sides(names: Values) -> set[str]:
    return {name.partition("_")[0] for name in names if name.startswith(("input_", "output_"))}


def bare(text: str) -> str:
    """Return a text without white space: a PDF breaks lines where it will."""
    return re.sub(r"\s", "", text)


def in_print(report: Report, folder: Path) -> str:
    """Return the text of a report's PDF without white space."""
    write_pdf(report, folder / "grid.pdf")
    return bare(" ".join(page.extract_text() for page in PdfReader(folder / "grid.pdf").pages))


def assert_prints(text: str, report: Report, *sections: Any, inputs: Collection[str]) -> None:
    """Hold that a report's text has its headline figures, and each of these inputs that a section states."""
    for tile in report.tiles:
        assert bare(tile.value) in text
    for section in sections:
        for leaf, value in zip(leaves(type(section)), flat(section).values(), strict=True):
            if leaf.name in inputs and value is not None:
                assert bare(leaf.label) in text, leaf.name
                assert bare(shown(leaf, value)) in text, leaf.name


def first_in_make_test(values: Iterable[Any], ids: Iterable[str], first: int) -> list[Any]:
    """Return parameters of which `make test` runs the first few, `.ci/run` all: reports and workbooks take seconds."""
    return [
        pytest.param(value, id=name, marks=() if at < first else pytest.mark.ci)
        for at, (value, name) in enumerate(zip(values, ids, strict=True))
    ]
