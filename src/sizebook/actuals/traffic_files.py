"""The files that a serving scenario takes of measured traffic: ``traffic.toml``, histograms and a trace."""

from __future__ import annotations

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
    yield "[traffic]"
    for key, value in scenario_keys(figures, n_replicas).items():
        yield f"{key} = {_toml(value)}"
    yield 'input_histogram = "prompts.csv"'
    yield 'output_histogram = "answers.csv"'
    if (talk := figures.conversations) is not None:
        yield "# in place of both histograms, conversations; think_seconds are from turn to turn, with answers:"
        yield f"# input_tokens = {round(talk.first_tokens)}"
        yield f"# output_tokens = {round(figures.output_tokens)}"
        yield f"# turns = {max(1, round(talk.turns))}"
        yield f"# turn_tokens = {max(1, round(talk.growth_tokens - figures.output_tokens))}"
        yield f"# think_seconds = {round(talk.seconds_between, 1)}"
    if figures.trace:
        yield '# trace = "trace.csv"  # in place of both histograms: prompt and answer of a request stay together'


def _toml(value: Any) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)


def in_words(figures: TrafficFigures, source: str) -> Iterator[str]:
    """Yield what was read, what was dropped, and what the log does not say."""
    yield f"{figures.n_requests} requests over {figures.seconds / 3600:.2f} hours of {source}"
    if figures.dropped:
        said = ", ".join(
            f"{n} cannot be read" if what == "unreadable" else f"{n} have no {what}"
            for what, n in figures.dropped.items()
        )
        yield f"rows left out: {said}"
    yield f"mean of {figures.input_tokens:.1f} prompt and {figures.output_tokens:.1f} answer tokens"
    if figures.hours is None:
        yield "shape: less than a whole day, so that the hours of a day are not known; state shape"
    if figures.days is not None:
        yield f"requests from Monday to Sunday over whole weeks: {', '.join(map(str, figures.days))}"
    if figures.dispersion is None:
        yield "dispersion: too little is known of when requests came; state dispersion"
    if (talk := figures.conversations) is not None:
        yield (
            f"{talk.n} conversations of {talk.turns:.2f} turns; prompts grow by {talk.growth_tokens:.0f} tokens a "
            f"turn, {talk.seconds_between:.0f} s from one turn to the next"
        )
    if figures.cache_hit_ratio is None:
        yield "cache_hit_ratio: not known without blocks of prompts and --cache-tokens; state cache_hit_ratio"
