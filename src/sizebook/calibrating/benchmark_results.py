"""Results of benchmark tools as rows of measured runs: vLLM, SGLang, AIPerf, GuideLLM.

Where a figure stands in a result is said by ``data/benchmark_results.toml``: a new tool is a table there and no code.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sizebook.core.errors import InputError
from sizebook.core.tables import toml_tables
from sizebook.intake.files import check_regular, decoded

TOOLS = toml_tables("benchmark_results")
KINDS = (".json", ".jsonl")
# Columns of a run that a tool cannot know of the server it asks.
OF_THE_SERVER = ("model", "gpu", "engine", "weight_dtype", "tp")
_MS = 1e-3
_NO_PLACES = ("source", "marks", "each", "engine")


def result_rows(path: Path) -> list[dict[str, Any]]:
    """Return the results in a file of JSON or JSON Lines as rows of a table of runs.

    Errors: no JSON, a result of no known tool, a result without a request.
    """
    check_regular(path, "a benchmark's result", "table_bytes")
    text = decoded(path.read_bytes(), path.name, "a benchmark's result")
    try:
        is_lines = path.suffix.casefold() == ".jsonl"
        found = [json.loads(each) for each in (filter(str.strip, text.splitlines()) if is_lines else [text])]
    except json.JSONDecodeError as error:
        raise InputError(f"no JSON: got {error} in {path.name}, want a benchmark's result. Save it again.") from None
    return [row for number, each in enumerate(found, start=1) for row in _rows(each, f"{path.name}, result {number}")]


def _rows(result: Any, where: str) -> Iterator[dict[str, Any]]:
    for said in TOOLS.values():
        inner = _at(result, said["each"]) if "each" in said else [result]
        if (
            isinstance(inner, list)
            and inner
            and all(_at(each, mark) is not None for each in inner for mark in said["marks"])
        ):
            yield from (_row(each, said, where) for each in inner)
            return
    raise InputError(
        f"unknown result: got none of the keys of {', '.join(TOOLS)} in {where}, want one of their results. Give a "
        "table with the columns of 'sizebook sweep' instead."
    )


def _row(result: Any, said: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return a result as a row: means of lengths to the nearest token, seconds, tokens of answers a second."""
    found = {name: _at(result, place) for name, place in said.items() if name not in _NO_PLACES}
    for side in ("input", "output"):
        total = found.pop(f"total_{side}_tokens", None)
        if total is not None:
            if not found["requests"]:
                raise InputError(f"no request: got none completed in {where}, want some. Leave it out.")
            found[f"{side}_tokens"] = total / found["requests"]
        found[f"{side}_tokens"] = max(1, round(found[f"{side}_tokens"]))
    ttft, tpot = found.pop("ttft_ms"), found.pop("tpot_ms")
    concurrency = found.get("concurrency")
    return {
        "engine": said.get("engine"),
        **{name: found.get(name) for name in ("model", "input_tokens", "output_tokens")},
        "concurrency": None if concurrency is None else max(1, round(concurrency)),
        "measured_ttft_seconds": ttft * _MS,
        "measured_tpot_seconds": tpot * _MS if tpot else None,
        "measured_tokens_per_second": found["tokens_per_second"],
    }


def _at(value: Any, place: str) -> Any:
    """Return what stands at a place of nested objects and lists; None for nothing."""
    for name in place.split("."):
        if isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, Mapping):
            value = value.get(name)
        else:
            return None
    return value
