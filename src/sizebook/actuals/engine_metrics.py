"""Traffic from what an engine counts, as its endpoint for Prometheus shows it: lengths in buckets, and the cache."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sizebook.actuals.traffic_figures import TrafficFigures
from sizebook.core.data_records import data_records
from sizebook.core.errors import InputError
from sizebook.intake.files import read_text

KINDS = (".prom", ".txt")
_SAMPLE = re.compile(r"([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)(?:\s+\d+)?$")
_EDGE = re.compile(r'(?:^|,)\s*le="([^"]*)"')
Bins = tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class EngineMetrics:
    """One table of ``data/engine_metrics.toml``: the names under which an engine counts."""

    name: str
    source: str
    prompts: str
    answers: str
    found: str
    asked: str


@cache
def engines() -> tuple[EngineMetrics, ...]:
    """Return the engines of ``data/engine_metrics.toml``, read once."""
    return data_records("engine_metrics", EngineMetrics)


def figures_of_metrics(path: Path, seconds: float) -> TrafficFigures:
    """Return the traffic that an engine counted over so many seconds.

    A length within a bucket is taken at its middle, all of them moved by one factor so that their mean is exact.

    Errors: none of the known histograms, or none with a request.
    """
    sums = _sums(read_text(path, "metrics of an engine"))
    engine = next((each for each in engines() if f"{each.prompts}_count" in sums), None)
    if engine is None:
        wanted = ", ".join(each.prompts for each in engines())
        raise InputError(
            f"unknown metrics: got none of {wanted} in {path.name}, want one. Save the answer of /metrics."
        )
    n = sums[f"{engine.prompts}_count"]
    if not n >= 1 or f"{engine.answers}_count" not in sums:
        raise InputError(
            f"too few requests: got {n:g} in {engine.prompts} of {path.name}, want 1 or more, and {engine.answers} "
            "beside it. Save the metrics once the engine has served."
        )
    prompts, answers = (_histogram(sums, name) for name in (engine.prompts, engine.answers))
    asked = sums.get(engine.asked, 0.0)
    ratio = sums[engine.found] / asked if asked and engine.found in sums else None
    mean_prompt, mean_answer = (
        sums[f"{name}_sum"] / sums[f"{name}_count"] for name in (engine.prompts, engine.answers)
    )
    return TrafficFigures(
        round(n),
        dropped={},
        seconds=seconds,
        input_tokens=mean_prompt,
        output_tokens=mean_answer,
        prompts=prompts,
        answers=answers,
        cache_hit_ratio=ratio,
    )


def _sums(text: str) -> Mapping[str, float]:
    """Return every sample, added over its labels; a bucket keeps its edge as ``name_bucket le``."""
    sums: dict[str, float] = {}
    for line in text.splitlines():
        if line.startswith("#") or not (sample := _SAMPLE.match(line.strip())):
            continue
        name, labels, value = sample.groups()
        if name.endswith("_bucket") and (edge := _EDGE.search(labels or "")):
            name = f"{name} {edge[1]}"
        try:
            sums[name] = sums.get(name, 0.0) + float(value)
        except ValueError:
            continue
    return sums


def _histogram(sums: Mapping[str, float], name: str) -> Bins:
    """Return (tokens, share) of the buckets of a histogram, which count all up to their edge."""
    start = f"{name}_bucket "
    edges = sorted((float(key.removeprefix(start)), n) for key, n in sums.items() if key.startswith(start))
    total, mean = sums[f"{name}_count"], sums[f"{name}_sum"] / sums[f"{name}_count"]
    found: list[tuple[float, float]] = []
    below, before = 0.0, 0.0
    for edge, n in edges:
        if n > before:
            found.append((below if math.isinf(edge) else (below + edge) / 2, (n - before) / total))
        below, before = edge, max(n, before)
    middle = sum(tokens * share for tokens, share in found)
    bins: dict[int, float] = {}
    for tokens, share in found:
        at = max(1, round(tokens * mean / middle)) if middle else 1
        bins[at] = bins.get(at, 0.0) + share
    return tuple(bins.items())
