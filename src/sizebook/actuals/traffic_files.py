"""The files that a serving scenario takes of measured traffic: ``traffic.toml``, histograms and a trace."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sizebook.actuals.traffic_figures import TrafficFigures, scenario_keys
from sizebook.core.errors import InputError
from sizebook.sources.writing import csv_text, write_whole


def write_traffic(figures: TrafficFigures, folder: Path, source: str, n_replicas: int = 1) -> list[Path]:
    """Write the files into a new or empty folder and return them; errors: a folder that holds something."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"folder is not empty: got {folder}, want a new one. Name another, or empty it.")
    folder.mkdir(parents=True, exist_ok=True)
    tables: dict[str, str] = {
        "prompts.csv": csv_text(("tokens", "share"), figures.prompts),
        "answers.csv": csv_text(("tokens", "share"), figures.answers),
    }
    if figures.trace:
        tables["trace.csv"] = csv_text(("seconds", "input_tokens", "output_tokens"), figures.trace)
    tables["traffic.toml"] = "\n".join(_lines(figures, source, n_replicas)) + "\n"
    return [write_whole(folder / name, text.encode()) for name, text in tables.items()]


def _lines(figures: TrafficFigures, source: str, n_replicas: int) -> Iterator[str]:
    yield from (f"# {line}" for line in in_words(figures, source))
    talk, keys = figures.conversations, scenario_keys(figures, n_replicas)
    by_request = [f"# dispersion = {keys.pop('dispersion')}"] if "dispersion" in keys else []
    if figures.trace:
        by_request.append('# trace = "trace.csv"  # in place of both histograms: prompt and answer stay together')
    yield "[traffic]"
    for key, value in keys.items():
        yield f"{key} = {_toml(value)}"
    yield 'input_histogram = "prompts.csv"'
    yield 'output_histogram = "answers.csv"'
    if talk is not None:
        yield "# To plan conversations instead, remove both histograms; uncomment these two keys and [conversation]."
        yield f"# input_tokens = {round(talk.first_tokens)}"
        yield f"# output_tokens = {round(figures.output_tokens)}"
    if by_request:
        yield "# To plan for a percentile of requests, uncomment [requests], its first key and one other."
        yield from ("# [requests]", '# request_percentile = "p95"', *by_request)
    if talk is not None:
        yield "# [conversation]"
        yield f"# turns = {max(1, round(talk.turns))}"
        yield f"# turn_tokens = {max(1, round(talk.growth_tokens - figures.output_tokens))}"
        yield f"# think_seconds = {round(talk.seconds_between, 1)}  # from prompt to prompt, the answer's time included"


def _toml(value: Any) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def in_words(figures: TrafficFigures, source: str) -> Iterator[str]:
    """Yield what was read, what was dropped, and what the log does not say."""
    yield f"{figures.n_requests} requests over {figures.seconds / 3600:.2f} hours of {source}"
    if figures.dropped:
        said = ", ".join(
            f"{n} unreadable" if what == "unreadable" else f"{n} without {what}" for what, n in figures.dropped.items()
        )
        yield f"rows left out: {said}"
    yield f"mean of {figures.input_tokens:.1f} prompt and {figures.output_tokens:.1f} answer tokens a request"
    if figures.hours is None:
        yield "shape: the log is shorter than a day, so the hours of a day are unknown; state shape"
    if figures.days is not None:
        yield f"requests by day of the week, Monday first, of whole weeks: {', '.join(map(str, figures.days))}"
    if figures.dispersion is None:
        yield "dispersion: the log says too little of when requests came; state dispersion"
    if (talk := figures.conversations) is not None:
        grow = "grow" if talk.growth_tokens >= 0 else "shrink"
        yield (
            f"{talk.n} conversations of {talk.turns:.2f} turns; prompts {grow} by {abs(talk.growth_tokens):.0f} tokens "
            f"a turn, {talk.seconds_between:.0f} s from one turn to the next"
        )
    if figures.cache_hit_ratio is None:
        yield "cache_hit_ratio: unknown without blocks of prompts and --cache-tokens; state cache_hit_ratio"
