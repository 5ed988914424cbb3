"""The chart of docs/serving_accuracy.md: predicted against measured time per token of unseen combinations."""

from collections.abc import Sequence
from typing import Any

from scatter import Axes
from scatter import scatter as chart

AXES = Axes(
    title="Unseen engine x GPU",
    rows="rows",
    figure="time per token",
    unit="ms",
    least=2,
    most=400,
    ticks=(2, 5, 10, 20, 50, 100, 200, 400),
    series={"vllm": "#0072B2", "sglang": "#E69F00", "tensorrt-llm": "#009E73"},  # Okabe-Ito
)


def scatter(measured: Any, predicted: Any, engines: Sequence[str]) -> str:
    """Return the chart of seconds per output token: one dot a row."""
    return chart(AXES, 1e3 * measured, 1e3 * predicted, engines)
